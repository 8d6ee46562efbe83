// Google Pub/Sub: one topic, with the type of the event as an attribute to filter by. An event is confirmed when
// Pub/Sub has given it an id. A repeat gets another id, so that consumers know it by `event_id`.

import { setImmediate } from 'node:timers/promises';
import type * as google from '@google-cloud/pubsub';
import type { PubSub, Topic } from '@google-cloud/pubsub';
import { loadOptional } from '../../optional-package.ts';
import {
  attributesOf,
  type Broker,
  type BrokerFault,
  type OutboxEvent,
  orderingKeyOf,
  type Published,
} from '../broker.ts';
import { createConnectedBroker } from './connected-broker.ts';
import type { Deadline } from './deadline.ts';
import { connectionFault, FaultError, refused, tooLarge, unavailable } from './faults.ts';
import { publishSequence, runSequences, type Sequence } from './sequences.ts';

export interface PubSubOptions {
  readonly projectId: string;
  readonly topic: string;
  /** host:port of an emulator; undefined: Google's. */
  readonly endpoint?: string | undefined;
  /** Makes the topic if it is missing. */
  readonly create: boolean;
  readonly timeoutMs: number;
}

interface PubSubLink {
  readonly pubsub: PubSub;
  readonly topic: Topic;
}

type Client = Pick<typeof google, 'PubSub'>;

/** A request holds events of one ordering key only, so that there are many requests. */
const requestsAtOnce = 64;
/** The most bytes of a message with its attributes and key, and of a request. */
const maxBytes = 10_000_000;

