// Kafka: one topic, with the ordering key as the key of the record. An event is confirmed when all in-sync
// replicas have it.
//
// Written from the client's documentation and types. It has not been run against a Kafka server: the tests cover only
// what it does when there is none.

import type * as kafka from '@platformatic/kafka';
import type { Producer } from '@platformatic/kafka';
import { loadOptional } from '../../optional-package.ts';
import {
  attributesOf,
  type Broker,
  type BrokerFault,
  type OutboxEvent,
  orderingKeyOf,
} from '../broker.ts';
import type { BrokerHost, BrokerLogin } from './address.ts';
import { createConnectedBroker } from './connected-broker.ts';
import { connectionFault, FaultError, refused, unavailable } from './faults.ts';
import { publishByHalves } from './halves.ts';

export const saslMechanisms = ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'] as const;
export type SaslMechanism = (typeof saslMechanisms)[number];

export interface KafkaOptions extends BrokerLogin {
  readonly servers: readonly BrokerHost[];
  readonly sasl: SaslMechanism;
  readonly topic: string;
  /** Lets the server make the topic if it is missing. */
  readonly create: boolean;
}

type Client = Pick<typeof kafka, 'Producer' | 'stringSerializers' | 'findErrorBy' | 'ProduceAcks'>;
type TextProducer = Producer<string, string, string, string>;

export async function createKafkaBroker(options: KafkaOptions): Promise<Broker> {
  const client = await loadOptional(
    'Kafka',
    ['@platformatic/kafka'],
    () => import('@platformatic/kafka'),
  );
  const faultOf = (error: unknown) => kafkaFault(client, error);
  return createConnectedBroker<TextProducer>(
    {
      name: 'kafka',
      open: async () => open(client, options),
      isOpen: (producer) => !producer.closed,
      check: async (producer) => {
        const { topic, create } = options;
        const topics = [topic];
        await producer.metadata({
          topics,
          forceUpdate: true,
          retries: 0,
          autocreateTopics: create,
        });
      },
      publish: (producer, events, deadline) =>
        publishByHalves(events, deadline, (some) => send(producer, options.topic, some), faultOf),
      discard: (producer) => void producer.close(true).catch(() => undefined),
      close: (producer) => producer.close(),
      faultOf,
    },
    options.timeoutMs,
  );
}

function open(client: Client, options: KafkaOptions): TextProducer {
  const { servers, isSecure, username, password = '', sasl: mechanism, timeoutMs } = options;
  return new client.Producer({
    clientId: 'outrider',
    bootstrapBrokers: servers.map(({ host, port }) => ({ host, port: port ?? 9092 })),
    serializers: client.stringSerializers,
    ...(isSecure ? { tls: {}, tlsServerName: true } : {}),
    ...(username === undefined ? {} : { sasl: { mechanism, username, password } }),
    acks: client.ProduceAcks.ALL,
    // The server drops what the client sends twice by itself. It does not drop our own repeats.
    idempotent: true,
    // An idempotent producer takes fewer than 2 for "without end".
    retries: 2,
    retryDelay: 100,
    connectTimeout: timeoutMs,
    requestTimeout: timeoutMs,
    timeout: timeoutMs,
    autocreateTopics: options.create,
  });
}

async function send(
  producer: TextProducer,
  topic: string,
  events: readonly OutboxEvent[],
): Promise<void> {
  await producer.send({
    messages: events.map((event) => ({
      topic,
      key: orderingKeyOf(event),
      value: event.payload,
      headers: attributesOf(event),
    })),
  });
}

const refusals = ['MESSAGE_TOO_LARGE', 'RECORD_LIST_TOO_LARGE', 'INVALID_RECORD'];
const denials = [
  'TOPIC_AUTHORIZATION_FAILED',
  'CLUSTER_AUTHORIZATION_FAILED',
  'SASL_AUTHENTICATION_FAILED',
];
const missing = ['UNKNOWN_TOPIC_OR_PARTITION', 'INVALID_TOPIC_EXCEPTION'];

function kafkaFault(client: Client, error: unknown): BrokerFault {
  if (error instanceof FaultError) return error.fault;
  if (!(error instanceof Error)) return connectionFault(error);
  const said = (...names: readonly string[]) =>
    names.find((name) => client.findErrorBy(error, 'apiId', name) !== null);
  const refusal = said(...refusals);
  if (refusal !== undefined) {
    return refused('too_large', `the event is larger than the Kafka topic takes (${refusal})`);
  }
  if (
    said(...denials) !== undefined ||
    client.findErrorBy(error, 'code', 'PLT_KFK_AUTHENTICATION')
  ) {
    return unavailable('not_allowed', 'Kafka does not allow the user to publish to the topic');
  }
  if (said(...missing) !== undefined) {
    return unavailable('no_topic', 'Kafka has no topic of that name');
  }
  if (client.findErrorBy(error, 'code', 'PLT_KFK_TIMEOUT')) {
    return unavailable('timeout', 'Kafka did not answer in time; what was sent may have arrived');
  }
  return connectionFault(error);
}
