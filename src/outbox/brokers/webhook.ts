// Webhooks: a POST for each event, signed as Standard Webhooks. An event is confirmed by an answer of 2xx. Nothing is
// repeated here, and no redirect is followed.

import { readRetryAfter } from '../../http/retry-after.ts';
import { signingFault, signingSecrets, signWebhook } from '../../http/standard-webhooks.ts';
import {
  type Answered,
  createTransport,
  type HttpRequest,
  type Reply,
  type Transport,
} from '../../http/transport.ts';
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
import { publishSequences } from './sequences.ts';

export interface WebhookOptions {
  /** A user name and password in it are sent as Basic authentication. */
  readonly url: URL;
  /** Read for each batch. While a secret is being changed there are two or more, with spaces between. */
  readonly readSecret: () => Promise<ReadSecret>;
  /** The most requests at once. */
  readonly concurrency?: number | undefined;
  readonly timeoutMs: number;
  readonly now?: (() => Date) | undefined;
}

interface Target {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** The longest rest that a receiver is given, whatever it asks for. */
const longestRestMs = 60 * 60 * 1000;

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
    if (!read.ok) {
      const words = `the signing secret cannot be read: ${read.reason}`;
      throw new FaultError(unavailable('secret_missing', words));
    }
    const fault = signingFault(read.secret);
    if (fault === undefined) return signingSecrets(read.secret);
    const words = `the signing secret cannot be used: ${fault}`;
    throw new FaultError(unavailable('secret_malformed', words));
  }

  async function ask(transport: Transport, asked: Asked, deadline: Deadline): Promise<Answer> {
    const { url } = target;
    const { signal } = deadline;
    const reply = await transport.send({ url, signal, timeoutMs, secrets: [], ...asked });
    if (reply.kind === 'answered') {
      return { status: reply.status, retryAfter: reply.headers['retry-after'] };
    }
    // The body of an answer is not used: of one that is too long the head is enough.
    if (reply.code === 'too_large' && reply.kind === 'unknown' && reply.status !== undefined) {
      return { status: reply.status, retryAfter: undefined };
    }
    throw new FaultError(reply.code === 'aborted' ? deadline.fault : faultOfReply(reply));
  }

  async function publishOne(
    transport: Transport,
    event: OutboxEvent,
    secrets: readonly string[],
    deadline: Deadline,
  ): Promise<Published> {
    requireAwake();
    const { eventId: id, payload } = event;
    const signed = signWebhook({ id, at: now(), body: Buffer.from(payload) }, secrets);
    const headers = { ...headersOf(event), ...target.headers, ...signed };
    const asked = { method: 'POST', headers, body: { text: payload } } as const;
    const fault = faultOfAnswer(await ask(transport, asked, deadline), now());
    if (fault === undefined) return { ok: true };
    restUntil = Math.max(restUntil, now().getTime() + (fault.retryAfterMs ?? 0));
    return { ok: false, fault };
  }

  return createConnectedBroker<Transport>(
    {
      name: 'webhook',
      open: async () =>
        createTransport({
          connections: concurrency,
          connectTimeoutMs: timeoutMs,
          headersTimeoutMs: timeoutMs,
          bodyTimeoutMs: timeoutMs,
          maxAnswerBytes: 64 * 1024,
          // Some receivers close idle connections soon.
          restMs: 4000,
        }),
      isOpen: () => true,
      discard: (transport) => void transport.close(),
      close: (transport) => transport.close(),
      /** Every answer will do except one that says that the receiver is away: it may take nothing but POST. */
      async check(transport, deadline) {
        requireAwake();
        await readSecrets();
        const { headers } = target;
        const { status } = await ask(transport, { method: 'HEAD', headers }, deadline);
        if (![502, 503, 504].includes(status)) return;
        throw new FaultError(unavailable(`http_${status}`, `the receiver is away (${status})`));
      },
      async publish(transport, events, deadline) {
        const secrets = await readSecrets();
        return publishSequences(events, deadline, concurrency, (event) =>
          publishOne(transport, event, secrets, deadline).catch((error: unknown) => ({
            ok: false,
            fault: connectionFault(error),
          })),
        );
      },
      faultOf: connectionFault,
    },
    timeoutMs,
  );
}

type Asked = Pick<HttpRequest, 'method' | 'headers' | 'body'>;

function targetOf(url: URL): Target {
  const { username, password, origin, pathname, search } = url;
  const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  const basic = `Basic ${Buffer.from(pair).toString('base64')}`;
  return {
    url: `${origin}${pathname}${search}`,
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
  const asked = readRetryAfter(retryAfter, now);
  const rest = asked === undefined ? undefined : Math.min(asked, longestRestMs);
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

const late: ReadonlySet<string> = new Set([
  'timeout',
  'UND_ERR_HEADERS_TIMEOUT',
  'UND_ERR_BODY_TIMEOUT',
]);

function faultOfReply({ kind, code, reason }: Exclude<Reply, Answered>): BrokerFault {
  if (code === 'UND_ERR_INVALID_ARG') {
    return refused('invalid', 'the event cannot be written as an HTTP request');
  }
  if (kind === 'not_sent') return unavailable('unreachable', reason);
  const words = `${reason}; what was sent may have arrived`;
  return unavailable(late.has(code) ? 'timeout' : 'connection_lost', words);
}
