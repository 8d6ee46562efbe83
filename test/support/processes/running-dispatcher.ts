// A dispatcher with everything that it has in production: connections, adapters, and a listener for wakes.

import { createTransport } from '../../../src/http/transport.ts';
import { type Log, silentLog } from '../../../src/log.ts';
import { openOutrider } from '../../../src/outrider.ts';
import { sandboxAdapters, sandboxSecrets } from '../sandbox/sandbox-channels.ts';
import type { Platform } from '../sandbox/three-platforms.ts';

export interface RunningDispatcher {
  stop(): Promise<void>;
}

export interface DispatcherSetting {
  /** The address by which Outrider's own processes log in. */
  readonly url: string;
  /** The base URLs of the platforms. */
  readonly providers: Readonly<Record<Platform, string>>;
  readonly concurrency?: number;
  readonly drainMs?: number;
  /** How long an adapter waits for the answer to one call. */
  readonly timeoutMs?: number;
  readonly folder?: string;
  readonly secrets?: Readonly<Record<string, string>>;
  readonly log?: Log;
}

export async function runDispatcher(setting: DispatcherSetting): Promise<RunningDispatcher> {
  const { url, providers, timeoutMs, concurrency = 100, drainMs = 10_000 } = setting;
  const { folder: mediaDir = '/nonexistent', secrets = {}, log = silentLog } = setting;
  const transport = createTransport();
  const outrider = await openOutrider(
    {
      // As by default: as many are claimed ahead as are sent at once.
      concurrency,
      claimAhead: concurrency,
      drainMs,
      mediaDir,
      secrets: { ...sandboxSecrets, ...secrets },
    },
    {
      database: { serviceUrl: url },
      adapters: sandboxAdapters(transport, providers, { timeoutMs }),
      log,
    },
  );
  await outrider.start(['dispatch', 'upkeep']);
  return {
    async stop() {
      await outrider.stop();
      await transport.close();
    },
  };
}
