// A Redis server for one test file, on a free port.

import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { freePort } from '../http/free-port.ts';
import { accepts, type Daemon, startDaemon } from './daemon.ts';

export interface RedisServer {
  readonly url: string;
  /** Stops the server; `start` brings it back at the same port and in the same folder. */
  stop(): Promise<void>;
  start(): Promise<void>;
  /** Stops it for good and removes its data. */
  close(): Promise<void>;
}

export interface RedisServerOptions {
  /** Writes to disk before it answers; otherwise a stop loses everything. */
  readonly durable?: boolean;
  readonly password?: string;
}

export async function startRedisServer(options: RedisServerOptions = {}): Promise<RedisServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-redis-'));
  const port = await freePort();
  const flags = Object.entries({
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    save: '',
    ...(options.durable === true ? { appendonly: 'yes', appendfsync: 'always' } : {}),
    ...(options.password === undefined ? {} : { requirepass: options.password }),
  }).flatMap(([flag, value]) => [`--${flag}`, value]);
  let daemon: Daemon | undefined;
  const start = async (): Promise<void> => {
    daemon = await startDaemon('redis-server', flags, { isUp: () => accepts(port) });
  };
  const stop = async (): Promise<void> => daemon?.stop();
  await start();
  const secret = options.password === undefined ? '' : `:${options.password}@`;
  return {
    url: `redis://${secret}127.0.0.1:${port}`,
    start,
    stop,
    async close() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
