// Changes or takes back what was sent. Both may be repeated at will: a change that was made before is a success.

import { z } from 'zod';
import type { ChangeOutcome, Edit, SentPost } from '../adapter.ts';
import { sendError } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { callTimeoutMs } from '../settings.ts';
import type { Failed } from './answers.ts';
import type { Call, TelegramApi } from './api.ts';
import { keyboard, postCaption, textParameters } from './calls.ts';
import { SentMessage } from './sent-message.ts';

/** As many as deleteMessages takes. */
const deletedAtOnce = 100;

/** The text is in the first message: alone, or as the caption of the first medium. */
export async function editPost(
  api: TelegramApi,
  post: SentPost,
  edit: Edit,
  signal: AbortSignal,
): Promise<ChangeOutcome> {
  const [first = ''] = post.providerMessageIds;
  const [id, ...others] = messageIds(first);
  if (id === undefined) {
    return { ok: false, error: sendError('message_not_found', 'the post has no message to edit') };
  }
  const isAlbum = others.length > 0;
  const call: Call = {
    method: edit.isCaption ? 'editMessageCaption' : 'editMessageText',
    parameters: {
      chat_id: post.channel.targetId,
      message_id: id,
      ...(edit.isCaption ? postCaption(edit) : textParameters(edit)),
      reply_markup: keyboard(isAlbum ? [] : edit.buttons),
    },
  };
  const answer = await api.call(callerOf(post, signal), call, SentMessage);
  return answer.ok || answer.note === 'not_modified' ? { ok: true } : failedChange(answer);
}

function callerOf(post: SentPost, signal: AbortSignal): Caller {
  return { token: post.token, signal, timeoutMs: callTimeoutMs(post.channel) };
}

export async function removePost(
  api: TelegramApi,
  post: SentPost,
  signal: AbortSignal,
): Promise<ChangeOutcome> {
  const ids = post.providerMessageIds.flatMap(messageIds);
  for (let from = 0; from < ids.length; from += deletedAtOnce) {
    const call = removal(post.channel.targetId, ids.slice(from, from + deletedAtOnce));
    const answer = await api.call(callerOf(post, signal), call, z.literal(true));
    if (!answer.ok && answer.error.code !== 'message_not_found') return failedChange(answer);
  }
  return { ok: true };
}

function removal(chatId: string, ids: readonly number[]): Call {
  if (ids.length === 1) {
    return { method: 'deleteMessage', parameters: { chat_id: chatId, message_id: ids[0] } };
  }
  return { method: 'deleteMessages', parameters: { chat_id: chatId, message_ids: ids } };
}

/** The messages of a part: one, or those of an album. */
function messageIds(joined: string): number[] {
  return joined
    .split(',')
    .map(Number)
    .filter((id) => Number.isSafeInteger(id) && id > 0);
}

/** A chat that moved is a permanent error here: the old messages did not move with it. */
function failedChange({ error }: Failed): ChangeOutcome {
  if (error.code !== 'chat_moved') return { ok: false, error };
  return { ok: false, error: { ...error, category: 'PERMANENT' } };
}
