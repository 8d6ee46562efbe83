// Reads pull sources that are due. What reads them is loaded when it is needed: a process that only sends does without.

import type { PullContext } from '../pull/pull-source.ts';
import type { Ground } from './ground.ts';
import type { Role } from './role.ts';
import { wakeOver } from './waking.ts';

/** How long a source belongs to a puller that says nothing more. */
const lease = '1 minute';

export const pull = {
  name: 'pull',
  summary: 'reads pull sources that are due; each is read by one process at a time',
  stage: 'intake',
  worksAs: 'outrider_service',
  async prepare(ground) {
    await ground.transport();
  },
  async start(ground) {
    const { log, config, intervals, store } = ground;
    await store.prepare();
    const { startPuller } = await import('../pull/puller.ts');
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
  const { kinds } = await import('../pull/kinds.ts');
  const { readers } = await import('../pull/readers.ts');
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
