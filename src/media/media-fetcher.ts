// Fetches media from wherever a post says, straight into the origin store. The address, the server and
// every byte are a stranger's: sockets go to public addresses only, each redirect is judged as a new
// address, and size and time are capped. Whatever fails, the socket is gone and nothing is kept.

import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import type { Log } from '../log.ts';
import { type AddressGuard, createAddressGuard, type GuardOptions } from './address-guard.ts';
import { contentTypeOf, headBytes } from './content-type.ts';
import { FetchFault, type FetchFaultCode, faultOfStatus, faultOfWire } from './fetch-fault.ts';
import { namedByHeader } from './file-name.ts';
import { type OriginStore, type StoredBlob, TooLargeError } from './origin-store.ts';

export interface MediaFetcherOptions extends GuardOptions {
  readonly store: OriginStore;
  readonly maxBytes: number;
  /** For everything, redirects included. */
  readonly timeoutMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** The longest silence before an answer, and within it. */
  readonly silenceMs?: number | undefined;
  readonly maxRedirects?: number | undefined;
  readonly log?: Log | undefined;
}

export interface MediaFetcher {
  /** `fits` judges the type that the first bytes show, before anything is kept. */
  fetch(
    url: string,
    signal: AbortSignal,
    fits?: (contentType: string) => boolean,
  ): Promise<Fetched>;
  /** Stops what is under way. */
  close(): Promise<void>;
}

export type Fetched = FetchedBlob | NotFetched;

export interface FetchedBlob {
  readonly ok: true;
  readonly blob: StoredBlob;
  /** What the server calls the file. */
  readonly filename?: string | undefined;
}

export interface NotFetched {
  readonly ok: false;
  readonly code: FetchFaultCode;
  /** A sentence that names the host, and nothing else of the address. */
  readonly reason: string;
  /** Whether the same address may do later. */
  readonly transient: boolean;
}

export function createMediaFetcher(options: MediaFetcherOptions): MediaFetcher {
  const { timeoutMs = 60_000, log } = options;
  const guard = createAddressGuard(options);
  const closing = new AbortController();
  const underWay = new Set<Promise<Fetched>>();

  async function fetchInTime(url: string, signal: AbortSignal, fits: Fits): Promise<Fetched> {
    const stop = new AbortController();
    const late = new FetchFault('timeout', `the file did not come within ${timeoutMs} ms`);
    const deadline = setTimeout(() => stop.abort(late), timeoutMs);
    const giveUp = () => stop.abort(new FetchFault('aborted', 'the fetch was stopped'));
    const stopping = AbortSignal.any([signal, closing.signal]);
    stopping.addEventListener('abort', giveUp, { once: true });
    if (stopping.aborted) giveUp();
    try {
      stop.signal.throwIfAborted();
      return await follow({ ...options, guard, fits, signal: stop.signal }, url);
    } catch (error) {
      const fault: unknown = stop.signal.aborted ? stop.signal.reason : error;
      if (!(fault instanceof FetchFault)) throw fault;
      const { code, message: reason, transient } = fault;
      if (code === 'address_refused') log?.warn('media were not fetched', { code, reason });
      return { ok: false, code, reason, transient };
    } finally {
      clearTimeout(deadline);
      stopping.removeEventListener('abort', giveUp);
    }
  }

  return {
    async fetch(url, signal, fits = () => true) {
      const fetching = fetchInTime(url, signal, fits);
      underWay.add(fetching);
      try {
        return await fetching;
      } finally {
        underWay.delete(fetching);
      }
    },
    async close() {
      closing.abort();
      await Promise.allSettled(underWay);
    },
  };
}

type Fits = (contentType: string) => boolean;

interface Fetching extends MediaFetcherOptions {
  readonly guard: AddressGuard;
  readonly fits: Fits;
  readonly signal: AbortSignal;
}

const redirects: readonly number[] = [301, 302, 303, 307, 308];

async function follow(fetching: Fetching, address: string): Promise<Fetched> {
  const { maxRedirects = 5 } = fetching;
  let url = URL.parse(address);
  if (url === null) throw new FetchFault('invalid_url', 'the address cannot be read as a URL');
  for (let count = 0; count <= maxRedirects; count += 1) {
    const answer = await ask(fetching, url);
    if (!(answer instanceof URL)) return answer;
    url = answer;
  }
  throw new FetchFault('redirect_refused', `there are more than ${maxRedirects} redirects`);
}

