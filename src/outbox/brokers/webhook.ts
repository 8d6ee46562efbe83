// Webhooks: a POST for each event, signed as Standard Webhooks wants it. An event is confirmed by an answer
// of 2xx. Nothing is repeated here and no redirect is followed.

import { Agent, type Dispatcher } from 'undici';
import type { ReadSecret } from '../../secrets.ts';
import {
  attributesOf,
  type Broker,
  type BrokerFault,
  type OutboxEvent,
  type Published,
} from '../broker.ts';
import { createConnectedBroker } from './connected-broker.ts';
import type { Deadline } from './deadline.ts';
import { connectionFault, FaultError, refused, unavailable } from './faults.ts';
import { publishInLanes } from './lanes.ts';
import { signatureHeaders } from './webhook-signature.ts';

export interface WebhookOptions {
  /** A user name and password in it are sent as Basic authentication. */
  readonly url: URL;
  /** Read for each batch. Several secrets, with spaces between, while one is changed. */
  readonly readSecret: () => Promise<ReadSecret>;
  /** The most requests at once. */
  readonly concurrency?: number | undefined;
  readonly timeoutMs: number;
  readonly now?: (() => Date) | undefined;
}

interface Target {
  readonly origin: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** Nobody is waited for longer than this, whatever is asked. */
const longestRest = 60 * 60 * 1000;

export function createWebhookBroker(options: WebhookOptions): Broker {
  const { concurrency = 16, timeoutMs, readSecret, now = () => new Date() } = options;
  const target = targetOf(options.url);
  let restUntil = 0;

  function requireAwake(): void {
    const left = restUntil - now().getTime();
    if (left <= 0) return;
    const words = 'the receiver asked to be left alone for a while';
    throw new FaultError(unavailable('throttled', words, left));
  }

  async function readSecrets(): Promise<string[]> {
    const read = await readSecret();
    if (read.ok) return read.secret.split(/\s+/).filter((each) => each !== '');
    const words = `the signing secret cannot be read: ${read.reason}`;
    throw new FaultError(unavailable('secret_missing', words));
  }

  async function ask(agent: Agent, request: Asked, deadline: Deadline): Promise<Answer> {
    const { signal } = deadline;
    const { origin, path } = target;
    const { statusCode, headers, body } = await agent.request({ origin, path, signal, ...request });
    // Read, so that the connection can be used again; what it says is not used.
    await body.dump({ limit: 64 * 1024, signal });
    return { status: statusCode, retryAfter: [headers['retry-after']].flat()[0] };
  }

  async function publishOne(
    agent: Agent,
    event: OutboxEvent,
    secrets: readonly string[],
    deadline: Deadline,
  ): Promise<Published> {
    requireAwake();
    const body = Buffer.from(event.payload);
    const signed = signatureHeaders({ id: event.eventId, at: now(), body }, secrets);
    const headers = { ...headersOf(event), ...target.headers, ...signed };
    const fault = faultOfAnswer(
      await ask(agent, { method: 'POST', headers, body }, deadline),
      now(),
    );
    if (fault === undefined) return { ok: true };
    restUntil = Math.max(restUntil, now().getTime() + (fault.retryAfterMs ?? 0));
    return { ok: false, fault };
  }

  return createConnectedBroker<Agent>(
    {
      name: 'webhook',
      open: async () =>
        new Agent({
          connections: concurrency,
          pipelining: 1,
          // Requests of a closing connection would be sent again.
          allowH2: false,
          connect: { timeout: timeoutMs },
          headersTimeout: timeoutMs,
          bodyTimeout: timeoutMs,
        }),
      isOpen: (agent) => !agent.destroyed,
      discard: (agent) => void agent.destroy(),
      close: (agent) => agent.destroy(),
      /** Any answer will do, except that the receiver is away: it may know nothing but POST. */
      async check(agent, deadline) {
        requireAwake();
        await readSecrets();
        const { status } = await ask(agent, { method: 'HEAD', headers: target.headers }, deadline);
        if (![502, 503, 504].includes(status)) return;
        throw new FaultError(unavailable(`http_${status}`, `the receiver is away (${status})`));
      },
      async publish(agent, events, deadline) {
        const secrets = await readSecrets();
        return publishInLanes(events, deadline, concurrency, (event) =>
          publishOne(agent, event, secrets, deadline).catch((error: unknown) => ({
            ok: false,
            fault: webhookFault(error),
          })),
        );
      },
      faultOf: webhookFault,
    },
    timeoutMs,
  );
}

type Asked = Pick<Dispatcher.RequestOptions, 'method' | 'headers'> & { readonly body?: Buffer };

function targetOf(url: URL): Target {
  const { username, password, origin, pathname, search } = url;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = `Basic ${Buffer.from(pair).toString('base64')}`;
  return {
    origin,
    path: `${pathname}${search}`,
    headers: {
      'user-agent': 'outrider',
      ...(username === '' && password === '' ? {} : { authorization: basic }),
    },
  };
}

// With hyphens: proxies drop headers that have an underscore in their name.
function headersOf(event: OutboxEvent): Record<string, string> {
  const attributes = Object.entries(attributesOf(event)).map(
    ([name, value]) => [name.replaceAll('_', '-'), value] as const,
  );
  return { 'content-type': 'application/json', ...Object.fromEntries(attributes) };
}

interface Answer {
  readonly status: number;
  readonly retryAfter: string | undefined;
}

function faultOfAnswer({ status, retryAfter }: Answer, now: Date): BrokerFault | undefined {
  if (status >= 200 && status < 300) return undefined;
  const code = `http_${status}`;
  const rest = restOf(retryAfter, now);
  if (status === 429) {
    return unavailable('throttled', 'the receiver takes no more for now (429)', rest);
  }
  if (status === 408 || status >= 500) {
    return unavailable(code, `the receiver could not take the event (${status})`, rest);
  }
  // The address is wrong, not the event.
  if (status < 400)
    return unavailable('redirected', `the receiver has another address (${status})`);
  return refused(code, `the receiver refused the event (${status})`);
}

/** Of `Retry-After`: seconds, or a date. */
function restOf(value: string | undefined, now: Date): number | undefined {
  if (value === undefined) return undefined;
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - now.getTime();
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(0, ms), longestRest);
}

function webhookFault(error: unknown): BrokerFault {
  if (error instanceof FaultError) return error.fault;
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined;
  switch (code) {
    case 'UND_ERR_INVALID_ARG':
      return refused('invalid', 'the event cannot be written as an HTTP request');
    case 'UND_ERR_CONNECT_TIMEOUT':
      return unavailable('unreachable', 'the connection to the receiver could not be made in time');
    case 'UND_ERR_HEADERS_TIMEOUT':
    case 'UND_ERR_BODY_TIMEOUT':
      return unavailable(
        'timeout',
        'the receiver did not answer in time; the event may have arrived',
      );
    case 'UND_ERR_SOCKET':
      return unavailable('connection_lost', 'the receiver closed the connection without an answer');
    default:
      return connectionFault(error);
  }
}
