// Gives back the deliveries and replies that dead senders held, makes the partitions of the event log, deletes what has been kept
// long enough, and counts for /metrics.

import { startUpkeep } from '../dispatch/upkeep.ts';
import { startCounting } from '../metrics/counting.ts';
import { forgetExpired } from '../payloads/expiry.ts';
import type { Role } from './role.ts';
import { wakeOver, wakeReplierOver } from './waking.ts';

export const upkeep = {
  name: 'upkeep',
  summary: 'gives back what a dead sender held, deletes old rows; runs with dispatch',
  stage: 'beside',
  worksAs: 'outrider_service',
  async start(ground) {
    const { config, log, clock, intervals, store, payloadObjects } = ground;
    const client = ground.pools.claims();
    const wake = wakeOver(client, ground);
    const service = startUpkeep({
      client,
      log,
      clock,
      onRecovered: () => wake(),
      onRepliesRecovered: wakeReplierOver(client, ground),
      forgetPayloads: async (isOver) => {
        await forgetExpired(client, payloadObjects, { isOver });
      },
      stores: { media: store, payloads: payloadObjects },
      recoverEveryMs: intervals.recoverEveryMs,
      outboxRetentionDays: config.outbox.retentionDays,
    });
    if (!ground.observing.countsMetrics) return service;
    const counting = startCounting({ client, log, clock, everyMs: intervals.countEveryMs });
    return {
      ...service,
      async stop() {
        await Promise.all([service.stop(), counting.stop()]);
      },
    };
  },
} as const satisfies Role;
