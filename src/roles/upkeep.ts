// Gives back the deliveries that dead senders held, and makes the partitions of the event log.

import { startUpkeep } from '../dispatch/upkeep.ts';
import type { Role } from './role.ts';
import { wakeOver } from './waking.ts';

export const upkeep = {
  name: 'upkeep',
  summary: 'gives back what a dead sender held; runs with dispatch',
  stage: 'beside',
  worksAs: 'outrider_service',
  async start(ground) {
    const { log, clock, intervals } = ground;
    const client = ground.pools.claims();
    const wake = wakeOver(client, ground);
    return startUpkeep({
      client,
      log,
      clock,
      onRecovered: () => wake(),
      recoverEveryMs: intervals.recoverEveryMs,
    });
  },
} as const satisfies Role;
