import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import { freePort } from '../http/free-port.ts';
import type { BrokerServer, Received } from './broker-server.ts';
import { accepts, type Daemon, startDaemon } from './daemon.ts';

export interface RedisServer extends BrokerServer {
  /** A client of the server. The test must end it. */
  connect(): Redis;
}

export const redisPassword = 'c4nary-of-redis';
export const redisStream = 'pf-events';
/** The smallest limit that Redis accepts. */
export const redisMaxBytes = 1024 * 1024;

/** A Redis that keeps its data on disk, with database 3 for the stream. */
export async function startRedis(): Promise<RedisServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-redis-'));
  const port = await freePort();
  const flags = {
    bind: '127.0.0.1',
    port: String(port),
    dir: folder,
    requirepass: redisPassword,
    appendonly: 'yes',
    save: '',
    'proto-max-bulk-len': String(redisMaxBytes),
  };
  const args = Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value]);
  let daemon: Daemon | undefined;
  const start = async (): Promise<void> => {
    daemon = await startDaemon('redis-server', args, { isUp: () => accepts(port) });
  };
  const open = (): Redis => new Redis({ port, host: '127.0.0.1', db: 3, password: redisPassword });
  await start();

  return {
    port,
    address: (at = port) => `redis://:${redisPassword}@127.0.0.1:${at}/3/${redisStream}`,
    connect: open,
    async received() {
      const reader = open();
      try {
        const entries = await reader.xrange(redisStream, '-', '+');
        return entries.map(([, fields]) => receivedOf(fields));
      } finally {
        reader.disconnect();
      }
    },
    start,
    stop: async () => daemon?.stop(),
    async close() {
      await daemon?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function receivedOf(fields: readonly string[]): Received {
  const pairs = Array.from({ length: fields.length / 2 }, (_none, pair) => [
    fields[2 * pair],
    fields[2 * pair + 1],
  ]);
  const { payload: body = '', ...attributes }: Record<string, string> = Object.fromEntries(pairs);
  return { body, attributes };
}
