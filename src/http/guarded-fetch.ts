// Fetches a file from an address that a stranger chose. The stranger may control the address, the server and every
// byte, so sockets go to public addresses only, each redirect is judged as a new address, and size and time are capped.
// The socket is closed in any case.

import type { IncomingHttpHeaders } from 'node:http';
import { Client, type Dispatcher } from 'undici';
import { type AddressGuard, createAddressGuard, type GuardOptions } from './address-guard.ts';
import { FetchFault, type FetchFaultCode, faultOfStatus, faultOfWire } from './fetch-fault.ts';
import { readRetryAfter } from './retry-after.ts';
import { mayHaveSecretsOf } from './secret-holder.ts';
import { packedAs, unpacked } from './unpacked.ts';

export interface GuardedFetchOptions extends GuardOptions {
  readonly maxBytes: number;
  /** For everything, redirects included. */
  readonly timeoutMs?: number | undefined;
  readonly connectTimeoutMs?: number | undefined;
  /** The longest silence before an answer, and within it. */
  readonly silenceMs?: number | undefined;
  readonly maxRedirects?: number | undefined;
}

/** What is asked for, beyond the address. */
export interface FetchRequest {
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Headers and parameters that are for this server alone: a redirect to another one does not get them. */
  readonly secretHeaders?: Readonly<Record<string, string>> | undefined;
  readonly secretParameters?: Readonly<Record<string, string>> | undefined;
  /** Lets the server pack the file (gzip, br). `maxBytes` holds for the packed file and for the unpacked one. */
  readonly unpacks?: boolean | undefined;
  /** Takes 304, too: the answer to If-None-Match or If-Modified-Since. Its file is empty. */
  readonly takesNotModified?: boolean | undefined;
}

export interface GuardedFetch {
  /** Lets `take` read the file. Errors that `take` itself throws pass through. */
  fetch<Taken>(
    url: string,
    signal: AbortSignal,
    take: Take<Taken>,
    request?: FetchRequest,
  ): Promise<Fetched<Taken>>;
  /** Stops what is under way. */
  close(): Promise<void>;
}

export type Take<Taken> = (file: IncomingFile) => Promise<Taken>;

/** A file whose bytes are still to come. */
export interface IncomingFile {
  readonly host: string;
  /** Where it came from, after redirects and without secret parameters. */
  readonly url: string;
  /** 200, or 304 if the request takes it. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Throws when the server breaks off or sends more than it may. Do not catch that. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

export type Fetched<Taken> = { readonly ok: true; readonly taken: Taken } | NotFetched;

export interface NotFetched {
  readonly ok: false;
  readonly code: FetchFaultCode;
  /** A sentence that names the host, and nothing else of the address. */
  readonly reason: string;
  /** Whether the same address may work later. */
  readonly transient: boolean;
  /** How long the server asked to be left alone. */
  readonly retryAfterMs?: number | undefined;
  /** What the server answered, if that is what was wrong. */
  readonly status?: number | undefined;
}

