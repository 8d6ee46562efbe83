// Posts a body to an address that somebody has configured, over a connection of its own to a public address; private ones
// have to be allowed by name. No redirect is followed, nothing is repeated, and of the answer only its head is read.

import { Client } from 'undici';
import { createAddressGuard, type GuardOptions } from './address-guard.ts';
import { faultOfWire } from './fetch-fault.ts';

export interface GuardedPostOptions extends GuardOptions {
  /** For everything. */
  readonly timeoutMs?: number | undefined;
}

export interface PostRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export type PostAnswer =
  | { readonly ok: true; readonly status: number; readonly retryAfter: string | undefined }
  /** A sentence that names the host, and nothing else of the address. */
  | { readonly ok: false; readonly reason: string };

export interface GuardedPost {
  send(request: PostRequest, signal: AbortSignal): Promise<PostAnswer>;
}

export function createGuardedPost(options: GuardedPostOptions = {}): GuardedPost {
  const { timeoutMs = 10_000 } = options;
  const guard = createAddressGuard(options);
  return {
    async send({ url: address, headers, body }, given) {
      const url = URL.parse(address);
      if (url === null) return { ok: false, reason: 'the address cannot be read as a URL' };
      const refusal = guard.refusal(url);
      if (refusal !== undefined) return { ok: false, reason: refusal.reason };
      const late = AbortSignal.timeout(timeoutMs);
      const signal = AbortSignal.any([given, late]);
      const client = new Client(url.origin, {
        connect: guard.connector(url, { timeoutMs, signal }),
        headersTimeout: timeoutMs,
      });
      try {
        const answer = await client.request({
          method: 'POST',
          path: `${url.pathname}${url.search}`,
          headers: { 'user-agent': 'outrider', ...headers },
          body,
          signal,
          reset: true,
        });
        const retryAfter = answer.headers['retry-after'];
        return {
          ok: true,
          status: answer.statusCode,
          retryAfter: Array.isArray(retryAfter) ? retryAfter[0] : retryAfter,
        };
      } catch (error) {
        if (late.aborted) {
          return { ok: false, reason: `${url.host} did not answer within ${timeoutMs} ms` };
        }
        if (given.aborted) return { ok: false, reason: 'it was stopped' };
        return { ok: false, reason: faultOfWire(error, url.host).message };
      } finally {
        await client.destroy();
      }
    },
  };
}