const status = {
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  resourceExhausted: 8,
  aborted: 10,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

export async function createPubSubBroker(options: PubSubOptions): Promise<Broker> {
  const client = await loadOptional(
    'Pub/Sub',
    ['@google-cloud/pubsub'],
    () => import('@google-cloud/pubsub'),
  );
  return createConnectedBroker<PubSubLink>(
    {
      name: 'pubsub',
      open: () => open(client, options),
      isOpen: ({ pubsub }) => pubsub.isOpen,
      check: (link, deadline) => requireTopic(link, deadline),
      publish: ({ topic }, events, deadline) =>
        runSequences(events, deadline, requestsAtOnce, (sequence) =>
          publishKey(topic, sequence, deadline),
        ),
      discard: ({ pubsub }) => void pubsub.close().catch(() => undefined),
      close: ({ pubsub }) => pubsub.close(),
      faultOf: pubsubFault,
    },
    options.timeoutMs,
  );
}

async function open(client: Client, options: PubSubOptions): Promise<PubSubLink> {
  const { projectId, endpoint, timeoutMs, create } = options;
  // The client has connections of its own: a silent one ends with it, and the next client does not get it again.
  const own = { 'grpc.use_local_subchannel_pool': 1 };
  const where = endpoint === undefined ? {} : { apiEndpoint: endpoint };
  const pubsub = new client.PubSub({ projectId, ...where, ...own });
  // A call ends before our own deadline, so that we learn how it ended. The client repeats a call that fails at once, a
  // few times with short pauses. It does not repeat a call that gets no answer.
  const within = Math.ceil(timeoutMs * 0.8);
  const topic = pubsub.topic(options.topic, {
    messageOrdering: true,
    batching: { maxMessages: 1000, maxBytes: 1024 * 1024, maxMilliseconds: 1 },
    gaxOpts: {
      timeout: within,
      retry: {
        retryCodes: [
          status.unknown,
          status.aborted,
          status.internal,
          status.unavailable,
          status.resourceExhausted,
        ],
        backoffSettings: {
          initialRetryDelayMillis: Math.min(100, timeoutMs * 0.1),
          retryDelayMultiplier: 2,
          maxRetryDelayMillis: Math.ceil(timeoutMs * 0.1),
          initialRpcTimeoutMillis: within,
          rpcTimeoutMultiplier: 1,
          maxRpcTimeoutMillis: within,
          maxRetries: 5,
        },
      },
    },
  });
  if (create) await makeTopic(topic, timeoutMs);
  return { pubsub, topic };
}

async function makeTopic(topic: Topic, timeoutMs: number): Promise<void> {
  try {
    await topic.create({ timeout: timeoutMs, retry: null });
  } catch (error) {
    if (codeOf(error) !== status.alreadyExists) throw error;
  }
}

// A user who may publish need not have the right to look at the topic: then it is enough that Pub/Sub answers.
async function requireTopic({ topic }: PubSubLink, deadline: Deadline): Promise<void> {
  try {
    await topic.getMetadata({ timeout: deadline.remainingMs, retry: null });
  } catch (error) {
    if (codeOf(error) !== status.permissionDenied) throw error;
  }
}

/** Publishes the events of one key, in as few requests as the client makes of them. */
async function publishKey(topic: Topic, sequence: Sequence, deadline: Deadline): Promise<void> {
  const unsettled: Sequence = sequence.filter(({ event, settle }) => {
    const size = sizeOf(event);
    if (size > maxBytes) settle({ ok: false, fault: tooLarge(size, maxBytes) });
    return size <= maxBytes;
  });
  const sent = await Promise.all(unsettled.map(({ event }) => publishOne(topic, event)));
  // One bad event has the whole request refused: then each event is sent alone.
  const isRefused = sent.some((result) => !result.ok && result.fault.kind === 'refused');
  const isAlone = unsettled.length === 1;
  if (isRefused && !isAlone) {
    // The client reports a failed request a moment before it has finished with it.
    await setImmediate();
    const again = unsettled.filter((_place, index) => sent[index]?.ok === false);
    return publishSequence(again, deadline, (event) => publishOne(topic, event));
  }
  for (const [index, { settle }] of unsettled.entries()) {
    const result = sent[index];
    if (result !== undefined) settle(result);
  }
}

async function publishOne(topic: Topic, event: OutboxEvent): Promise<Published> {
  const orderingKey = orderingKeyOf(event);
  try {
    const attributes = attributesOf(event);
    const data = Buffer.from(event.payload);
    const brokerId = await topic.publishMessage({ data, attributes, orderingKey });
    return { ok: true, brokerId };
  } catch (error) {
    // Without this the client would refuse every later event of the key.
    topic.resumePublishing(orderingKey);
    return { ok: false, fault: pubsubFault(error) };
  }
}

function sizeOf(event: OutboxEvent): number {
  const texts = [
    ...Object.entries(attributesOf(event)).flat(),
    orderingKeyOf(event),
    event.payload,
  ];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function pubsubFault(error: unknown): BrokerFault {
  if (error instanceof FaultError) return error.fault;
  const code = codeOf(error);
  if (code !== undefined) return faultOfStatus(code);
  if (
    error instanceof Error &&
    error.message.startsWith('Could not load the default credentials')
  ) {
    return unavailable('not_allowed', 'no credentials for Google Cloud were found');
  }
  return connectionFault(error);
}

function faultOfStatus(code: number): BrokerFault {
  switch (code) {
    case status.invalidArgument:
      return refused('invalid', 'Pub/Sub refused the event (INVALID_ARGUMENT)');
    case status.notFound:
      return unavailable(
        'no_topic',
        'Pub/Sub has no topic of that name in the project (NOT_FOUND)',
      );
    case status.permissionDenied:
    case status.unauthenticated:
      return unavailable('not_allowed', 'the account may not publish to the Pub/Sub topic');
    case status.resourceExhausted:
      return unavailable('throttled', 'the quota of Pub/Sub is used up (RESOURCE_EXHAUSTED)');
    case status.deadlineExceeded:
      return unavailable(
        'timeout',
        'Pub/Sub did not answer in time; what was sent may have arrived',
      );
    case status.unavailable:
      return unavailable('unreachable', 'Pub/Sub cannot be reached (UNAVAILABLE)');
    default:
      return unavailable(`grpc_${code}`, `Pub/Sub could not take the event (gRPC status ${code})`);
  }
}

// After its last repeat the client throws an error of its own, which has the code of the failure only in its text.
function codeOf(error: unknown): number | undefined {
  if (!(error instanceof Error)) return undefined;
  const [, cause] = /retrying error Error: (\d{1,2}) [A-Z_]+:/.exec(error.message) ?? [];
  const code: unknown = cause === undefined ? Reflect.get(error, 'code') : Number(cause);
  return typeof code === 'number' ? code : undefined;
}
