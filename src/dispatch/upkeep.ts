// The tasks that keep dispatching going: deliveries of senders that died are given back, the event log gets its partitions
// for the days ahead, what has been kept long enough is deleted (rows, raw payloads, files), and samples are taken for the status
// page. None waits for another.

import { startChore, type TurnPace } from '../chore.ts';
import { type Clock, systemClock } from '../clock.ts';
import { recoverBotReplies } from '../db/bot.ts';
import { ensureEventPartitions } from '../db/events.ts';
import type { Queryable } from '../db/pool.ts';
import { recoverLeases, staleWorkspaces } from '../db/recovery.ts';
import { DatabaseAwayError } from '../errors.ts';
import type { Log } from '../log.ts';
import type { OriginStore } from '../media/origin-store.ts';
import { type Health, healthy, type Service } from '../service.ts';
import { createTrouble, type Trouble } from '../trouble.ts';
import { startCollection } from './collection.ts';
import { startRetention } from './retention.ts';
import { startSamples } from './samples.ts';

export interface UpkeepOptions {
  readonly client: Queryable;
  readonly log: Log;
  /** Called when deliveries were given back. */
  readonly onRecovered: () => void;
  /** Called when answers of bots were given back. */
  readonly onRepliesRecovered?: (() => void) | undefined;
  /** Removes raw payloads whose time is over. */
  readonly forgetPayloads?: ((isOver: () => boolean) => Promise<void>) | undefined;
  /** Where files are collected that nobody names any more; undefined: nowhere. */
  readonly stores?: { readonly media: OriginStore; readonly payloads: OriginStore } | undefined;
  readonly recoverEveryMs?: number | undefined;
  /** How long to wait until partitions that could not be made are tried again. */
  readonly partitionsRetryMs?: number | undefined;
  /** How long events of the outbox are kept after they were published. */
  readonly outboxRetentionDays?: number | undefined;
  readonly purgeEveryMs?: number | undefined;
  readonly clock?: Clock | undefined;
}

/** After an outage, senders that hold outcomes come first: what they commit needs no recovery. */
const commitsFirstMs = 3000;
const daysOfEventsAhead = 7;
const hourMs = 3_600_000;
const payloadsEveryMs = 600_000;
const ofWorkspace = {
  failed: 'the leases of a workspace cannot be recovered',
  over: 'the leases of a workspace are recovered again',
};

export function startUpkeep(options: UpkeepOptions): Service {
  const { client, log, onRecovered, clock = systemClock } = options;
  const { forgetPayloads = async () => undefined, onRepliesRecovered = () => undefined } = options;
  const { recoverEveryMs = 2000, partitionsRetryMs = 60_000 } = options;
  const { outboxRetentionDays = 30, purgeEveryMs: everyMs } = options;
  const troubles = new Map<string, Trouble>();
  let wasAway = false;
  let recoverFrom = 0;

  async function recover({ isOver }: TurnPace): Promise<void> {
    try {
      const stale = await staleWorkspaces(client);
      if (wasAway) recoverFrom = clock.now() + commitsFirstMs;
      wasAway = false;
      if (clock.now() < recoverFrom) return;
      for (const workspaceId of stale) {
        if (isOver()) return;
        await recoverIn(workspaceId);
      }
      await recoverReplies();
    } catch (error) {
      wasAway = true;
      throw error;
    }
  }

  /** An error in one workspace does not keep the others from being recovered. */
  async function recoverIn(workspaceId: string): Promise<void> {
    const facts = { workspace_id: workspaceId };
    const trouble = troubles.get(workspaceId) ?? createTrouble(log, clock, ofWorkspace, facts);
    try {
      const recovered = await recoverLeases(client, workspaceId);
      trouble.over();
      troubles.delete(workspaceId);
      if (recovered.length === 0) return;
      const counts = Map.groupBy(recovered, (each) => each.became);
      const became = [...counts].map(([state, each]) => [state, each.length] as const);
      log.warn('gave back what a sender had left', { ...facts, ...Object.fromEntries(became) });
      onRecovered();
    } catch (error) {
      if (error instanceof DatabaseAwayError) throw error;
      troubles.set(workspaceId, trouble);
      trouble.failed(error);
    }
  }

  /** Answers of bots. */
  async function recoverReplies(): Promise<void> {
    const recovered = await recoverBotReplies(client);
    const counts = Map.groupBy(recovered, (each) => each.workspaceId);
    for (const [workspace_id, replies] of counts) {
      log.warn('gave back answers of a bot that a sender had left', {
        workspace_id,
        count: replies.length,
      });
    }
    if (recovered.length > 0) onRepliesRecovered();
  }

  const recovery = startChore({
    log,
    clock,
    words: {
      failed: 'stale leases cannot be looked for',
      over: 'stale leases can be looked for again',
    },
    everyMs: recoverEveryMs,
    retryMs: recoverEveryMs,
    turn: recover,
  });
  const partitions = startChore({
    log,
    clock,
    words: {
      failed: 'partitions of the event log cannot be made; its default partition is used for now',
      over: 'partitions of the event log are made again',
    },
    everyMs: hourMs,
    retryMs: partitionsRetryMs,
    turn: async () => void (await ensureEventPartitions(client, daysOfEventsAhead)),
  });
  const outboxRetention = `${outboxRetentionDays} days`;
  const retention = startRetention({ client, log, clock, outboxRetention, everyMs });

  const payloads = startChore({
    log,
    clock,
    words: {
      failed: 'raw payloads whose time is over cannot be removed',
      over: 'raw payloads whose time is over are removed again',
    },
    everyMs: payloadsEveryMs,
    retryMs: payloadsEveryMs,
    turn: ({ isOver }) => forgetPayloads(isOver),
  });

  const samples = startSamples({ client, log, clock });

  const { stores } = options;
  const collections =
    stores === undefined ? [] : [startCollection({ client, log, clock, ...stores })];

  return {
    name: 'upkeep',
    health(): Health {
      if (recovery.failures() >= 3) return { ok: false, reason: 'cannot recover stale leases' };
      // Nothing is lost in these cases, so a probe has no reason to act.
      if (partitions.failures() > 0) {
        return { ok: true, reason: 'cannot make partitions of the event log' };
      }
      if (retention.failures() >= 3) {
        return { ok: true, reason: 'cannot delete what has been kept long enough' };
      }
      return healthy;
    },
    async stop() {
      const all = [recovery, partitions, retention, payloads, samples, ...collections];
      await Promise.all(all.map((each) => each.stop()));
    },
  };
}
