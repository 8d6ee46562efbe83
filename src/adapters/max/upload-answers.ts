// What the answers of the upload host mean. It is another server; its answers differ with the type of the file, and
// its refusals may come with status 200 too.

import { z } from 'zod';
import type { Answered, Reply } from '../../http/transport.ts';
import type { SendError } from '../adapter.ts';
import {
  asksToComeBack,
  noAnswer,
  parseJson,
  rawAnswer,
  recoded,
  retryAfter,
  sendError,
} from '../answer.ts';
import { type Answer, wait } from './answers.ts';

export type UploadType = 'image' | 'video' | 'audio' | 'file';

const token = z.string().min(1).max(4096);
const photosShape = z.object({ photos: z.record(z.string(), z.object({ token })) });
const fileShape = z.object({ token });
const refusalShape = z.union([
  z.object({ code: z.union([z.string().min(1), z.number()]), message: z.string().nullish() }),
  z
    .object({ error_code: z.union([z.string().min(1), z.number()]), error_data: z.unknown() })
    .transform(({ error_code: code, error_data: data }) => ({
      code,
      message: typeof data === 'string' ? data : undefined,
    })),
]);

/**
 * The token of the file that was uploaded. `promised` is the token that MAX gave out with the address: the answer to
 * video and audio is XML without a token.
 */
export function judgeUpload(
  reply: Reply,
  type: UploadType,
  promised: string | undefined,
  now: Date,
): Answer<string> {
  if (reply.kind !== 'answered') return { ok: false, error: unanswered(reply) };
  const refusal = refusalShape.safeParse(parseJson(reply.body)).data;
  const isGood = reply.status >= 200 && reply.status < 300;
  if (!isGood || refusal !== undefined) return { ok: false, error: refused(reply, refusal, now) };
  const value = tokenIn(reply, type, promised);
  if (value !== undefined) return { ok: true, value };
  const words = 'the upload host answered in a form that is not known';
  return { ok: false, error: sendError('upload_failed', words, { raw: rawAnswer(reply) }) };
}

/** No message has been sent yet, so none can have arrived. */
function unanswered(reply: Exclude<Reply, Answered>): SendError {
  const error = noAnswer(reply);
  const isOurs = reply.code === 'source_missing' || reply.code === 'source_failed';
  return reply.kind === 'unknown' && !isOurs ? recoded(error, 'upload_failed') : error;
}

function tokenIn(
  answer: Answered,
  type: UploadType,
  promised: string | undefined,
): string | undefined {
  const json = parseJson(answer.body);
  if (type === 'image')
    return Object.values(photosShape.safeParse(json).data?.photos ?? {})[0]?.token;
  if (type === 'file') return fileShape.safeParse(json).data?.token;
  const isTaken = /<retval>\s*1\s*<\/retval>/.test(answer.body);
  return isTaken ? promised : undefined;
}

/**
 * A refused file stays refused. An upload address that is gone or no longer valid says nothing about the chat; the
 * next attempt asks for a new one.
 */
function refused(
  answer: Answered,
  refusal: z.output<typeof refusalShape> | undefined,
  now: Date,
): SendError {
  const { status } = answer;
  const raw = rawAnswer(answer);
  const told = refusal === undefined ? '' : ` (${refusal.code}: ${refusal.message ?? ''})`;
  const words = `the upload host answered with status ${status}${told.slice(0, 500).toWellFormed()}`;
  if (status === 429) {
    return sendError('rate_limited', words, { raw, retryAfterMs: wait(answer, now) });
  }
  const isPassing = status >= 500 || [401, 403, 404, 408, 410].includes(status);
  const isRedirect = status >= 300 && status < 400;
  if (isPassing || isRedirect) {
    return sendError('upload_failed', words, {
      raw,
      ...(asksToComeBack(status) && retryAfter(answer, now)),
    });
  }
  return sendError('validation_failed', words, { raw });
}
