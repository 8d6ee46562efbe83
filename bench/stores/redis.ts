import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { RedisName } from '../contender.ts';
import { cpuMicrosOfProcess } from '../process-cpu.ts';
import { freePort } from './free-port.ts';
import { installIfMissing } from './install.ts';
import type { Store } from './store.ts';

const settings = {
  // The same durability as PostgreSQL: the log is on disk before the client gets its answer. The log is not rewritten,
  // just as PostgreSQL has no checkpoint in a round.
  'redis-durable': {
    appendonly: 'yes',
    appendfsync: 'always',
    'auto-aof-rewrite-percentage': '0',
    save: '',
  },
  // A crash loses everything. That is faster, but not the same promise.
  'redis-volatile': { appendonly: 'no', save: '' },
} as const;

/** Starts a private Redis of the wanted durability. */
export async function startRedis(name: RedisName): Promise<Store> {
  installIfMissing('redis-server', 'redis-server');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-bench-'));
  const port = await freePort();
  const flags = Object.entries({
    bind: '127.0.0.1',
    port: `${port}`,
    dir: folder,
    ...settings[name],
  });
  const server = spawn(
    'redis-server',
    flags.flatMap(([flag, value]) => [`--${flag}`, value]),
    { stdio: 'ignore' },
  );
  // Tries until the server listens. If it never does, the run ends after the last try.
  const redis = new Redis(port, '127.0.0.1', {
    retryStrategy: (attempt) => (attempt < 100 ? 50 : null),
    maxRetriesPerRequest: 100,
  });
  redis.on('error', () => undefined); // the rejected command reports it
  const version = await infoField(redis, 'server', 'redis_version');
  const empty = async (): Promise<void> => void (await redis.flushall('SYNC'));

  return {
    name,
    description: { version: `Redis ${version}`, ...settings[name] },
    async createDatabase() {
      await empty();
      return `redis://127.0.0.1:${port}`;
    },
    settle: async () => undefined,
    dropDatabase: empty,
    cpuMicros: () => cpuMicrosOfProcess(server.pid ?? 0),
    logBytes: async () => Number(await infoField(redis, 'persistence', 'aof_current_size')),
    async stop() {
      redis.disconnect();
      const ended = once(server, 'exit');
      if (server.kill('SIGTERM')) await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** One line of INFO; '0' where this instance does not have it. */
async function infoField(redis: Redis, section: string, field: string): Promise<string> {
  const lines = (await redis.info(section)).split('\r\n');
  return lines.find((line) => line.startsWith(`${field}:`))?.slice(field.length + 1) ?? '0';
}
