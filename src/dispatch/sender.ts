// Sends claimed deliveries, each on its own, keeps their leases alive meanwhile, and commits what became
// of them.

import type { Clock } from '../clock.ts';
import type { ClaimedDelivery } from '../db/claim.ts';
import type { Outcome, Verdict } from '../db/commit.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import { createCommitter } from './committer.ts';
import type { Deliver } from './deliver.ts';
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
    const { letGo } = leases.hold({ workspaceId, claimToken, leaseMs, askedAt, onLost });
    const outcome = await outcomeOf(workspaceId, delivery, breakOff.signal);
    const verdict = await committer.commit(workspaceId, outcome);
    letGo();
    report(workspaceId, delivery, outcome, verdict);
  }

  async function outcomeOf(
    workspaceId: string,
    delivery: ClaimedDelivery,
    signal: AbortSignal,
  ): Promise<Outcome> {
    try {
      return await deliver(workspaceId, delivery, signal);
    } catch (error) {
      // No adapter throws; if one does, nobody knows how far it came.
      const { deliveryId, claimToken } = delivery;
      const facts = { workspace_id: workspaceId, delivery_id: deliveryId, error: String(error) };
      log.error('a send broke', facts);
      const message = 'the send broke inside Outrider; its log says how';
      const fault = { category: 'TRANSIENT', scope: 'delivery', code: 'outcome_unknown' } as const;
      return { deliveryId, claimToken, ok: false, error: { ...fault, message } };
    }
  }

  function report(
    workspaceId: string,
    delivery: ClaimedDelivery,
    outcome: Outcome,
    verdict: Verdict | undefined,
  ): void {
    const became = verdict === undefined ? 'unrecorded' : (verdict.became ?? 'stale');
    tally.count(became);
    const facts = {
      workspace_id: workspaceId,
      channel_id: delivery.channel.channelId,
      delivery_id: delivery.deliveryId,
      trace_id: delivery.traceId,
      attempt: delivery.attempt,
    };
    if (outcome.ok && became === 'sent') {
      log.debug('sent', { ...facts, provider_message_id: outcome.providerMessageId });
      return;
    }
    const why = outcome.ok ? {} : { code: outcome.error.code, error: outcome.error.message };
    const next = verdict?.nextRetryAt ?? undefined;
    log.warn(`became ${became}`, { ...facts, ...why, next_retry_at: next });
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
