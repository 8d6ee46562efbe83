// The status page on a server of its own, as of a time that the test sets.

import type { Queryable } from '../../../src/db/pool.ts';
import { type HttpServer, startServer } from '../../../src/http/server.ts';
import { createLog } from '../../../src/log.ts';
import { createSecrets } from '../../../src/secrets.ts';
import { type StatusOptions, statusArea } from '../../../src/status/area.ts';
import { createManualClock, type ManualClock } from '../time/manual-clock.ts';

export const statusToken = 'canary-token-of-the-status-page';

export interface StatusServer extends AsyncDisposable {
  readonly url: string;
  /** Moves the readings of browsers that are kept up to date. */
  readonly clock: ManualClock;
  /** Everything that was logged, as lines of JSON. */
  readonly lines: readonly string[];
  stop(): Promise<void>;
}

export interface StatusServerOptions
  extends Partial<Omit<StatusOptions, 'client' | 'clock' | 'log' | 'secrets'>> {
  readonly client: Queryable;
  /** Any when missing. */
  readonly port?: number | undefined;
  readonly secrets?: Readonly<Record<string, string>> | undefined;
}

/** Open to this machine, unless the options say otherwise. */
export async function openStatusServer({
  port = 0,
  ...options
}: StatusServerOptions): Promise<StatusServer> {
  const lines: string[] = [];
  const log = createLog({ level: 'debug', pretty: false, write: (line) => lines.push(line) });
  const clock = createManualClock();
  const server: HttpServer = await startServer({
    host: '127.0.0.1',
    port,
    allowedHosts: [],
    connections: 200,
    log,
    areas: [
      statusArea({
        tokenRef: undefined,
        proxies: [],
        userHeader: 'x-forwarded-user',
        isOpen: true,
        workspaces: [],
        workspaceId: undefined,
        maxAttempts: 10,
        ...options,
        clock,
        log,
        secrets: createSecrets(options.secrets ?? { STATUS_TOKEN: statusToken }),
      }),
    ],
  });
  return {
    url: server.url,
    clock,
    lines,
    stop: () => server.stop(),
    [Symbol.asyncDispose]: () => server.stop(),
  };
}
