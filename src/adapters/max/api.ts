// The calls of one bot: the address, the token in its header, the time that each may take.

import type { HttpRequest, Reply, Transport } from '../../http/transport.ts';
import type { Blob } from '../adapter.ts';
import type { Caller } from '../caller.ts';
import { sendPaced } from '../paced.ts';

export interface ApiOptions {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly timeoutMs: number;
  now(): Date;
}

export interface Call {
  readonly method: HttpRequest['method'];
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
}

export interface Api {
  call(call: Call): Promise<Reply>;
  /** Uploads the bytes to an address that MAX gave out. That is another host, so it does not get the token. */
  upload(url: string, blob: Blob): Promise<Reply>;
  now(): Date;
}

/** Slower than this, an upload is given up. */
const slowestBytesPerMs = 128;
/** The size that we assume for a file of unknown size: that of the largest video. */
const assumedBytes = 250 * 1024 * 1024;

export function openApi(options: ApiOptions, caller: Caller): Api {
  const { transport } = options;
  const { token, signal, holds, beforeCall, onAnswer, timeoutMs = options.timeoutMs } = caller;
  const base = options.baseUrl.replace(/\/+$/, '');
  return {
    call({ method, path, query = {}, json }) {
      const search = new URLSearchParams(query).toString();
      const isMessage = method === 'POST' && path === '/messages';
      return sendPaced(
        transport,
        beforeCall,
        { messages: isMessage ? 1 : 0 },
        {
          method,
          url: `${base}${path}${search === '' ? '' : `?${search}`}`,
          headers: { authorization: token },
          body: json === undefined ? undefined : { json },
          timeoutMs,
          silenceMs: caller.timeoutMs,
          signal,
          holds,
          onAnswer,
          secrets: [token],
        },
      );
    },
    upload(url, blob) {
      const { filename, contentType, sizeBytes } = blob;
      const file = { name: 'data', filename, contentType, sizeBytes, open: () => blob.open() };
      return transport.send({
        method: 'POST',
        url,
        body: { multipart: [file] },
        timeoutMs: timeoutMs + Math.ceil((sizeBytes ?? assumedBytes) / slowestBytesPerMs),
        signal,
        holds,
        onAnswer,
        secrets: [token],
      });
    },
    now: () => options.now(),
  };
}
