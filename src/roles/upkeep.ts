// Gives back the deliveries that dead senders held, makes the partitions of the event log, and deletes what has been kept
// long enough.

import { startUpkeep } from '../dispatch/upkeep.ts';
import { forgetExpired } from '../payloads/expiry.ts';
import type { Role } from './role.ts';
import { wakeOver } from './waking.ts';

export const upkeep = {
  name: 'upkeep',
  summary: 'gives back what a dead sender held, deletes old rows; runs with dispatch',
  stage: 'beside',
  worksAs: 'outrider_service',
  async start(ground) {
    const { config, log, clock, intervals, store, payloadObjects } = ground;
    const client = ground.pools.claims();
    const wake = wakeOver(client, ground);
    return startUpkeep({
      client,
      log,
      clock,
      onRecovered: () => wake(),
      forgetPayloads: async (isOver) => {
        await forgetExpired(client, payloadObjects, { isOver });
      },
      stores: { media: store, payloads: payloadObjects },
      recoverEveryMs: intervals.recoverEveryMs,
      outboxRetentionDays: config.outbox.retentionDays,
    });
  },
} as const satisfies Role;
