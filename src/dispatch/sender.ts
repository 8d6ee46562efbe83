// Sends claimed deliveries, each on its own, keeps their leases alive meanwhile, and commits what became
// of them. One whose lease was over before anything was sent is given back.

import { sendError } from '../adapters/answer.ts';
import type { Clock } from '../clock.ts';
import { type ClaimedDelivery, releaseClaims } from '../db/claim.ts';
import { inIso } from '../db/columns.ts';
import type { Outcome, Verdict } from '../db/commit.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import { createCommitter } from './committer.ts';
import type { Deliver, SendLease } from './deliver.ts';
import { createLeaseKeeper } from './lease-keeper.ts';
import { createTally } from './tally.ts';

export interface SenderOptions {
  readonly client: Queryable;
  readonly deliver: Deliver;
  readonly log: Log;
  readonly clock: Clock;
  /** Called after each send, when its outcome is committed. */
  readonly onEnd: () => void;
}

export interface Sender {
  /** `askedAt`: when the claim was asked for, by the sender's clock. */
  send(workspaceId: string, delivery: ClaimedDelivery, askedAt: number): void;
  /** Sends under way, of one workspace or of all. */
  underWay(workspaceId?: string): number;
  /** Lets sends under way end within the grace, breaks the others off, and waits until all are committed. */
  drain(graceMs: number): Promise<void>;
}

/** What became of a delivery, as the log tells it. */
interface Became {
  readonly state: NonNullable<Verdict['became']> | 'stale' | 'released' | 'unrecorded';
  readonly nextRetryAt?: string | undefined;
}

function becameOf(verdict: Verdict | undefined): Became {
  if (verdict === undefined) return { state: 'unrecorded' };
  return { state: verdict.became ?? 'stale', nextRetryAt: verdict.nextRetryAt ?? undefined };
}

/** What is said of a delivery for which all was not well. */
const saidOf: Readonly<Record<Became['state'], string>> = {
  sent: 'sent, as was known before',
  retry: 'not sent; it will be tried again',
  failed_permanent: 'not sent: it failed for good',
  dead: 'not sent: it was given up',
  stale: 'its outcome came too late: the lease was over',
  released: 'not sent: the lease was over, and it was given back',
  unrecorded: 'its outcome could not be recorded',
};

/** How long a database that is away is waited for after the grace. */
const lastTryMs = 5000;

export function createSender({ client, deliver, log, clock, onEnd }: SenderOptions): Sender {
  const committer = createCommitter({ client, log });
  const leases = createLeaseKeeper(client, log, clock);
  const tally = createTally(log);
  const sends = new Map<Promise<void>, AbortController>();
  const perWorkspace = new Map<string, number>();

  async function run(
    workspaceId: string,
    delivery: ClaimedDelivery,
    askedAt: number,
    breakOff: AbortController,
  ): Promise<void> {
    const { claimToken, leaseMs } = delivery;
    const onLost = (): void => breakOff.abort();
    const { holds, letGo } = leases.hold({ workspaceId, claimToken, leaseMs, askedAt, onLost });
    const outcome = await outcomeOf(workspaceId, delivery, { signal: breakOff.signal, holds });
    const isOver = !outcome.ok && outcome.error.code === 'lease_over';
    const became = isOver
      ? await giveBack(workspaceId, delivery)
      : becameOf(await committer.commit(workspaceId, outcome));
    letGo();
    report(workspaceId, delivery, outcome, became);
  }

  /** Once: what cannot be given back comes back with its lease, which is over. */
  async function giveBack(workspaceId: string, delivery: ClaimedDelivery): Promise<Became> {
    const { claimToken, deliveryId } = delivery;
    const claim = { workspaceId, claimToken, deliveryIds: [deliveryId] };
    try {
      const released = await releaseClaims(client, claim);
      return { state: released.length > 0 ? 'released' : 'stale' };
    } catch {
      return { state: 'unrecorded' };
    }
  }

  async function outcomeOf(
    workspaceId: string,
    delivery: ClaimedDelivery,
    lease: SendLease,
  ): Promise<Outcome> {
    try {
      return await deliver(workspaceId, delivery, lease);
    } catch (error) {
      // No adapter throws; if one does, nobody knows how far it came.
      const { deliveryId, claimToken } = delivery;
      const facts = { workspace_id: workspaceId, delivery_id: deliveryId, error: String(error) };
      log.error('a send broke', facts);
      const message = 'the send broke inside Outrider; its log says how';
      return { deliveryId, claimToken, ok: false, error: sendError('outcome_unknown', message) };
    }
  }

  function report(
    workspaceId: string,
    delivery: ClaimedDelivery,
    outcome: Outcome,
    { state, nextRetryAt }: Became,
  ): void {
    tally.count(state);
    const facts = {
      workspace_id: workspaceId,
      channel_id: delivery.channel.channelId,
      delivery_id: delivery.deliveryId,
      trace_id: delivery.traceId,
      attempt: delivery.attempt,
    };
    if (outcome.ok && state === 'sent') {
      log.debug('sent', { ...facts, provider_message_id: outcome.providerMessageId });
      return;
    }
    const why = outcome.ok ? {} : { code: outcome.error.code, error: outcome.error.message };
    const next_retry_at = nextRetryAt === undefined ? undefined : inIso(nextRetryAt);
    log.warn(saidOf[state], { ...facts, became: state, ...why, next_retry_at });
  }

  function count(workspaceId: string, by: 1 | -1): void {
    const now = (perWorkspace.get(workspaceId) ?? 0) + by;
    if (now === 0) perWorkspace.delete(workspaceId);
    else perWorkspace.set(workspaceId, now);
  }

  async function ended(withinMs: number): Promise<boolean> {
    const rest = new Promise<void>((resolve) => setTimeout(resolve, withinMs).unref());
    await Promise.race([Promise.all(sends.keys()), rest]);
    return sends.size === 0;
  }

  return {
    send(workspaceId, delivery, askedAt) {
      count(workspaceId, 1);
      // Each has a signal of its own: one that is made of two costs more than the rest of a send.
      const breakOff = new AbortController();
      const send = run(workspaceId, delivery, askedAt, breakOff).finally(() => {
        sends.delete(send);
        count(workspaceId, -1);
        onEnd();
      });
      sends.set(send, breakOff);
    },
    underWay: (workspaceId) =>
      workspaceId === undefined ? sends.size : (perWorkspace.get(workspaceId) ?? 0),
    async drain(graceMs) {
      if (!(await ended(graceMs))) {
        log.warn('breaking off what is still being sent', { count: sends.size });
        for (const breakOff of sends.values()) breakOff.abort();
        if (!(await ended(lastTryMs))) committer.giveUp();
        await Promise.all(sends.keys());
      }
      leases.stop();
      tally.stop();
      log.info('stopped sending', tally.total());
    },
  };
}
