// Which broker, by the scheme of its address:
//
//   log:                                          each event is a line of the log
//   nats://user:password@host:4222/<prefix>       subjects <prefix>.<event_type>; tls:// for TLS
//       ?stream=<name>&create=true                several hosts with commas between
//   amqp://user:password@host/<vhost>/<exchange>  RabbitMQ; without a vhost: /; amqps:// for TLS
//       ?create=true
//   redis://user:password@host/<db>/<stream>      without a db: 0; rediss:// for TLS
//       ?max_length=<entries>
//   pubsub://<project>/<topic>                    credentials as Google's clients find them
//       ?endpoint=<host:port>&create=true
//   kafka://user:password@host:9092/<topic>       several hosts with commas between; kafkas:// for TLS
//       ?sasl=SCRAM-SHA-512&create=true
//   https://…                                     webhook
//
// A name that is left out is `pf-domain-events`. A broker's client is loaded when the broker is opened.

import { OutriderError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import type { ReadSecret } from '../../secrets.ts';
import type { Broker } from '../broker.ts';
import {
  type BrokerAddress,
  defaultName,
  onlyHost,
  parseAddress,
  placeOf,
  readFlag,
  readParameters,
} from './address.ts';
import { createKafkaBroker, saslMechanisms } from './kafka.ts';
import { createLogBroker } from './log.ts';
import { createNatsBroker } from './nats.ts';
import { createPubSubBroker } from './pubsub.ts';
import { createRabbitBroker } from './rabbitmq.ts';
import { createRedisBroker } from './redis.ts';
import { createWebhookBroker } from './webhook.ts';

export interface BrokerOptions {
  /** What the broker `log:` writes to. */
  readonly log: Log;
  /** The longest that a publish or a check takes. */
  readonly timeoutMs?: number | undefined;
  /** The secret that webhooks are signed with, read for each batch. */
  readonly readSigningSecret?: (() => Promise<ReadSecret>) | undefined;
}

interface Timed extends BrokerOptions {
  readonly timeoutMs: number;
}

/**
 * Opens no connection: a broker that is away is `unavailable`. Throws when the address is wrong or its client is
 * missing.
 */
export async function openBroker(address: string, options: BrokerOptions): Promise<Broker> {
  const { timeoutMs = 10_000 } = options;
  const scheme = /^[a-z][a-z0-9+.-]*(?=:)/i.exec(address)?.[0].toLowerCase();
  if (scheme === 'log') return createLogBroker(options.log);
  if (scheme === 'http' || scheme === 'https')
    return openWebhook(address, { ...options, timeoutMs });
  const open = scheme === undefined ? undefined : openers[scheme];
  if (open === undefined) {
    throw new OutriderError('configuration', 'no broker has an address of that kind', {
      hint: `OUTRIDER_OUTBOX_BROKER begins with one of log:, ${Object.keys(openers).join('://, ')}://, http://, https://`,
    });
  }
  const parsed = parseAddress(address);
  const broker = await open(parsed, timeoutMs);
  const usualPort = usualPorts[parsed.scheme];
  return usualPort === undefined ? broker : { ...broker, place: placeOf(parsed, usualPort) };
}

type Opener = (address: BrokerAddress, timeoutMs: number) => Promise<Broker>;

const openers: Readonly<Record<string, Opener>> = {
  nats: openNats,
  tls: openNats,
  amqp: openRabbit,
  amqps: openRabbit,
  redis: openRedis,
  rediss: openRedis,
  pubsub: openPubSub,
  kafka: openKafka,
  kafkas: openKafka,
};

/** Pub/Sub has no port: its address names a project. */
const usualPorts: Readonly<Record<string, number>> = {
  nats: 4222,
  tls: 4222,
  amqp: 5672,
  amqps: 5671,
  redis: 6379,
  rediss: 6379,
  kafka: 9092,
  kafkas: 9092,
};

async function openNats(address: BrokerAddress, timeoutMs: number): Promise<Broker> {
  const { scheme, hosts: servers, username, password } = address;
  const { stream, create } = readParameters(address, 'stream', 'create');
  const [prefix] = names(address, 1);
  if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(prefix)) {
    throw new OutriderError('configuration', 'the prefix in the address is not a NATS subject');
  }
  return createNatsBroker({
    servers,
    isSecure: scheme === 'tls',
    username,
    password,
    prefix,
    stream,
    create: readFlag('create', create),
    timeoutMs,
  });
}

