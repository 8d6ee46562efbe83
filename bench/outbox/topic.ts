// Where events are published to: a stream of one of the two brokers, through the same clients that Outrider uses.

import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, headers } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { attributesOf, type OutboxEvent } from '../../src/outbox/broker.ts';

export const topicKinds = ['redis-durable', 'nats'] as const;
export type TopicKind = (typeof topicKinds)[number];

export interface Topic {
  /** As openBroker reads it. */
  readonly address: string;
  /** A connection for a peer. It handles an event as Outrider's brokers do, and does nothing else. */
  open(): Promise<Link>;
}

export interface Link {
  /** Resolves when the broker has stored the event. */
  send(event: OutboxEvent): Promise<void>;
  /** How many the broker holds. */
  stored(): Promise<number>;
  close(): Promise<void>;
}

export function topicOn(kind: TopicKind, storeUrl: string): Topic {
  return kind === 'nats' ? natsTopic(storeUrl) : redisTopic(storeUrl);
}

const redisStream = 'events';

function redisTopic(storeUrl: string): Topic {
  return {
    address: `${storeUrl}/0/${redisStream}`,
    async open() {
      const redis = new Redis(storeUrl, { lazyConnect: true });
      redis.on('error', () => undefined); // the rejected command reports it
      await redis.connect();
      return {
        async send(event) {
          const body = Buffer.from(event.payload);
          const fields = [...Object.entries(attributesOf(event)).flat(), 'payload', body];
          await redis.xadd(redisStream, '*', ...fields);
        },
        stored: () => redis.xlen(redisStream),
        close: async () => redis.disconnect(),
      };
    },
  };
}

function natsTopic(storeUrl: string): Topic {
  const { host, pathname } = new URL(storeUrl);
  const prefix = pathname.slice(1);
  return {
    address: storeUrl,
    async open() {
      const connection = await connect({ servers: host });
      const client = jetstream(connection);
      return {
        async send(event) {
          const attributes = headers();
          for (const [name, value] of Object.entries(attributesOf(event))) {
            attributes.set(name, value);
          }
          await client.publish(`${prefix}.${event.eventType}`, Buffer.from(event.payload), {
            msgID: event.eventId,
            headers: attributes,
          });
        },
        async stored() {
          const manager = await jetstreamManager(connection);
          return (await manager.streams.info(prefix)).state.messages;
        },
        close: () => connection.close(),
      };
    },
  };
}
