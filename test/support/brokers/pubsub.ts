// A stand-in for Google Pub/Sub: a gRPC server made from the protocol files of Google's client. It enforces the rules
// that a publisher can break: the size of a request, and one ordering key for each request.

import { createRequire } from 'node:module';
import path from 'node:path';
import { v1 } from '@google-cloud/pubsub';
import {
  credentials,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type sendUnaryData,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';
import { z } from 'zod';
import { freePort } from '../http/free-port.ts';
import type { BrokerServer, Received } from './broker-server.ts';

export interface PubSubServer extends BrokerServer {
  /** How many messages each accepted request had. */
  readonly requests: readonly number[];
  /** Answers the next `times` requests with an error. */
  fail(code: status, times: number): void;
  /** Whether callers may read the topic's settings. */
  allowLooking(isAllowed: boolean): void;
  readonly topics: ReadonlySet<string>;
}

const project = 'pf-project';
const topicName = `projects/${project}/topics/pf-domain-events`;
/** Google's limit. */
const maxRequestBytes = 10_000_000;
/** A message that contains this is refused, like one that breaks the topic's schema. */
export const unfit = 'breaks-the-schema';

const Message = z.object({
  data: z.instanceof(Buffer),
  attributes: z.record(z.string(), z.string()),
  orderingKey: z.string(),
});
const Publishing = z.object({ topic: z.string(), messages: z.array(Message) });
const Named = z.object({ name: z.string() });
const Asking = z.object({ topic: z.string() });
type Answer = { readonly code: status; readonly details: string } | Record<string, unknown>;

export async function startPubSub(): Promise<PubSubServer> {
  // Otherwise the client searches the network for Google's metadata server.
  process.env['METADATA_SERVER_DETECTION'] = 'none';
  const services = loadServices();
  const stored: z.infer<typeof Message>[] = [];
  const topics = new Set([topicName]);
  const requests: number[] = [];
  let failures: { code: status; times: number } | undefined;
  let mayLook = true;

  function publish(request: unknown): Answer {
    if (failures !== undefined && failures.times > 0) {
      failures.times -= 1;
      return { code: failures.code, details: 'a scripted failure' };
    }
    const { topic, messages } = Publishing.parse(request);
    if (!topics.has(topic)) return notFound;
    const bytes = messages.reduce((sum, message) => sum + bytesOf(message), 0);
    if (bytes > maxRequestBytes) return invalid('the request is too large');
    if (new Set(messages.map(({ orderingKey }) => orderingKey)).size > 1) {
      return invalid('the messages have different ordering keys');
    }
    if (messages.some(({ data }) => data.includes(unfit))) return invalid('a message is unfit');
    requests.push(messages.length);
    const ids = messages.map((message) => String(stored.push(message)));
    return { messageIds: ids };
  }

  const publisher = implementation({
    publish,
    getTopic(request) {
      const { topic } = Asking.parse(request);
      if (!mayLook) return { code: status.PERMISSION_DENIED, details: 'not allowed' };
      return topics.has(topic) ? { name: topic } : notFound;
    },
    createTopic(request) {
      const { name } = Named.parse(request);
      if (topics.has(name)) return { code: status.ALREADY_EXISTS, details: 'it is there' };
      topics.add(name);
      return { name };
    },
  });
  const subscriber = implementation({
    pull: () => ({
      receivedMessages: stored.map((message, index) => ({
        ackId: String(index),
        message: { ...message, messageId: String(index + 1) },
      })),
    }),
  });

  let server: Server | undefined;
  const port = await freePort(); // it is stopped and comes back there
  const start = async (): Promise<void> => {
    const next = new Server({ 'grpc.max_receive_message_length': -1 });
    next.addService(services.publisher, publisher);
    next.addService(services.subscriber, subscriber);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    next.bindAsync(`127.0.0.1:${port}`, ServerCredentials.createInsecure(), (error) =>
      error === null ? resolve() : reject(error),
    );
    await promise;
    server = next;
  };
  const stop = async (): Promise<void> => server?.forceShutdown();
  await start();

  return {
    port,
    requests,
    topics,
    address: (at = port) => `pubsub://${project}?endpoint=127.0.0.1:${at}`,
    fail(code, times) {
      failures = { code, times };
    },
    allowLooking(isAllowed) {
      mayLook = isAllowed;
    },
    received: () => pullAll(port),
    start,
    stop,
    close: stop,
  };
}

const notFound = { code: status.NOT_FOUND, details: 'no such topic' };
const invalid = (details: string) => ({ code: status.INVALID_ARGUMENT, details });

function bytesOf({ data, attributes, orderingKey }: z.infer<typeof Message>): number {
  const texts = [...Object.entries(attributes).flat(), orderingKey];
  return texts.reduce((sum, text) => sum + Buffer.byteLength(text), data.length);
}

function implementation(
  methods: Readonly<Record<string, (request: unknown) => Answer>>,
): UntypedServiceImplementation {
  return Object.fromEntries(
    Object.entries(methods).map(([name, answer]) => [
      name,
      ({ request }: { request: unknown }, callback: sendUnaryData<unknown>) => {
        const given = answer(request);
        if ('code' in given)
          callback({ code: Number(given['code']), details: String(given['details']) });
        else callback(null, given);
      },
    ]),
  );
}

async function pullAll(port: number): Promise<Received[]> {
  const subscriber = new v1.SubscriberClient({
    servicePath: '127.0.0.1',
    port,
    projectId: project,
    sslCreds: credentials.createInsecure(),
  });
  const subscription = subscriber.subscriptionPath(project, 'reader');
  const [{ receivedMessages }] = await subscriber.pull({ subscription, maxMessages: 100_000 });
  await subscriber.close();
  return (receivedMessages ?? []).map(({ message }) => ({
    body: Buffer.from(message?.data ?? '').toString(),
    attributes: message?.attributes ?? {},
    key: message?.orderingKey ?? undefined,
  }));
}

function loadServices(): { publisher: ServiceDefinition; subscriber: ServiceDefinition } {
  const pubsub = createRequire(import.meta.url).resolve('@google-cloud/pubsub');
  const gax = createRequire(pubsub).resolve('google-gax');
  const [client, common] = [pubsub, gax].map((file) => path.join(path.dirname(file), '../protos'));
  const definition = loadSync('google/pubsub/v1/pubsub.proto', {
    includeDirs: [client ?? '', common ?? ''],
  });
  const service = (name: string): ServiceDefinition => {
    const found = definition[`google.pubsub.v1.${name}`];
    if (found === undefined || 'format' in found) throw new Error(`the protocol has no ${name}`);
    return found;
  };
  return { publisher: service('Publisher'), subscriber: service('Subscriber') };
}
