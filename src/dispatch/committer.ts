// Records outcomes in batches: while one batch of a workspace is being committed the next one gathers, so
// that a single outcome waits for nothing and many share a transaction. Under load a batch waits a moment
// for more: small ones cost more for each outcome.
//
// An outcome is what a provider has already done, so the committer keeps trying while the database is away. Only
// `giveUp` ends that; the deliveries then come back when their leases end, with an unknown outcome.

import { setTimeout as delay } from 'node:timers/promises';
import { type Backoff, waitAfter } from '../backoff.ts';
import { commitOutcomes, commitSent, type Outcome, type Sent, type Verdict } from '../db/commit.ts';
import type { Queryable } from '../db/pool.ts';
import { DatabaseAwayError, DatabaseBusyError, DatabaseFaultError } from '../errors.ts';
import type { Log } from '../log.ts';

export interface CommitterOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly batch?: number | undefined;
  readonly backoff?: Backoff | undefined;
}

export interface Committer {
  /** The verdict, or undefined when the outcome could not be recorded. */
  commit(workspaceId: string, outcome: Outcome): Promise<Verdict | undefined>;
  /** Stops trying to reach a database that is away. */
  giveUp(): void;
}

interface Waiting {
  readonly outcome: Outcome;
  readonly settle: (verdict: Verdict | undefined) => void;
}

/** This many outcomes in one commit are a sign of load. */
const many = 50;
const gatherMs = 25;

export function createCommitter(options: CommitterOptions): Committer {
  const { client, log, batch = 1000, backoff = { baseMs: 100, capMs: 1000 } } = options;
  const gathering = new Map<string, Waiting[]>();
  const givingUp = new AbortController();

  async function flush(workspaceId: string): Promise<void> {
    for (;;) {
      const waiting = gathering.get(workspaceId) ?? [];
      if (waiting.length === 0) {
        gathering.delete(workspaceId);
        return;
      }
      gathering.set(workspaceId, waiting.slice(batch));
      await record(workspaceId, waiting.slice(0, batch));
      const gathered = gathering.get(workspaceId)?.length ?? 0;
      if (waiting.length >= many && gathered < batch) await pause(gatherMs);
    }
  }

  async function pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: givingUp.signal }).catch(() => undefined);
  }

  async function record(workspaceId: string, waiting: readonly Waiting[]): Promise<void> {
    const { plain, others } = split(waiting.map((each) => each.outcome));
    const lists = [plain, others].filter((list) => list.length > 0);
    const verdicts = await Promise.all(lists.map((list) => attempt(workspaceId, list)));
    const byId = new Map(
      verdicts.flatMap((list) => list ?? []).map((each) => [each.deliveryId, each]),
    );
    for (const { outcome, settle } of waiting) settle(byId.get(outcome.deliveryId));
  }

  async function attempt(
    workspaceId: string,
    outcomes: readonly Outcome[],
  ): Promise<Verdict[] | undefined> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await commitAll(client, workspaceId, outcomes);
      } catch (error) {
        if (isRefusal(error, outcomes)) return oneByOne(workspaceId, outcomes, error);
        if (givingUp.signal.aborted) {
          const count = outcomes.length;
          log.error('outcomes are not recorded: the database is away', {
            workspace_id: workspaceId,
            count,
          });
          return undefined;
        }
        await pause(waitAfter(failures, backoff, Math.random()));
      }
    }
  }

  // One outcome that the database does not take must not keep the others from being recorded.
  async function oneByOne(
    workspaceId: string,
    outcomes: readonly Outcome[],
    error: unknown,
  ): Promise<Verdict[] | undefined> {
    const [first, ...more] = outcomes;
    if (first === undefined) return [];
    if (more.length > 0) {
      const parts = await Promise.all(outcomes.map((each) => attempt(workspaceId, [each])));
      return parts.flatMap((part) => part ?? []);
    }
    const bare = withoutDetails(first);
    const facts = {
      workspace_id: workspaceId,
      delivery_id: first.deliveryId,
      error: String(error),
    };
    if (bare === undefined) {
      log.error('an outcome is not recorded: the database refused it', facts);
      return undefined;
    }
    log.error('an outcome is recorded without its details: the database refused them', facts);
    return attempt(workspaceId, [bare]);
  }

  return {
    commit(workspaceId, outcome) {
      return new Promise((settle) => {
        const waiting = gathering.get(workspaceId);
        if (waiting !== undefined) {
          waiting.push({ outcome, settle });
          return;
        }
        gathering.set(workspaceId, [{ outcome, settle }]);
        void flush(workspaceId);
      });
    },
    giveUp: () => givingUp.abort(),
  };
}

/**
 * Splits the outcomes into plain successes, which are nearly all, and the others. A batch with a failure is not split:
 * a success in the same commit says that the platform is well (note_illness). In a commit of its own the success would
 * come before or after the failure.
 */
function split(outcomes: readonly Outcome[]): { plain: Outcome[]; others: Outcome[] } {
  if (outcomes.some(({ ok }) => !ok)) return { plain: [], others: [...outcomes] };
  const { plain = [], others = [] } = Object.groupBy(outcomes, (outcome) =>
    isPlain(outcome) ? 'plain' : 'others',
  );
  return { plain, others };
}

/** Whether the provider's id is all there is to record. */
function isPlain(outcome: Outcome): outcome is Sent {
  return (
    outcome.ok &&
    outcome.meta === undefined &&
    outcome.sentAt === undefined &&
    outcome.payloadRef === undefined &&
    !outcome.parts?.length
  );
}

async function commitAll(
  client: Queryable,
  workspaceId: string,
  outcomes: readonly Outcome[],
): Promise<Verdict[]> {
  if (!outcomes.every(isPlain)) return commitOutcomes(client, workspaceId, outcomes);
  const stale = await commitSent(client, workspaceId, {
    deliveryIds: outcomes.map((each) => each.deliveryId),
    claimTokens: outcomes.map((each) => each.claimToken),
    providerMessageIds: outcomes.map((each) => each.providerMessageId),
  });
  const notes = new Map(stale.map((each) => [each.deliveryId, each.note]));
  return outcomes.map(({ deliveryId }) => {
    const note = notes.get(deliveryId) ?? null;
    return { deliveryId, became: note === null ? 'sent' : null, nextRetryAt: null, note };
  });
}

/** Whether the database refused the outcomes, or one of them. If not, it is itself at fault, and repeating helps. */
function isRefusal(error: unknown, outcomes: readonly Outcome[]): boolean {
  if (error instanceof DatabaseAwayError || error instanceof DatabaseBusyError) return false;
  // An outcome without details always has the same shape: an error that hits one hits all.
  const [first, ...more] = outcomes;
  const isBare = more.length === 0 && first !== undefined && withoutDetails(first) === undefined;
  return !(isBare && error instanceof DatabaseFaultError);
}

/** The outcome reduced to what must be recorded; undefined when there is nothing to leave out. */
function withoutDetails(outcome: Outcome): Outcome | undefined {
  const { deliveryId, claimToken, parts, payloadRef } = outcome;
  const isBare = parts === undefined && payloadRef === undefined;
  if (outcome.ok) {
    if (outcome.meta === undefined && isBare) return undefined;
    return { deliveryId, claimToken, ok: true, providerMessageId: outcome.providerMessageId };
  }
  const { message, raw, ...error } = outcome.error;
  if (message === undefined && raw === undefined && isBare) return undefined;
  return { deliveryId, claimToken, ok: false, error };
}
