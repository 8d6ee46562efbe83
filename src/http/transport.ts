// Makes HTTP calls to servers of others. After a failure it says what a sender must know: whether the request can have
// arrived. It repeats nothing, follows no redirect, and passes no text of an error on: an address may carry the token,
// and errors quote addresses.

import { X509Certificate } from 'node:crypto';
import { Readable } from 'node:stream';
import { getCACertificates } from 'node:tls';
import { Agent, type Dispatcher } from 'undici';
import { OutriderError } from '../errors.ts';
import { Exchange } from './exchange.ts';
import { type FormPart, multipart } from './multipart.ts';
import { stoppedBy } from './stops.ts';

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: HttpBody | undefined;
  /** For the whole call: the wait for a connection, the request and the answer. */
  readonly timeoutMs: number;
  /** The longest silence between request and answer, if another than that of the transport. */
  readonly silenceMs?: number | undefined;
  readonly signal: AbortSignal;
  /** Asked when there is a connection, right before the first byte is written. If it says no, nothing is written. */
  readonly holds?: (() => boolean) | undefined;
  /** Called with the answer, before the caller has it. */
  readonly onAnswer?: OnAnswer | undefined;
  /** The credential of the call, and whatever else gives it away. Each is masked if the answer repeats it. */
  readonly secrets: readonly string[];
}

export type HttpBody =
  /** As it is; the headers say its type. */
  | { readonly text: string }
  | { readonly json: unknown }
  | { readonly form: Readonly<Record<string, string>> }
  | { readonly multipart: readonly FormPart[] };

export type OnAnswer = (answer: Answered) => void;

export type Reply = Answered | NotSent | Unknown;

/** The whole answer came, whatever it says. */
export interface Answered {
  readonly kind: 'answered';
  readonly status: number;
  /** Names in lower case; the values of repeated ones are joined with commas. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** No byte of the request was written: safe to repeat. */
export interface NotSent {
  readonly kind: 'not_sent';
  /** `aborted`, `lease_over`, `timeout`, `source_missing`, `source_failed`, `invalid_url`, or a code of the network such as ECONNREFUSED. */
  readonly code: string;
  /** A sentence without addresses and secrets. */
  readonly reason: string;
}

/** Bytes were written, and no whole answer came. */
export interface Unknown {
  readonly kind: 'unknown';
  /** As above, and `too_large`, `not_http`. */
  readonly code: string;
  readonly reason: string;
  /** What the head of the answer said, if it came. */
  readonly status?: number | undefined;
}

export interface TransportOptions {
  /** PEM certificates to trust besides the usual ones. */
  readonly ca?: readonly string[] | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** The longest silence between request and answer. */
  readonly headersTimeoutMs?: number | undefined;
  /** The longest silence within an answer. */
  readonly bodyTimeoutMs?: number | undefined;
  readonly maxAnswerBytes?: number | undefined;
  /** The most connections to one server at once. */
  readonly connections?: number | undefined;
  /** How long an idle connection stays open when the server does not say how long it keeps it. */
  readonly restMs?: number | undefined;
}

export interface Transport {
  send(request: HttpRequest): Promise<Reply>;
  /** Waits for what is under way. */
  close(): Promise<void>;
}

export function createTransport(options: TransportOptions = {}): Transport {
  const {
    connectTimeoutMs = 10_000,
    headersTimeoutMs = 60_000,
    bodyTimeoutMs = 15_000,
    maxAnswerBytes = 1024 * 1024,
    // More than a minute, and less than the 75 s after which most servers close: a request that meets the close
    // on its way has an unknown outcome.
    restMs = 70_000,
  } = options;
  const agent = new Agent({
    // HTTP/2 puts requests of a closing connection back in the queue and sends them again.
    allowH2: false,
    pipelining: 1,
    keepAliveTimeout: restMs,
    headersTimeout: headersTimeoutMs,
    bodyTimeout: bodyTimeoutMs,
    connections: options.connections ?? null,
    connect: { timeout: connectTimeoutMs, ...trust(options.ca ?? []) },
  });
  return {
    async send(request) {
      const address = addressOf(request.url);
      if (address === undefined) {
        return {
          kind: 'not_sent',
          code: 'invalid_url',
          reason: 'the address is not an http(s) one',
        };
      }
      const { secrets, holds } = request;
      const exchange = new Exchange({ maxAnswerBytes, secrets, holds });
      const dispatched = dispatchOptions(request, address, exchange);
      const late = `no answer within ${request.timeoutMs} ms`;
      const deadline = setTimeout(() => exchange.stop('timeout', late), request.timeoutMs);
      const stopped = stoppedBy(request.signal).add(exchange);
      if (request.signal.aborted) exchange.stop('aborted', 'the send was stopped');
      else agent.dispatch(dispatched, exchange);
      try {
        const reply = await exchange.reply;
        if (reply.kind === 'answered') request.onAnswer?.(reply);
        return reply;
      } finally {
        clearTimeout(deadline);
        stopped.delete(exchange);
      }
    },
    close: () => agent.close(),
  };
}

interface Address {
  readonly origin: string;
  readonly path: string;
}

/** Addresses that were parsed before. A process calls a few again and again, and the others once. */
const known = new Map<string, Address>();
const mostKnown = 1000;

/** Undefined if the text is not an http(s) address. */
function addressOf(text: string): Address | undefined {
  const before = known.get(text);
  if (before !== undefined) return before;
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const address = { origin: url.origin, path: `${url.pathname}${url.search}` };
  if (known.size === mostKnown) known.clear();
  known.set(text, address);
  return address;
}

function dispatchOptions(
  request: HttpRequest,
  address: Address,
  exchange: Exchange,
): Dispatcher.DispatchOptions {
  const { body, headers } = encode(request.body, exchange);
  return {
    ...address,
    method: request.method,
    headers: { ...headers, ...request.headers },
    body,
    ...(request.silenceMs === undefined ? {} : { headersTimeout: request.silenceMs }),
  };
}

interface EncodedBody {
  readonly body: string | Readable | null;
  readonly headers: Readonly<Record<string, string>>;
}

function encode(body: HttpBody | undefined, exchange: Exchange): EncodedBody {
  if (body === undefined) return { body: null, headers: {} };
  if ('text' in body) return { body: body.text, headers: {} };
  if ('json' in body) {
    return { body: JSON.stringify(body.json), headers: { 'content-type': 'application/json' } };
  }
  if ('form' in body) {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    return { body: new URLSearchParams(body.form).toString(), headers };
  }
  const form = multipart(body.multipart);
  const length = form.length === undefined ? {} : { 'content-length': String(form.length) };
  return {
    body: Readable.from(form.bytes(exchange.ended)),
    headers: { 'content-type': form.contentType, ...length },
  };
}

// A list of authorities replaces Node's own list, so Node's list has to be given too.
function trust(extra: readonly string[]): { ca?: string[] } {
  if (extra.length === 0) return {};
  for (const pem of extra) {
    if (!isCertificate(pem)) {
      throw new OutriderError('configuration', 'an extra authority is not a PEM certificate');
    }
  }
  return { ca: [...getCACertificates('default'), ...extra] };
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== '';
  } catch {
    return false;
  }
}
