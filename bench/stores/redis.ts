import { execFileSync, spawnSync } from 'node:child_process';
import { Redis } from 'ioredis';
import type { StoreName } from '../contender.ts';
import { cpuMicrosOfProcess } from '../process-cpu.ts';
import { freePort, startServerProcess, temporaryFolder } from './server-process.ts';
import type { Store } from './store.ts';

const SETTINGS = {
  // Same durability as PostgreSQL: the log is on disk before the client hears of it.
  // No rewrite, as PostgreSQL has no checkpoint in a round either.
  'redis-durable': { appendonly: 'yes', appendfsync: 'always', 'auto-aof-rewrite-percentage': '0', save: '' },
  // A crash loses everything: faster, and not the same promise.
  'redis-volatile': { appendonly: 'no', save: '' },
} as const;

/** Starts a private Redis of the wanted durability. */
export async function startRedis(name: Exclude<StoreName, 'postgres'>): Promise<Store> {
  installIfMissing();
  const folder = temporaryFolder('outrider-bench-redis-');
  const port = await freePort();
  const url = `redis://127.0.0.1:${port}`;
  const server = await startServerProcess(
    'redis-server',
    ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, ...Object.entries(SETTINGS[name]).flatMap(([key, value]) => [`--${key}`, value])],
    { folder, ready: () => command(url, (redis) => redis.ping()).then(() => undefined) },
  );
  const version = await command(url, (redis) => infoField(redis, 'server', 'redis_version'));

  return {
    name,
    description: { version: `Redis ${version}`, ...SETTINGS[name] },
    createDatabase: () => command(url, (redis) => redis.flushall('SYNC')).then(() => url),
    settle: () => Promise.resolve(),
    dropDatabase: () => command(url, (redis) => redis.flushall('SYNC')).then(() => undefined),
    cpuMicros: () => cpuMicrosOfProcess(server.pid),
    logBytes: async () => Number(await command(url, (redis) => infoField(redis, 'persistence', 'aof_current_size'))),
    stop: () => server.stop('SIGTERM'),
  };
}

function installIfMissing(): void {
  if (spawnSync('redis-server', ['--version']).status === 0) return;
  if (process.getuid?.() !== 0) throw new Error('redis-server is missing; install it, or leave BullMQ out with --only');
  process.stderr.write('installing the package redis-server\n');
  execFileSync('apt-get', ['install', '-y', '--no-install-recommends', 'redis-server'], { stdio: 'ignore' });
}

/** The value of one line of INFO; '0' where this instance does not report it. */
async function infoField(redis: Redis, section: string, field: string): Promise<string> {
  const line = (await redis.info(section)).split('\r\n').find((text) => text.startsWith(`${field}:`));
  return line?.slice(field.length + 1) ?? '0';
}

async function command<Reply>(url: string, run: (redis: Redis) => Promise<Reply>): Promise<Reply> {
  const redis = new Redis(url, { lazyConnect: true, retryStrategy: () => null });
  redis.on('error', () => undefined); // the rejected connect says it already
  try {
    await redis.connect();
    return await run(redis);
  } finally {
    redis.disconnect();
  }
}
