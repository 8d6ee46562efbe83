// RabbitMQ: a durable topic exchange, with the event's type as routing key. An event is confirmed when every queue that
// it was routed to has it. An event that no queue takes is refused: the exchange would lose it without a word.

import type * as amqplib from 'amqplib';
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
import { connectionFault, FaultError, refused, tooLarge, unavailable } from './faults.ts';
import { type RabbitLimit, RabbitLink } from './rabbitmq-link.ts';
import { publishSequences } from './sequences.ts';

export interface RabbitOptions extends BrokerLogin {
  readonly server: BrokerHost;
  readonly vhost: string;
  readonly exchange: string;
  /** Makes the exchange if it is missing. */
  readonly create: boolean;
}

type Client = typeof amqplib;

/** The most events that wait for their confirmation at once. */
const inFlight = 256;
/** The protocol has no room for a longer one. */
const maxRoutingKeyBytes = 255;
/** A connection that is silent for two of them counts as lost. */
const heartbeatSeconds = 10;

export async function createRabbitBroker(options: RabbitOptions): Promise<Broker> {
  const client = await loadOptional('RabbitMQ', ['amqplib'], () => import('amqplib'));
  const limit: RabbitLimit = { maxBytes: Number.POSITIVE_INFINITY };
  return createConnectedBroker<RabbitLink>(
    {
      name: 'rabbitmq',
      open: (signal) => open(client, options, limit, signal),
      isOpen: (link) => link.isOpen,
      check: (link) => link.checkExchange(options.exchange),
      publish: (link, events, deadline) =>
        publishSequences(events, deadline, inFlight, (event) =>
          publishOne(link, options.exchange, event).catch((error: unknown) => ({
            ok: false,
            fault: rabbitFault(error),
          })),
        ),
      discard: (link) => link.discard(),
      close: (link) => link.close(),
      faultOf: rabbitFault,
    },
    options.timeoutMs,
  );
}

async function open(
  client: Client,
  options: RabbitOptions,
  limit: RabbitLimit,
  signal: AbortSignal,
): Promise<RabbitLink> {
  signal.throwIfAborted();
  const { server, isSecure, username, password, vhost, exchange, create } = options;
  // The client cannot end a connection at once; its socket can.
  const life = new AbortController();
  const socketOptions = { signal: life.signal, noDelay: true, keepAlive: true };
  const giveUp = () => life.abort();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    const model = await client.connect(
      {
        protocol: isSecure ? 'amqps' : 'amqp',
        hostname: server.host,
        port: server.port ?? (isSecure ? 5671 : 5672),
        ...(username === undefined ? {} : { username, password: password ?? '' }),
        vhost: encodeURIComponent(vhost),
        heartbeat: heartbeatSeconds,
      },
      socketOptions,
    );
    const link = new RabbitLink(model, life, limit);
    if (create) await link.makeExchange(exchange);
    return link;
  } catch (error) {
    life.abort();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function publishOne(
  link: RabbitLink,
  exchange: string,
  event: OutboxEvent,
): Promise<Published> {
  if (Buffer.byteLength(event.eventType) > maxRoutingKeyBytes) {
    return { ok: false, fault: refused('invalid', 'the event type is too long for a routing key') };
  }
  const body = Buffer.from(event.payload);
  const message = {
    exchange,
    routingKey: event.eventType,
    body,
    messageId: event.eventId,
    properties: {
      contentType: 'application/json',
      type: event.eventType,
      headers: attributesOf(event),
    },
  };
  for (;;) {
    const limit = link.maxBytes;
    if (body.length > limit) return { ok: false, fault: tooLarge(body.length, limit) };
    try {
      const outcome = await link.publish(message);
      return outcome === 'stored' ? { ok: true } : { ok: false, fault: unroutable(event) };
    } catch (error) {
      // A message on the channel was too large, this one or another, and the limit is known now. What the server had
      // stored before it ended the channel is stored once more.
      if (link.maxBytes < limit) continue;
      throw error;
    }
  }
}

function unroutable({ eventType }: OutboxEvent): BrokerFault {
  return refused(
    'unroutable',
    `no queue is bound to the exchange for events of type ${eventType}; RabbitMQ would have lost it`,
  );
}

function rabbitFault(error: unknown): BrokerFault {
  if (error instanceof FaultError) return error.fault;
  const message = error instanceof Error ? error.message : '';
  if (message === 'message nacked') {
    return unavailable('not_stored', 'RabbitMQ could not store the event');
  }
  // An error of the handshake has no code, only words.
  if (message.startsWith('Expected ConnectionOpenOk')) return denied('this virtual host');
  const [, told] = /^Handshake terminated by server: (\d+)/.exec(message) ?? [];
  const code: unknown = told ?? (error instanceof Error ? Reflect.get(error, 'code') : undefined);
  switch (Number(code)) {
    case 403:
      return denied(told === undefined ? 'the exchange' : 'with this password');
    case 404:
      return unavailable('no_exchange', 'RabbitMQ has no exchange of that name');
    case 406:
      return unavailable(
        'wrong_exchange',
        'the exchange is there and is not a durable topic exchange',
      );
    case 320:
      return unavailable('going_down', 'RabbitMQ is being shut down');
    default:
      return connectionFault(error);
  }
}

function denied(what: string): BrokerFault {
  return unavailable('not_allowed', `RabbitMQ does not let the user in: ${what}`);
}
