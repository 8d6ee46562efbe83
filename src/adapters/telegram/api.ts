// Calls of the Bot API: https://api.telegram.org/bot<token>/<method>. The address contains the token, so nothing
// shows the address.

import { z } from 'zod';
import type { FilePart } from '../../http/multipart.ts';
import type { HttpBody, Transport } from '../../http/transport.ts';
import { noAnswer, readAnswer, sendError } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { sendPaced } from '../paced.ts';
import { type Failed, judgeAnswer } from './answers.ts';

export interface TelegramApiOptions {
  readonly baseUrl: string;
  readonly transport: Transport;
  readonly timeoutMs: number;
  readonly uploadTimeoutMs: number;
  now(): Date;
}

export interface Call {
  readonly method: string;
  /** Undefined ones are left out. */
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Named in the parameters as `attach://<name>`. */
  readonly uploads?: readonly FilePart[];
  /** How many messages it makes: for an album, one for each item. Telegram counts nothing else. */
  readonly messages?: number;
}

export type Answer<T> = { readonly ok: true; readonly value: T } | Failed;

export interface TelegramApi {
  /** The result as the schema reads it, or what the answer means. */
  call<Schema extends z.ZodType>(
    caller: Caller,
    call: Call,
    result: Schema,
  ): Promise<Answer<z.output<Schema>>>;
}

const Success = z.object({ ok: z.literal(true), result: z.unknown() });

export function createTelegramApi(options: TelegramApiOptions): TelegramApi {
  const { transport, uploadTimeoutMs } = options;
  const baseUrl = options.baseUrl.replace(/\/+$/, '');
  return {
    async call({ token, signal, holds, beforeCall, onAnswer, timeoutMs }, call, result) {
      if (!/^\d+:[\w-]+$/.test(token)) return notAToken;
      const uploads = call.uploads ?? [];
      const counted = { messages: call.messages ?? 1 };
      const reply = await sendPaced(transport, beforeCall, counted, {
        method: 'POST',
        url: `${baseUrl}/bot${token}/${call.method}`,
        body: bodyOf(call.parameters, uploads),
        timeoutMs: uploads.length > 0 ? uploadTimeoutMs : (timeoutMs ?? options.timeoutMs),
        silenceMs: uploads.length > 0 ? undefined : timeoutMs,
        signal,
        holds,
        onAnswer,
        // The half behind the colon gives the bot away, however the colon is written.
        secrets: [token, token.slice(token.indexOf(':') + 1)],
      });
      if (reply.kind !== 'answered') return { ok: false, error: noAnswer(reply) };
      const success = reply.status === 200 ? readAnswer(reply, Success) : undefined;
      const read = success && result.safeParse(success.result);
      if (read?.success !== true) return judgeAnswer(reply, options.now());
      return { ok: true, value: read.data };
    },
  };
}

const notAToken: Failed = {
  ok: false,
  error: sendError(
    'credential_refused',
    'it is not the token of a Telegram bot, which looks like 123456:secret',
  ),
};

/** JSON, or a form when files are uploaded. In a form, values that are not text are written as JSON. */
function bodyOf(parameters: Call['parameters'], uploads: readonly FilePart[]): HttpBody {
  if (uploads.length === 0) return { json: parameters };
  const fields = Object.entries(parameters).flatMap(([name, value]) => {
    if (value === undefined) return [];
    return [{ name, value: typeof value === 'string' ? value : JSON.stringify(value) }];
  });
  return { multipart: [...fields, ...uploads] };
}
