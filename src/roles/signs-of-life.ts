// The signs of life of a process: which roles it runs, whether they do their work, and whether it can keep media.

import os from 'node:os';
import type { Queryable } from '../db/pool.ts';
import { type Heartbeat, startHeartbeat } from '../monitor/heartbeat.ts';
import { createStoreFacts } from '../monitor/store-facts.ts';
import { ownVersion } from '../own-version.ts';
import type { Ground } from './ground.ts';

export function giveSignsOfLife(
  ground: Ground,
  client: Queryable,
  roles: readonly string[],
): Heartbeat {
  const { config, log, clock, store, intervals } = ground;
  // Only roles that take media in keep them.
  const keepsMedia = roles.some((each) => ['adapters', 'ingest', 'pull'].includes(each));
  const storeFacts = createStoreFacts({
    clock,
    dataDir: config.dataDir,
    prepare: () => store.prepare(),
  });
  return startHeartbeat({
    client,
    log,
    clock,
    host: os.hostname(),
    version: ownVersion(),
    roles,
    isReady: () => ground.running.every((each) => each.health().ok),
    async facts() {
      const own = ground.running.flatMap((each) => Object.entries(each.facts?.() ?? {}));
      return { ...(keepsMedia ? await storeFacts() : {}), ...Object.fromEntries(own) };
    },
    everyMs: intervals.beatEveryMs,
  });
}
