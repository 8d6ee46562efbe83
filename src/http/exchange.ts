// One request and its answer, as undici reports them. A failure before the first byte is written has the outcome
// `not_sent`; after that it has the outcome `unknown`, until the whole answer is there.

import type { IncomingHttpHeaders } from 'node:http';
import { type Dispatcher, errors } from 'undici';
import { maskSecrets } from './mask-secrets.ts';
import { SourceError } from './multipart.ts';
import type { Reply } from './transport.ts';
import { wireFaultOf } from './wire-fault.ts';

export interface ExchangeOptions {
  readonly maxAnswerBytes: number;
  readonly secrets: readonly string[];
  readonly holds: (() => boolean) | undefined;
}

const decoder = new TextDecoder();

export class Exchange implements Dispatcher.DispatchHandler {
  readonly reply: Promise<Reply>;
  readonly #options: ExchangeOptions;
  readonly #resolve: (reply: Reply) => void;
  #ending: AbortController | undefined;
  #hasEnded = false;
  readonly #chunks: Buffer[] = [];
  #size = 0;
  #written = false;
  #controller: Dispatcher.DispatchController | undefined;
  #status: number | undefined;
  #headers: IncomingHttpHeaders = {};

  constructor(options: ExchangeOptions) {
    const { promise, resolve } = Promise.withResolvers<Reply>();
    this.reply = promise;
    this.#resolve = resolve;
    this.#options = options;
  }

  /** Aborted when the reply is settled. Made only when somebody asks for it: for most requests nobody does. */
  get ended(): AbortSignal {
    this.#ending ??= new AbortController();
    if (this.#hasEnded) this.#ending.abort();
    return this.#ending.signal;
  }

  /** Gives up, whatever the phase. */
  stop(code: string, reason: string): void {
    this.#fail(code, reason);
    this.#controller?.abort(new Error('stopped'));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    // Either it was given up while it waited for a connection, or undici is about to send it once more.
    if (this.#hasEnded || this.#written) controller.abort(new Error('stopped'));
    else if (this.#options.holds?.() === false)
      this.stop('lease_over', 'the lease is over: not sent');
  }

  onBodySent(): void {
    this.#written = true;
  }

  onRequestSent(): void {
    this.#written = true;
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: IncomingHttpHeaders,
  ): void {
    if (status < 200) return;
    this.#status = status;
    this.#headers = headers;
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#size += chunk.byteLength;
    if (this.#size <= this.#options.maxAnswerBytes) this.#chunks.push(chunk);
    else this.stop('too_large', `the answer is longer than ${this.#options.maxAnswerBytes} bytes`);
  }

  onResponseEnd(): void {
    const { secrets } = this.#options;
    const [first, ...more] = this.#chunks;
    const bytes = first === undefined || more.length > 0 ? Buffer.concat(this.#chunks) : first;
    const headers = this.#headers;
    this.#end({
      kind: 'answered',
      status: this.#status ?? 0,
      // Few callers read them, and masking them costs more than the rest of an answer.
      get headers() {
        return maskHeaders(headers, secrets);
      },
      // NUL cannot be stored.
      body: maskSecrets(decoder.decode(bytes).replaceAll('\0', '\ufffd'), secrets),
    });
  }

  onResponseError(_controller: Dispatcher.DispatchController | null, error: Error): void {
    const { code, reason } = failureOf(error);
    this.#fail(code, reason);
  }

  #fail(code: string, reason: string): void {
    if (this.#written) this.#end({ kind: 'unknown', code, reason, status: this.#status });
    else this.#end({ kind: 'not_sent', code, reason });
  }

  #end(reply: Reply): void {
    this.#resolve(reply);
    this.#hasEnded = true;
    this.#ending?.abort();
  }
}

interface Failure {
  readonly code: string;
  readonly reason: string;
}

/** Why a request ended: something on our side, the server, or the network between us. */
function failureOf(error: Error): Failure {
  if (error instanceof SourceError) return { code: error.code, reason: error.message };
  const { code, words, kind } = wireFaultOf(error) ?? unknownFault;
  if (error instanceof errors.InvalidArgumentError) {
    return { code, reason: `the request cannot be written as HTTP (${code})` };
  }
  if (error instanceof errors.ClientDestroyedError || error instanceof errors.ClientClosedError) {
    return { code, reason: `the transport is closed (${code})` };
  }
  return { code, reason: `the server ${words}${kind === 'not_http' ? '' : ` (${code})`}` };
}

const unknownFault = { code: 'UNKNOWN', kind: 'unavailable', words: 'could not be reached' };

function maskHeaders(
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): Record<string, string> {
  const masked = Object.entries(headers).map(
    ([name, value = '']) => [name, maskSecrets([value].flat().join(', '), secrets)] as const,
  );
  return Object.fromEntries(masked);
}
