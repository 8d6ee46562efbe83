// Gives back the deliveries that dead senders held, makes the partitions of the event log, and deletes old rows.

import { startUpkeep } from '../dispatch/upkeep.ts';
import type { Role } from './role.ts';
import { wakeOver } from './waking.ts';

export const upkeep = {
  name: 'upkeep',
  summary: 'gives back what a dead sender held, deletes old rows; runs with dispatch',
  stage: 'beside',
  worksAs: 'outrider_service',
  async start(ground) {
    const { config, log, clock, intervals } = ground;
    const client = ground.pools.claims();
    const wake = wakeOver(client, ground);
    return startUpkeep({
      client,
      log,
      clock,
      onRecovered: () => wake(),
      recoverEveryMs: intervals.recoverEveryMs,
      outboxRetentionDays: config.outbox.retentionDays,
    });
  },
} as const satisfies Role;
