// A dispatcher with all that it has in a process of its own: a pool, adapters, and an ear for wakes.

import { listenForWakes } from '../../src/db/listen.ts';
import { openPool } from '../../src/db/pool.ts';
import { startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { startUpkeep } from '../../src/dispatch/upkeep.ts';
import { type Log, silentLog } from '../../src/log.ts';
import { fleetDeliver } from './fleet.ts';
import type { Platform } from './three-platforms.ts';

export interface RunningDispatcher {
  stop(): Promise<void>;
}

export interface DispatcherSetting {
  /** The database, as Outrider's own processes log in. */
  readonly url: string;
  /** Where the providers are. */
  readonly providers: Readonly<Record<Platform, string>>;
  readonly concurrency?: number;
  readonly drainMs?: number;
  /** Patience of the adapters with one call. */
  readonly timeoutMs?: number;
  readonly folder?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly log?: Log;
}

export function runDispatcher(setting: DispatcherSetting): RunningDispatcher {
  const { url, providers, concurrency = 100, drainMs = 10_000, log = silentLog } = setting;
  const client = openPool({ url, applicationName: 'outrider dispatch', max: 8 });
  const senders = fleetDeliver(client, providers, setting);
  const { deliver } = senders;
  // As many claimed ahead as are sent at once, as by default.
  const bounds = { concurrency, claimAhead: concurrency };
  const dispatcher = startDispatcher({ client, deliver, log, ...bounds, drainMs });
  const wake = (): void => void dispatcher.wake();
  const upkeep = startUpkeep({ client, log, onRecovered: wake });
  const listener = listenForWakes({ url, applicationName: 'outrider listen', onWake: wake });
  return {
    async stop() {
      await listener.stop();
      await upkeep.stop();
      await dispatcher.stop();
      await senders.close();
      await client.end();
    },
  };
}
