// Marks and leases in Redis, one key for each event and consumer: `pf:evt:processed:<consumer>:<event_id>`.
//
// Its value is `lease:<owner>` while the event is being processed. Every other value is a mark, from any program. So a
// program in another language can write marks with `SET key value NX EX ttl`, and can read ours.

import type { Redis } from 'ioredis';
import { z } from 'zod';
import { OutriderError, StillInFlightError } from '../../errors.ts';
import { loadOptional } from '../../optional-package.ts';
import { checked, type EventKey, type IdempotencyStore, type Lease } from './store.ts';

export interface RedisStoreOptions {
  /** redis:// or rediss://, with a password and a database number where needed. Never shown. */
  readonly url: string;
  /** The most milliseconds for a connection, and again for an answer: a call takes twice this at most. */
  readonly timeoutMs?: number | undefined;
}

const claimScript = `
local held = redis.call('get', KEYS[1])
if not held or held == ARGV[1] then
  redis.call('set', KEYS[1], ARGV[1], 'PX', ARGV[2])
  return 'claimed'
end
return string.sub(held, 1, 6) == 'lease:' and 'busy' or 'processed'`;

const extendScript = `
return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('pexpire', KEYS[1], ARGV[2]) or 0`;

// Confirms our lease, our own mark (the answer to the first try was lost), or an event that nobody has.
const confirmScript = `
local held = redis.call('get', KEYS[1])
if held and held ~= ARGV[1] and held ~= ARGV[2] then return 0 end
redis.call('set', KEYS[1], ARGV[2], 'EX', ARGV[3])
return 1`;

const releaseScript = `
return redis.call('get', KEYS[1]) == ARGV[1] and redis.call('del', KEYS[1]) or 0`;

const Claimed = z.enum(['claimed', 'processed', 'busy']);
const Done = z.union([z.literal(0), z.literal(1)]).transform((answer) => answer === 1);

/** Connects in the background: a server that is away fails the calls, not the start. */
export async function openRedisStore(options: RedisStoreOptions): Promise<IdempotencyStore> {
  const timeoutMs = options.timeoutMs ?? 2000;
  const { Redis } = await loadOptional('Redis', ['ioredis'], () => import('ioredis'));
  const redis = new Redis(requireAddress(options.url), {
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    socketTimeout: timeoutMs, // gives up a silent connection, not only the call
    retryStrategy: (attempt) => Math.min(1000, 50 * 2 ** Math.min(attempt, 10)),
    // A command is sent only once: repeated after a lost answer, `SET NX` would meet its own mark.
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
    // After a failover the old address may lead to a replica: look for the primary again.
    reconnectOnError: (error) => error.message.startsWith('READONLY'),
    disableClientInfo: true,
  });
  redis.setMaxListeners(0); // each call that waits for the connection adds one
  let lastFault: Error | undefined;
  redis.on('error', (error: Error) => {
    lastFault = error;
  });
  redis.on('ready', () => {
    lastFault = undefined;
  });

  async function ask<Answer extends z.ZodType>(
    answer: Answer,
    work: () => Promise<unknown>,
  ): Promise<z.output<Answer>> {
    await ready(redis, timeoutMs, () => lastFault);
    const said = await work().catch((error: unknown) => {
      throw asOurs(error);
    });
    const parsed = answer.safeParse(said);
    if (parsed.success) return parsed.data;
    throw new OutriderError('store_away', 'Redis gave an answer of another shape');
  }

  const run =
    (script: string, key: string, ...args: (string | number)[]) =>
    (): Promise<unknown> =>
      redis.eval(script, 1, key, ...args);

  return checked({
    name: 'redis',
    async checkAndMarkProcessed(consumer, eventId, ttlMs = 0) {
      const key = keyOf({ consumer, eventId });
      const mark = () => redis.set(key, 'processed', 'EX', seconds(ttlMs), 'NX');
      if ((await ask(z.literal('OK').nullable(), mark)) === 'OK') return false;
      const value = await ask(z.string().nullable(), () => redis.get(key));
      // null: a lease ended between the two commands.
      if (value === null || value.startsWith('lease:')) throw inFlight({ consumer, eventId });
      return true;
    },
    claim: (lease, leaseMs) => ask(Claimed, run(claimScript, keyOf(lease), held(lease), leaseMs)),
    extend: (lease, leaseMs) => ask(Done, run(extendScript, keyOf(lease), held(lease), leaseMs)),
    confirm: (lease, ttlMs) =>
      ask(
        Done,
        run(confirmScript, keyOf(lease), held(lease), `processed:${lease.owner}`, seconds(ttlMs)),
      ),
    release: (lease) => ask(Done, run(releaseScript, keyOf(lease), held(lease))),
    async close() {
      redis.disconnect();
    },
  });
}

function keyOf({ consumer, eventId }: EventKey): string {
  return `pf:evt:processed:${consumer}:${eventId}`;
}

function held(lease: Lease): string {
  return `lease:${lease.owner}`;
}

function seconds(ms: number): number {
  return Math.ceil(ms / 1000);
}

function inFlight({ consumer, eventId }: EventKey): StillInFlightError {
  return new StillInFlightError(
    `event ${eventId} is being processed by another process of consumer ${consumer}`,
    { hint: 'do not acknowledge the event; let the broker deliver it again later' },
  );
}

function requireAddress(url: string): string {
  if (/^rediss?:\/\//.test(url) && URL.canParse(url)) return url;
  throw new OutriderError('configuration', 'the address of Redis is not a redis:// address', {
    hint: 'redis://user:password@host:6379/0',
  });
}

// Commands do not queue for a connection. A caller waits for the connection as long as it would for an answer.
async function ready(
  redis: Redis,
  timeoutMs: number,
  lastFault: () => Error | undefined,
): Promise<void> {
  if (redis.status === 'ready') return;
  if (redis.status === 'end') throw asOurs(new Error('Connection is closed.'));
  await new Promise<void>((resolve, reject) => {
    const arrive = (): void => {
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(() => {
      redis.off('ready', arrive);
      reject(asOurs(lastFault() ?? new Error('no connection in time')));
    }, timeoutMs);
    redis.once('ready', arrive);
  });
}

const later = 'do not acknowledge the event; it is processed when the store is back';
const rights = new Set(['NOAUTH', 'WRONGPASS', 'NOPERM']);

// Passes on only the first word of what Redis says, and only the code of a system error: the rest may hold addresses.
function asOurs(error: unknown): OutriderError {
  const message = error instanceof Error ? error.message : '';
  const reply = error instanceof Error && error.name === 'ReplyError';
  const word = reply ? /^[A-Z]+/.exec(message)?.[0] : undefined;
  if (word !== undefined && rights.has(word)) {
    return new OutriderError('configuration', `Redis refuses us (${word})`, {
      hint: 'correct the user and the password in the address of Redis, or give that user its rights',
    });
  }
  if (reply) {
    const said = `Redis does not do what it is asked now (${word ?? 'ERR'})`;
    return new OutriderError('store_away', said, { hint: later });
  }
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const silent = message === 'Command timed out' ? 'no answer in time' : 'no connection';
  const what = /^E[A-Z0-9_]+$/.test(code) ? code : silent;
  return new OutriderError(
    'store_away',
    `the idempotency store in Redis cannot be reached (${what})`,
    { hint: later },
  );
}