export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const { timeoutMs = 60_000 } = options;
  const guard = createAddressGuard(options);
  const closing = new AbortController();
  const underWay = new Set<Promise<unknown>>();

  async function fetchInTime<Taken>(
    url: string,
    signal: AbortSignal,
    take: Take<Taken>,
    request: FetchRequest,
  ): Promise<Fetched<Taken>> {
    const stop = new AbortController();
    const late = new FetchFault('timeout', `the file did not come within ${timeoutMs} ms`);
    const deadline = setTimeout(() => stop.abort(late), timeoutMs);
    const giveUp = () => stop.abort(new FetchFault('aborted', 'the fetch was stopped'));
    const stopping = AbortSignal.any([signal, closing.signal]);
    stopping.addEventListener('abort', giveUp, { once: true });
    if (stopping.aborted) giveUp();
    try {
      stop.signal.throwIfAborted();
      const taken = await follow({ ...options, guard, take, request, signal: stop.signal }, url);
      return { ok: true, taken };
    } catch (error) {
      const fault: unknown = stop.signal.aborted ? stop.signal.reason : error;
      if (!(fault instanceof FetchFault)) throw fault;
      const { code, message: reason, transient, retryAfterMs, status } = fault;
      return {
        ok: false,
        code,
        reason,
        transient,
        ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
        ...(status === undefined ? {} : { status }),
      };
    } finally {
      clearTimeout(deadline);
      stopping.removeEventListener('abort', giveUp);
    }
  }

  return {
    async fetch(url, signal, take, request = {}) {
      const fetching = fetchInTime(url, signal, take, request);
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

interface Fetching<Taken> extends GuardedFetchOptions {
  readonly guard: AddressGuard;
  readonly take: Take<Taken>;
  readonly request: FetchRequest;
  readonly signal: AbortSignal;
}

const redirects: readonly number[] = [301, 302, 303, 307, 308];

async function follow<Taken>(fetching: Fetching<Taken>, address: string): Promise<Taken> {
  const { maxRedirects = 5 } = fetching;
  const first = URL.parse(address);
  if (first === null) throw new FetchFault('invalid_url', 'the address cannot be read as a URL');
  let url = first;
  let from: URL | undefined;
  for (let count = 0; count <= maxRedirects; count += 1) {
    const refusal = fetching.guard.refusal(url);
    if (refusal !== undefined) {
      const redirected = from === undefined ? '' : `${from.host} redirects, and `;
      throw new FetchFault(refusal.code, redirected + refusal.reason);
    }
    const answer: Asked<Taken> = await ask(fetching, url, mayHaveSecretsOf(first, url));
    if ('taken' in answer) return answer.taken;
    from = url;
    url = withoutSecrets(answer.redirect, fetching.request);
  }
  throw new FetchFault('redirect_refused', `there are more than ${maxRedirects} redirects`);
}

/** A server may repeat the query that it was asked with; a server that may have the secrets gets them anyway. */
function withoutSecrets(to: URL, { secretParameters = {} }: FetchRequest): URL {
  const secrets = new Set(Object.values(secretParameters));
  const clean = new URL(to);
  for (const [name, value] of to.searchParams) {
    if (Object.hasOwn(secretParameters, name) || secrets.has(value))
      clean.searchParams.delete(name);
  }
  return clean;
}

type Asked<Taken> = { readonly taken: Taken } | { readonly redirect: URL };

/** Asks one server, over a connection of its own. Returns what `take` made of the file, or where we are redirected. */
async function ask<Taken>(
  fetching: Fetching<Taken>,
  url: URL,
  isTrusted: boolean,
): Promise<Asked<Taken>> {
  const { guard, signal, take, request, connectTimeoutMs = 10_000, silenceMs = 15_000 } = fetching;
  const client = new Client(url.origin, {
    connect: guard.connector(url, { timeoutMs: connectTimeoutMs, signal }),
    headersTimeout: silenceMs,
    bodyTimeout: silenceMs,
  });
  try {
    const answer = await client
      .request(requestFor(url, request, isTrusted))
      .catch((error: unknown) => {
        throw faultOfWire(error, url.host);
      });
    if (redirects.includes(answer.statusCode)) {
      return { redirect: redirectOf(url, answer.headers) };
    }
    return { taken: await take(fileOf(answer, url, fetching)) };
  } finally {
    await client.destroy();
  }
}

function requestFor(
  url: URL,
  request: FetchRequest,
  isTrusted: boolean,
): Dispatcher.RequestOptions {
  const asked = new URL(url);
  if (isTrusted) {
    for (const [name, value] of Object.entries(request.secretParameters ?? {})) {
      asked.searchParams.set(name, value);
    }
  }
  return {
    method: 'GET',
    path: `${asked.pathname}${asked.search}`,
    reset: true,
    headers: {
      accept: '*/*',
      // A packed file could unpack to any size, so a server may pack only what is unpacked under a limit.
      'accept-encoding': request.unpacks === true ? 'gzip, br' : 'identity',
      // Some servers give nothing to a client that does not say who it is.
      'user-agent': 'outrider',
      ...request.headers,
      ...(isTrusted ? request.secretHeaders : {}),
    },
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

function fileOf(
  { statusCode, headers, body }: Dispatcher.ResponseData,
  { href, host }: URL,
  { maxBytes, request }: Pick<Fetching<unknown>, 'maxBytes' | 'request'>,
): IncomingFile {
  const isUnchanged = statusCode === 304 && request.takesNotModified === true;
  if (statusCode !== 200 && !isUnchanged) {
    const retryAfter = readRetryAfter([headers['retry-after'] ?? []].flat()[0], new Date());
    throw faultOfStatus(statusCode, host, retryAfter);
  }
  const file = { host, url: href, status: statusCode, headers };
  if (isUnchanged) return { ...file, bytes: received(body, host) };
  const packing = packedAs(headers);
  if (packing !== 'nothing' && request.unpacks !== true) {
    throw new FetchFault('unexpected_answer', `${host} sends the file packed, though asked not to`);
  }
  if (packing === undefined) {
    throw new FetchFault(
      'unexpected_answer',
      `${host} sends the file packed in a way that is not known`,
    );
  }
  const tooLarge = new FetchFault('too_large', `${host} sends more than ${maxBytes} bytes`);
  if (Number(headers['content-length'] ?? 0) > maxBytes) throw tooLarge;
  const arriving = capped(received(body, host), maxBytes, tooLarge);
  if (packing === 'nothing') return { ...file, bytes: arriving };
  return { ...file, bytes: capped(unpacked(arriving, packing, host), maxBytes, tooLarge) };
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

async function* capped(
  bytes: AsyncIterable<Uint8Array>,
  maxBytes: number,
  tooLarge: FetchFault,
): AsyncGenerator<Uint8Array> {
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.byteLength;
    if (size > maxBytes) throw tooLarge;
    yield chunk;
  }
}
