// NATS JetStream: one subject per type of event, and a stream that keeps them all. An event is confirmed
// when the stream has stored it; a repeat within the stream's duplicate window is confirmed and not stored.

import type * as jetstream from '@nats-io/jetstream';
import type { JetStreamClient, JetStreamManager } from '@nats-io/jetstream';
import type * as transport from '@nats-io/transport-node';
import type { NatsConnection } from '@nats-io/transport-node';
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
import type { Deadline } from './deadline.ts';
import { connectionFault, FaultError, refused, tooLarge, unavailable } from './faults.ts';
import { greetingServers } from './nats-greeting.ts';
import { publishSequences } from './sequences.ts';

export interface NatsOptions extends BrokerLogin {
  readonly servers: readonly BrokerHost[];
  /** Events go to `<prefix>.<event_type>`. */
  readonly prefix: string;
  /** The stream that keeps them; else the one that has the subjects. */
  readonly stream?: string | undefined;
  /** Makes the stream if it is missing. */
  readonly create: boolean;
}

interface NatsLink {
  readonly connection: NatsConnection;
  readonly jetstream: JetStreamClient;
  readonly manager: JetStreamManager;
}

type Client = Omit<typeof transport & typeof jetstream, 'default'>;

/** The most events that wait for the stream's answer at once. */
const inFlight = 256;
const defaultPort = 4222;

export async function createNatsBroker(options: NatsOptions): Promise<Broker> {
  const packages = ['@nats-io/transport-node', '@nats-io/jetstream'] as const;
  const client = await loadOptional(
    'NATS',
    packages,
    async (): Promise<Client> => ({
      ...(await import('@nats-io/transport-node')),
      ...(await import('@nats-io/jetstream')),
    }),
  );
  const faultOf = (error: unknown) => natsFault(client, error);
  return createConnectedBroker<NatsLink>(
    {
      name: 'nats',
      open: (signal) => open(client, options, signal),
      isOpen: ({ connection }) => !connection.isClosed(),
      check: ({ manager }) => requireStream(manager, options),
      publish: (link, events, deadline) =>
        publishSequences(events, deadline, inFlight, (event) =>
          publishOne(client, options, link, event, deadline).catch((error: unknown) => ({
            ok: false,
            fault: faultOf(error),
          })),
        ),
      discard: ({ connection }) => void connection.close().catch(() => undefined),
      close: ({ connection }) => connection.close(),
      faultOf,
    },
    options.timeoutMs,
  );
}

async function open(client: Client, options: NatsOptions, signal: AbortSignal): Promise<NatsLink> {
  const { username: user, password: pass, timeoutMs } = options;
  const hosts = options.servers.map(({ host, port }) => ({ host, port: port ?? defaultPort }));
  const connection = await client.connect({
    servers: await greetingServers(hosts, signal),
    ...(user === undefined ? {} : pass === undefined ? { token: user } : { user, pass }),
    ...(options.isSecure ? { tls: {} } : {}),
    name: 'outrider',
    timeout: timeoutMs,
    reconnect: false,
    // A silent connection is noticed between two batches, not only in the next one.
    pingInterval: 10_000,
    ignoreClusterUpdates: true,
  });
  try {
    signal.throwIfAborted();
    const manager = await client.jetstreamManager(connection, {
      timeout: timeoutMs,
      checkAPI: false,
    });
    if (options.create) await makeStream(client, manager, options);
    return { connection, manager, jetstream: client.jetstream(connection, { timeout: timeoutMs }) };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

async function publishOne(
  client: Client,
  { prefix }: NatsOptions,
  { connection, jetstream }: NatsLink,
  event: OutboxEvent,
  deadline: Deadline,
): Promise<Published> {
  // A dot would make another level of the subject, and nothing can be published to a wildcard.
  if (!/^[^\s.*>]+$/.test(event.eventType)) {
    return { ok: false, fault: refused('invalid', 'the event type cannot be part of a subject') };
  }
  const headers = client.headers();
  for (const [name, value] of Object.entries(attributesOf(event))) headers.set(name, value);
  const body = Buffer.from(event.payload);
  const limit = connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
  const size = body.length + headerBytes(event);
  if (size > limit) return { ok: false, fault: tooLarge(size, limit) };
  const answer = await jetstream.publish(`${prefix}.${event.eventType}`, body, {
    msgID: event.eventId,
    headers,
    timeout: deadline.remainingMs,
  });
  return { ok: true, brokerId: `${answer.stream}:${answer.seq}`, isRepeat: answer.duplicate };
}

// The server limits headers and body together, counted as they go over the wire.
function headerBytes(event: OutboxEvent): number {
  const lines = { ...attributesOf(event), 'Nats-Msg-Id': event.eventId };
  return Object.entries(lines).reduce(
    (sum, [name, value]) => sum + Buffer.byteLength(`${name}: ${value}\r\n`),
    'NATS/1.0\r\n\r\n'.length,
  );
}

async function requireStream(manager: JetStreamManager, options: NatsOptions): Promise<void> {
  const name = options.stream ?? (await manager.streams.find(`${options.prefix}.>`));
  await manager.streams.info(name);
}

async function makeStream(
  client: Client,
  manager: JetStreamManager,
  options: NatsOptions,
): Promise<void> {
  try {
    await requireStream(manager, options);
  } catch (error) {
    if (!isStreamMissing(client, error)) throw error;
    const name = options.stream ?? options.prefix.replaceAll(/[^\w-]/g, '_');
    await manager.streams.add({ name, subjects: [`${options.prefix}.>`] });
  }
}

const refusals: Readonly<Record<number, string>> = {
  10_054: 'the event is larger than the stream takes',
  10_097: 'the headers of the event are larger than the stream takes',
};

function natsFault(client: Client, error: unknown): BrokerFault {
  if (error instanceof FaultError) return error.fault;
  if (isStreamMissing(client, error)) return noStream;
  if (error instanceof client.JetStreamApiError) return apiFault(error.code, error.message);
  if (error instanceof client.TimeoutError) {
    return unavailable('timeout', 'NATS did not answer in time; what was sent may have arrived');
  }
  if (
    error instanceof client.AuthorizationError ||
    error instanceof client.UserAuthenticationExpiredError
  ) {
    return unavailable('not_allowed', 'NATS does not take the user name and password');
  }
  if (error instanceof client.PermissionViolationError) {
    return unavailable('not_allowed', `NATS does not allow the user this ${error.operation}`);
  }
  if (error instanceof client.InvalidArgumentError) {
    return refused('invalid', 'the event cannot be written as a NATS message');
  }
  if (error instanceof client.RequestError && error.cause instanceof Error) {
    return natsFault(client, error.cause);
  }
  return connectionFault(error);
}

// A subject that no stream listens on means the same as the server's own answer; the client has no class for that
// error.
function isStreamMissing(client: Client, error: unknown): boolean {
  if (error instanceof client.JetStreamApiError) {
    return error.code === client.JetStreamApiCodes.StreamNotFound;
  }
  return error instanceof Error && error.name === 'JetStreamNotEnabled';
}

const noStream = unavailable('no_stream', 'NATS has no stream for the subjects of the events');

function apiFault(code: number, words: string): BrokerFault {
  const refusal = refusals[code];
  if (refusal !== undefined) return refused('too_large', `${refusal} (code ${code})`);
  return unavailable(`jetstream_${code}`, `the stream did not store the event: ${words}`);
}
