// Redis Streams: one stream, an entry for each event. An event is confirmed when the server has added it; its settings
// (appendonly, appendfsync) say what a crash of the server loses. Redis does not know repeats: an event that is
// published twice is in the stream twice.

import type * as ioredis from 'ioredis';
import type { Redis } from 'ioredis';
import { loadOptional } from '../../optional-package.ts';
import {
  attributesOf,
  type Broker,
  type BrokerFault,
  type OutboxEvent,
  type Published,
} from '../broker.ts';
import type { BrokerHost, BrokerLogin } from './address.ts';
import { createConnectedBroker } from './connected-broker.ts';
import { connectionFault, FaultError, tooLarge, unavailable } from './faults.ts';
import { publishSequences } from './sequences.ts';

export interface RedisOptions extends BrokerLogin {
  readonly server: BrokerHost;
  readonly db: number;
  readonly stream: string;
  /** About how many entries the stream keeps; undefined: all. */
  readonly maxLength?: number | undefined;
}

interface RedisLink {
  readonly redis: Redis;
  readonly maxBytes: number;
}

type Client = Pick<typeof ioredis, 'Redis'>;

/** The most events that wait for their answer at once. */
const inFlight = 256;
/** The server's limit unless its settings say otherwise. */
const defaultMaxBytes = 512 * 1024 * 1024;

export async function createRedisBroker(options: RedisOptions): Promise<Broker> {
  const client = await loadOptional('Redis', ['ioredis'], () => import('ioredis'));
  return createConnectedBroker<RedisLink>(
    {
      name: 'redis',
      open: (signal) => open(client, options, signal),
      isOpen: ({ redis }) => redis.status === 'ready',
      check: (link) => requireStream(link, options.stream),
      publish: (link, events, deadline) =>
        publishSequences(events, deadline, inFlight, (event) =>
          publishOne(link, options, event).catch((error: unknown) => ({
            ok: false,
            fault: redisFault(error),
          })),
        ),
      discard: ({ redis }) => disconnect(redis),
      close: async ({ redis }) => disconnect(redis),
      faultOf: redisFault,
    },
    options.timeoutMs,
  );
}

async function open(
  client: Client,
  options: RedisOptions,
  signal: AbortSignal,
): Promise<RedisLink> {
  signal.throwIfAborted();
  const { server, isSecure, username, password, db, timeoutMs } = options;
  const redis = new client.Redis({
    host: server.host,
    port: server.port ?? 6379,
    ...(username === undefined ? {} : { username }),
    ...(password === undefined ? {} : { password }),
    ...(isSecure ? { tls: {} } : {}),
    db,
    connectionName: 'outrider',
    lazyConnect: true,
    connectTimeout: timeoutMs,
    commandTimeout: timeoutMs,
    // Nothing is kept for later, nothing is sent again.
    retryStrategy: () => null,
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    autoResendUnfulfilledCommands: false,
  });
  // The event tells more than the error of the failed call.
  let reason: unknown;
  redis.on('error', (error) => {
    reason ??= error;
  });
  const giveUp = () => disconnect(redis);
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await redis.connect();
    return { redis, maxBytes: await largestString(redis) };
  } catch (error) {
    disconnect(redis);
    throw reason ?? error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

// The client waits 2 s for a connection to end, even when it has ended, and keeps the process alive meanwhile.
function disconnect(redis: Redis): void {
  if (redis.status !== 'end') redis.disconnect();
}

// The server ends the connection over a longer string. A user who may not ask for the limit gets the default.
async function largestString(redis: Redis): Promise<number> {
  const answer: unknown = await redis.config('GET', 'proto-max-bulk-len').catch(() => undefined);
  const limit = Array.isArray(answer) ? Number(answer[1]) : Number.NaN;
  return Number.isSafeInteger(limit) && limit > 0 ? limit : defaultMaxBytes;
}

async function publishOne(
  { redis, maxBytes }: RedisLink,
  { stream, maxLength }: RedisOptions,
  event: OutboxEvent,
): Promise<Published> {
  const body = Buffer.from(event.payload);
  if (body.length > maxBytes) return { ok: false, fault: tooLarge(body.length, maxBytes) };
  const fields = [...Object.entries(attributesOf(event)).flat(), 'payload', body];
  const id =
    maxLength === undefined
      ? await redis.xadd(stream, '*', ...fields)
      : await redis.xadd(stream, 'MAXLEN', '~', maxLength, '*', ...fields);
  return { ok: true, brokerId: id ?? undefined };
}

async function requireStream({ redis }: RedisLink, stream: string): Promise<void> {
  const type = await redis.type(stream);
  if (type !== 'stream' && type !== 'none') throw new FaultError(wrongType);
}

const wrongType = unavailable('wrong_type', 'the key of that name in Redis is not a stream');

const answers: Readonly<Record<string, BrokerFault>> = {
  WRONGTYPE: wrongType,
  OOM: unavailable('out_of_memory', 'Redis has no memory left for the event (OOM)'),
  READONLY: unavailable('read_only', 'this Redis is a replica and takes no events (READONLY)'),
  LOADING: unavailable('loading', 'Redis is still loading its data (LOADING)'),
  MISCONF: unavailable('not_stored', 'Redis cannot write to its disk (MISCONF)'),
  NOREPLICAS: unavailable('not_stored', 'Redis has not enough replicas (NOREPLICAS)'),
  NOAUTH: unavailable('not_allowed', 'Redis wants a password (NOAUTH)'),
  WRONGPASS: unavailable(
    'not_allowed',
    'Redis does not take the user name and password (WRONGPASS)',
  ),
  NOPERM: unavailable('not_allowed', 'Redis does not allow the user this command or key (NOPERM)'),
  MOVED: unavailable('cluster', 'this Redis is part of a cluster, which is not supported (MOVED)'),
};

// Only the first word of the server is used: an error may quote the arguments, and with them the password.
function redisFault(error: unknown): BrokerFault {
  if (!(error instanceof Error)) return connectionFault(error);
  if (error.message === 'Command timed out') {
    return unavailable('timeout', 'Redis did not answer in time; what was sent may have arrived');
  }
  if (error.name !== 'ReplyError') return connectionFault(error);
  const word = /^[A-Z]+/.exec(error.message)?.[0] ?? 'ERR';
  return answers[word] ?? unavailable('not_stored', `Redis did not store the event (${word})`);
}
