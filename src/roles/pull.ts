// Reads pull sources that are due.

import { kinds } from '../pull/kinds.ts';
import type { PullContext } from '../pull/pull-source.ts';
import { startPuller } from '../pull/puller.ts';
import { readers } from '../pull/readers.ts';
import type { Ground } from './ground.ts';
import type { Role } from './role.ts';
import { wakeOver } from './waking.ts';

/** How long a source belongs to a puller that says nothing more. */
const lease = '1 minute';

export const pull = {
  name: 'pull',
  summary: 'reads pull sources that are due; each has one reader at a time',
  stage: 'intake',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await ground.transport();
  },
  async start(ground) {
    const { log, config, intervals, store } = ground;
    await store.prepare();
    return startPuller({
      ...(await pullContext(ground)),
      log,
      drainMs: config.drainMs,
      everyMs: intervals.pullEveryMs,
    });
  },
} as const satisfies Role;

/** What a pull needs of a process. */
export async function pullContext(ground: Ground): Promise<PullContext> {
  const { config, clock, secrets } = ground;
  const client = ground.pools.intake();
  return {
    client,
    clock,
    kinds,
    readers,
    means: {
      secrets,
      privateHosts: config.media.privateHosts,
      apiUrls: config.apiUrls,
      transport: await ground.transport(),
    },
    fetcher: ground.fetcher(),
    lease,
    wake: wakeOver(client, ground),
    observer: ground.observing.observer,
  };
}
