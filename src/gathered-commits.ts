// Records outcomes of sends in batches: while one batch of a workspace is being committed the next one gathers, so
// that a single outcome waits for nothing and many share a transaction. Under load a batch waits a moment
// for more: small ones cost more for each outcome.
//
// An outcome is what a platform has already done, so it is tried again while the database is away. Only `giveUp` ends
// that; what was sent then comes back when its lease ends, with an unknown outcome.

import { setTimeout as delay } from 'node:timers/promises';
import { type Backoff, waitAfter } from './backoff.ts';
import { DatabaseAwayError, DatabaseBusyError, DatabaseFaultError } from './errors.ts';
import type { Log } from './log.ts';

/** How outcomes of one kind are recorded. */
export interface Recording<Outcome, Verdict> {
  /** Records outcomes in one transaction; throws if the database takes none of them. */
  record(workspaceId: string, outcomes: readonly Outcome[]): Promise<readonly Verdict[]>;
  /** The batches that must not share a transaction; one when missing. */
  split?(outcomes: readonly Outcome[]): readonly (readonly Outcome[])[];
  /** The outcome reduced to what must be recorded; undefined when there is nothing to leave out. */
  withoutDetails(outcome: Outcome): Outcome | undefined;
  /** What was sent. */
  idOf(each: Outcome | Verdict): string;
  /** The name of that id in the log. */
  readonly idName: string;
}

export interface GatheredCommits<Outcome, Verdict> {
  /** The verdict, or undefined when the outcome could not be recorded. */
  commit(workspaceId: string, outcome: Outcome): Promise<Verdict | undefined>;
  /** Stops trying to reach a database that is away. */
  giveUp(): void;
}

export interface GatheringOptions {
  readonly log: Log;
  /** The most outcomes of a batch. */
  readonly batch?: number | undefined;
  readonly backoff?: Backoff | undefined;
}

interface Waiting<Outcome, Verdict> {
  readonly outcome: Outcome;
  readonly settle: (verdict: Verdict | undefined) => void;
}

/** This many outcomes in one commit are a sign of load. */
const many = 50;
const gatherMs = 25;

export function gatherCommits<Outcome, Verdict>(
  recording: Recording<Outcome, Verdict>,
  { log, batch = 1000, backoff = { baseMs: 100, capMs: 1000 } }: GatheringOptions,
): GatheredCommits<Outcome, Verdict> {
  const gathering = new Map<string, Waiting<Outcome, Verdict>[]>();
  const givingUp = new AbortController();

  async function flush(workspaceId: string): Promise<void> {
    for (;;) {
      const waiting = gathering.get(workspaceId) ?? [];
      if (waiting.length === 0) {
        gathering.delete(workspaceId);
        return;
      }
      gathering.set(workspaceId, waiting.slice(batch));
      await settleAll(workspaceId, waiting.slice(0, batch));
      const gathered = gathering.get(workspaceId)?.length ?? 0;
      if (waiting.length >= many && gathered < batch) await pause(gatherMs);
    }
  }

  async function pause(ms: number): Promise<void> {
    await delay(ms, undefined, { signal: givingUp.signal }).catch(() => undefined);
  }

  async function settleAll(
    workspaceId: string,
    waiting: readonly Waiting<Outcome, Verdict>[],
  ): Promise<void> {
    const outcomes = waiting.map((each) => each.outcome);
    const lists = (recording.split?.(outcomes) ?? [outcomes]).filter((list) => list.length > 0);
    const verdicts = await Promise.all(lists.map((list) => attempt(workspaceId, list)));
    const byId = new Map(verdicts.flat().map((each) => [recording.idOf(each), each]));
    for (const { outcome, settle } of waiting) settle(byId.get(recording.idOf(outcome)));
  }

  async function attempt(
    workspaceId: string,
    outcomes: readonly Outcome[],
  ): Promise<readonly Verdict[]> {
    for (let failures = 1; ; failures += 1) {
      try {
        return await recording.record(workspaceId, outcomes);
      } catch (error) {
        if (isRefusal(error, outcomes)) return oneByOne(workspaceId, outcomes, error);
        if (givingUp.signal.aborted) {
          const facts = { workspace_id: workspaceId, count: outcomes.length };
          log.error('outcomes are not recorded: the database is away', facts);
          return [];
        }
        await pause(waitAfter(failures, backoff, Math.random()));
      }
    }
  }

  /** Whether the database refused the outcomes, or one of them. If not, it is itself at fault, and repeating helps. */
  function isRefusal(error: unknown, outcomes: readonly Outcome[]): boolean {
    if (error instanceof DatabaseAwayError || error instanceof DatabaseBusyError) return false;
    // An outcome without details always has the same shape: an error that hits one hits all.
    const [first, ...more] = outcomes;
    const isBare =
      more.length === 0 && first !== undefined && recording.withoutDetails(first) === undefined;
    return !(isBare && error instanceof DatabaseFaultError);
  }

  /** One outcome that the database does not take must not keep the others from being recorded. */
  async function oneByOne(
    workspaceId: string,
    outcomes: readonly Outcome[],
    error: unknown,
  ): Promise<readonly Verdict[]> {
    const [first, ...more] = outcomes;
    if (first === undefined) return [];
    if (more.length > 0) {
      const parts = await Promise.all(outcomes.map((each) => attempt(workspaceId, [each])));
      return parts.flat();
    }
    const bare = recording.withoutDetails(first);
    const facts = {
      workspace_id: workspaceId,
      [recording.idName]: recording.idOf(first),
      error: String(error),
    };
    if (bare === undefined) {
      log.error('an outcome is not recorded: the database refused it', facts);
      return [];
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
