// Finds out what is wrong, and tells people.

import { startMonitor } from '../monitor/monitor.ts';
import { openAlertTargets } from './alert-targets.ts';
import type { Role } from './role.ts';

export const monitor = {
  name: 'monitor',
  summary: 'finds out what is wrong, and tells people; one is at work at a time',
  stage: 'beside',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await ground.adapters();
  },
  async start(ground) {
    const { config, log, clock, secrets, intervals } = ground;
    const client = ground.pools.claims();
    const adapters = await ground.adapters();
    return startMonitor({
      client,
      log,
      clock,
      tell: openAlertTargets({ config, client, log, secrets, adapters }),
      everyMs: intervals.monitorEveryMs,
    });
  },
} as const satisfies Role;