async function openRabbit(address: BrokerAddress, timeoutMs: number): Promise<Broker> {
  const { scheme, username, password } = address;
  const { create } = readParameters(address, 'create');
  const [exchange, vhost = '/'] = names(address, 2);
  return createRabbitBroker({
    server: onlyHost(address),
    isSecure: scheme === 'amqps',
    username,
    password,
    vhost,
    exchange,
    create: readFlag('create', create),
    timeoutMs,
  });
}

async function openRedis(address: BrokerAddress, timeoutMs: number): Promise<Broker> {
  const { scheme, username, password, path } = address;
  const { max_length: maxLength } = readParameters(address, 'max_length');
  // A number alone is the database, as Redis addresses have it.
  const isDbAlone = path.length === 1 && /^\d+$/.test(path[0] ?? '');
  const [stream, db = '0'] = isDbAlone ? [defaultName, path[0]] : names(address, 2);
  return createRedisBroker({
    server: onlyHost(address),
    isSecure: scheme === 'rediss',
    username,
    password,
    db: readNumber('the database in the address', db),
    stream,
    maxLength:
      maxLength === undefined ? undefined : readNumber('the parameter "max_length"', maxLength),
    timeoutMs,
  });
}

async function openPubSub(address: BrokerAddress, timeoutMs: number): Promise<Broker> {
  const { endpoint, create } = readParameters(address, 'endpoint', 'create');
  const { host: projectId } = onlyHost(address);
  const [topic] = names(address, 1);
  return createPubSubBroker({
    projectId,
    topic,
    endpoint,
    create: readFlag('create', create),
    timeoutMs,
  });
}

async function openKafka(address: BrokerAddress, timeoutMs: number): Promise<Broker> {
  const { scheme, hosts: servers, username, password } = address;
  const { sasl = 'PLAIN', create } = readParameters(address, 'sasl', 'create');
  const mechanism = saslMechanisms.find((each) => each === sasl.toUpperCase());
  if (mechanism === undefined) {
    throw new OutriderError(
      'configuration',
      `the parameter "sasl" must be one of ${saslMechanisms.join(', ')}`,
    );
  }
  const [topic] = names(address, 1);
  return createKafkaBroker({
    servers,
    isSecure: scheme === 'kafkas',
    username,
    password,
    sasl: mechanism,
    topic,
    create: readFlag('create', create),
    timeoutMs,
  });
}

function openWebhook(address: string, { readSigningSecret, timeoutMs }: Timed): Broker {
  const url = URL.parse(address);
  if (url === null) {
    throw new OutriderError('configuration', 'the address of the webhook cannot be read as a URL', {
      hint: 'OUTRIDER_OUTBOX_BROKER has the form https://host/path, with special characters percent-encoded',
    });
  }
  if (readSigningSecret === undefined) {
    throw new OutriderError('configuration', 'webhooks need a secret to be signed with', {
      hint: 'set OUTRIDER_OUTBOX_WEBHOOK_SECRET_REF to where it is: env:NAME or file:PATH',
    });
  }
  const broker = createWebhookBroker({ url, readSecret: readSigningSecret, timeoutMs });
  const usualPort = url.protocol === 'https:' ? 443 : 80;
  return { ...broker, place: `${url.hostname}:${url.port || usualPort}` };
}

/** The names of a path, the last one first; throws when there are more than `most`. */
function names({ scheme, path }: BrokerAddress, most: number): [string, ...string[]] {
  if (path.length > most) {
    throw new OutriderError(
      'configuration',
      `the path of a ${scheme}: address has no more than ${most} ${most === 1 ? 'part' : 'parts'}`,
    );
  }
  const [last = defaultName, ...before] = path.toReversed();
  return [last, ...before];
}

function readNumber(what: string, text: string): number {
  const number = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(number)) return number;
  throw new OutriderError('configuration', `${what} must be a whole number`);
}
