// Calls to a server that we chose, with a file as the body or an answer that is too large for memory. What goes wrong on
// the wire is a value, in words of our own.

import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { Agent, request } from 'undici';
import { wireFaultOf } from './wire-fault.ts';

export interface StreamedCall {
  readonly method: 'GET' | 'PUT' | 'DELETE';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: { readonly file: string; readonly sizeBytes: number } | undefined;
  /** Until the head of the answer is there. */
  readonly timeoutMs: number;
}

export type StreamedReply =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** Names in lower case. */
      readonly headers: Readonly<Record<string, string | string[] | undefined>>;
      /** To be read to its end, or destroyed. */
      readonly body: Readable;
    }
  | {
      readonly kind: 'failed';
      readonly code: string;
      /** What the server did, to be put behind its name: "refused the connection". */
      readonly words: string;
    };

export interface StreamedCalls {
  /** Throws what reading the file throws. */
  send(call: StreamedCall): Promise<StreamedReply>;
  /** Ends what is under way. */
  close(): Promise<void>;
}

export function createStreamedCalls(connectTimeoutMs = 10_000): StreamedCalls {
  const agent = new Agent({
    connect: { timeout: connectTimeoutMs },
    headersTimeout: 60_000,
    // The longest silence within an answer.
    bodyTimeout: 30_000,
  });
  return {
    async send({ method, url, headers, body, timeoutMs }) {
      const late = new AbortController();
      const deadline = setTimeout(() => late.abort(), timeoutMs);
      const file = body === undefined ? undefined : createReadStream(body.file);
      const length = body === undefined ? {} : { 'content-length': String(body.sizeBytes) };
      try {
        const answer = await request(url, {
          method,
          headers: { ...headers, ...length },
          body: file ?? null,
          dispatcher: agent,
          signal: late.signal,
        });
        const { statusCode: status, headers: given } = answer;
        return { kind: 'answered', status, headers: given, body: answer.body };
      } catch (error) {
        const words = `did not answer within ${timeoutMs} ms`;
        if (late.signal.aborted) return { kind: 'failed', code: 'timeout', words };
        const fault = wireFaultOf(error);
        if (fault === undefined || fault.code === 'ENOENT') throw error;
        return { kind: 'failed', code: fault.code, words: fault.words };
      } finally {
        clearTimeout(deadline);
        file?.destroy();
      }
    },
    close: () => agent.destroy(),
  };
}
