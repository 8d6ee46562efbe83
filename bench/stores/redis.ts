import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { Redis } from 'ioredis';
import type { StoreName } from '../contender.ts';
import { cpuMicrosOfProcess } from '../process-cpu.ts';
import type { Store } from './store.ts';

const settings = {
  // Same durability as PostgreSQL: the log is on disk before the client hears of it. No rewrite of
  // the log, as PostgreSQL has no checkpoint in a round either.
  'redis-durable': {
    appendonly: 'yes',
    appendfsync: 'always',
    'auto-aof-rewrite-percentage': '0',
    save: '',
  },
  // A crash loses everything: faster, and not the same promise.
  'redis-volatile': { appendonly: 'no', save: '' },
} as const;

/** Starts a private Redis of the wanted durability. */
export async function startRedis(name: Exclude<StoreName, 'postgres'>): Promise<Store> {
  installIfMissing();
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
  // Tried until it listens; a server that never does ends the run after the last try.
  const redis = new Redis(port, '127.0.0.1', {
    retryStrategy: (attempt) => (attempt < 100 ? 50 : null),
    maxRetriesPerRequest: 100,
  });
  redis.on('error', () => undefined); // the rejected command says it
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

function installIfMissing(): void {
  if (spawnSync('redis-server', ['--version']).status === 0) return;
  if (process.getuid?.() !== 0) {
    throw new Error('redis-server is missing: install it, or leave BullMQ out with --only');
  }
  process.stderr.write('installing the package redis-server\n');
  const args = ['install', '-y', '--no-install-recommends', 'redis-server'];
  execFileSync('apt-get', args, { stdio: 'ignore' });
}

/** One line of INFO; '0' where this instance does not have it. */
async function infoField(redis: Redis, section: string, field: string): Promise<string> {
  const lines = (await redis.info(section)).split('\r\n');
  return lines.find((line) => line.startsWith(`${field}:`))?.slice(field.length + 1) ?? '0';
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const address = probe.address();
  probe.close();
  await once(probe, 'close');
  if (address === null || typeof address === 'string') throw new Error('no free port');
  return address.port;
}
