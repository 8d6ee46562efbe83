// What has to be done now and then so that dispatching goes on: deliveries of senders that died are given
// back, and the days ahead get their partitions of the event log.

import { setTimeout as delay } from 'node:timers/promises';
import { ensureEventPartitions } from '../db/events.ts';
import type { Queryable } from '../db/pool.ts';
import { recoverLeases, staleWorkspaces } from '../db/recovery.ts';
import type { Log } from '../log.ts';
import { healthy, type Service } from '../service.ts';

export interface UpkeepOptions {
  readonly client: Queryable;
  readonly log: Log;
  /** Told when deliveries were given back. */
  readonly onRecovered: () => void;
  readonly recoverEveryMs?: number | undefined;
}

/** After an outage those who hold outcomes come first: what they commit needs no recovery. */
const courtesyMs = 3000;
const daysOfEventsAhead = 7;
const hourMs = 3_600_000;

export function startUpkeep(options: UpkeepOptions): Service {
  const { client, log, onRecovered, recoverEveryMs = 2000 } = options;
  const stopping = new AbortController();
  let failures = 0;
  let recoverFrom = 0;
  let partitionsUntil = 0;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      try {
        await recover();
        await extendEvents();
        failures = 0;
      } catch (error) {
        failures += 1;
        if (failures === 1) log.warn('upkeep failed', { error: String(error) });
      }
      // Not all processes at the same instant.
      const wait = recoverEveryMs * (0.75 + Math.random() / 2);
      await delay(wait, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  }

  async function recover(): Promise<void> {
    const stale = await staleWorkspaces(client);
    if (failures > 0) recoverFrom = Date.now() + courtesyMs;
    if (Date.now() < recoverFrom) return;
    for (const workspaceId of stale) {
      const recovered = await recoverLeases(client, workspaceId);
      if (recovered.length === 0) continue;
      const counts = Map.groupBy(recovered, (each) => each.became);
      const became = [...counts].map(([state, each]) => [state, each.length] as const);
      const facts = { workspace_id: workspaceId, ...Object.fromEntries(became) };
      log.warn('gave back what a sender had left', facts);
      onRecovered();
    }
  }

  async function extendEvents(): Promise<void> {
    if (Date.now() < partitionsUntil) return;
    await ensureEventPartitions(client, daysOfEventsAhead);
    partitionsUntil = Date.now() + hourMs;
  }

  const running = run();
  return {
    name: 'upkeep',
    health: () => (failures < 3 ? healthy : { ok: false, reason: 'cannot recover stale leases' }),
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