/** Asks one server, over a connection of its own: what it gives, or where it sends us. */
async function ask(fetching: Fetching, url: URL): Promise<Fetched | URL> {
  const { guard, signal, connectTimeoutMs = 10_000, silenceMs = 15_000 } = fetching;
  const refusal = guard.refusal(url);
  if (refusal !== undefined) throw new FetchFault('address_refused', refusal);
  const client = new Client(url.origin, {
    connect: guard.connector(url, { timeoutMs: connectTimeoutMs, signal }),
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  try {
    const answer = await client.request(requestFor(url)).catch((error: unknown) => {
      throw faultOfWire(error, url.host);
    });
    if (redirects.includes(answer.statusCode)) return redirectOf(url, answer.headers);
    return await keep(fetching, url.host, answer);
  } finally {
    await client.destroy();
  }
}

function requestFor(url: URL): Dispatcher.RequestOptions {
  return {
    method: 'GET',
    path: `${url.pathname}${url.search}`,
    reset: true,
    // Unpacked bytes would have no cap; some servers have nothing for those who do not say who they are.
    headers: { accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'outrider' },
  };
}

function redirectOf(from: URL, { location }: IncomingHttpHeaders): URL {
  const refused = (why: string) => new FetchFault('redirect_refused', `${from.host} ${why}`);
  if (location === undefined) throw refused('redirects without saying where to');
  const to = URL.parse(location, from.href);
  if (to === null) throw refused('redirects to what cannot be read as a URL');
  if (from.protocol === 'https:' && to.protocol === 'http:') {
    throw refused('redirects from https to http');
  }
  return to;
}

async function keep(
  { store, maxBytes, fits }: Fetching,
  host: string,
  { statusCode, headers, body }: Dispatcher.ResponseData,
): Promise<Fetched> {
  if (statusCode !== 200) throw faultOfStatus(statusCode, host);
  if (isPacked(headers)) {
    throw new FetchFault('unexpected_answer', `${host} sends the file packed, though asked not to`);
  }
  const tooLarge = new FetchFault('too_large', `${host} sends more than ${maxBytes} bytes`);
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge;
  try {
    const blob = await store.put(fitting(received(body, host), fits, host), { maxBytes });
    const filename = namedByHeader([headers['content-disposition'] ?? ''].flat().join());
    return { ok: true, blob, filename };
  } catch (error) {
    throw error instanceof TooLargeError ? tooLarge : error;
  }
}

function isPacked(headers: Dispatcher.ResponseData['headers']): boolean {
  const { 'content-encoding': content = '', 'transfer-encoding': transfer = '' } = headers;
  return !/^(identity)?$/i.test(String(content)) || !/^(chunked)?$/i.test(String(transfer));
}

async function* received(
  body: AsyncIterable<Uint8Array>,
  host: string,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    throw faultOfWire(error, host);
  }
}

/** Passes the bytes on once the first of them have shown a type that fits. */
async function* fitting(
  bytes: AsyncIterable<Uint8Array>,
  fits: Fits,
  host: string,
): AsyncGenerator<Uint8Array> {
  const head: Uint8Array[] = [];
  let size = 0;
  const judge = () => {
    const type = contentTypeOf(Buffer.concat(head).subarray(0, headBytes));
    if (!fits(type)) throw new FetchFault('wrong_type', `${host} sends ${inWords(type)}`);
  };
  for await (const chunk of bytes) {
    const isJudged = size >= headBytes;
    size += chunk.byteLength;
    if (isJudged) yield chunk;
    else head.push(chunk);
    if (isJudged || size < headBytes) continue;
    judge();
    yield* head;
  }
  if (size === 0) throw new FetchFault('empty', `${host} sends an empty file`);
  if (size >= headBytes) return;
  judge();
  yield* head;
}

function inWords(contentType: string): string {
  return contentType === 'application/octet-stream' ? 'bytes of no known type' : contentType;
}
