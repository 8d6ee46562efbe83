// The answer table of Telegram: what a refusal says → what it means for the delivery, the channel or
// the platform. Nearly all refusals have the same status; only the words tell them apart.

import { z } from 'zod';
import type { Answered } from '../../http/transport.ts';
import type { SendError } from '../adapter.ts';
import { asksToComeBack, judgeStatus, rawAnswer, readAnswer, sendError } from '../answer.ts';
import type { ErrorCode } from '../error-codes.ts';

/** What the adapter itself acts upon: Telegram no longer takes the name of a file, or a change changes nothing. */
export type Note = 'file_refused' | 'not_modified';

/** An answer that is not a success: what it means, and where the chat is now if it has moved. */
export interface Failed {
  readonly ok: false;
  readonly error: SendError;
  readonly note?: Note | undefined;
  readonly movedTo?: string | undefined;
}

const Refusal = z.object({
  ok: z.literal(false),
  error_code: z.int().min(400).max(599),
  description: z.string().default(''),
  parameters: z
    .object({
      retry_after: z.number().nonnegative().optional().catch(undefined),
      migrate_to_chat_id: z.int().optional().catch(undefined),
    })
    .optional()
    .catch(undefined),
});

/** What follows the prefix `Bad Request: ` or `Forbidden: `, and what it means. */
type Row = readonly [says: RegExp, code: ErrorCode, note?: Note];

export const answerTable: readonly Row[] = [
  // The bot and its token.
  [/^(Not Found$|unallowed token specified)/i, 'credential_refused'],
  [/^(can't use getUpdates|terminated by)/i, 'unexpected_answer'],

  // The chat.
  [/^group chat was upgraded to a supergroup chat/i, 'chat_moved'],
  [/^(chat_id is empty|(private )?chat not found)/i, 'chat_not_found'],
  [/^(PEER_ID|CHAT_ID|CHANNEL)_INVALID$/, 'chat_not_found'],
  [/^(the group chat was deleted|user is deactivated)/i, 'chat_not_found'],
  // Which topic a post goes to is a setting of the channel.
  [/^(message thread not found|TOPIC_(DELETED|ID_INVALID)$)/i, 'chat_not_found'],
  [/^TOPIC_CLOSED$/, 'not_allowed'],
  [/^bot was (blocked by the user|kicked from the )/i, 'not_allowed'],
  [/^bot (can't initiate conversation|is not a member of the )/i, 'not_allowed'],
  [/^(the )?bot can't send messages to (the )?bots?/i, 'not_allowed'],
  [/^(need administrator rights|have no write access)/i, 'not_allowed'],
  [/^not enough rights/i, 'not_allowed'],
  [/^(CHAT_ADMIN_REQUIRED|CHAT_RESTRICTED|CHANNEL_PRIVATE)$/, 'not_allowed'],
  [/^(CHAT_(WRITE|SEND_[A-Z]+)_FORBIDDEN|USER_BANNED_IN_CHANNEL)$/, 'not_allowed'],

  // An album is taken or refused item by item, and those that were taken stay in the chat.
  [/^(failed to send message #|group send failed)/i, 'outcome_unknown'],

  // The text.
  [/^(message text is empty|text must be non-empty)/i, 'validation_failed'],
  [/^(message|message caption|text) is too long/i, 'validation_failed'],
  [/^(MESSAGE_EMPTY|(MESSAGE|MEDIA_CAPTION)_TOO_LONG)$/, 'validation_failed'],
  [/^(text|strings) must be encoded in UTF-8/i, 'validation_failed'],
  [/^unsupported parse_mode|can't parse entities/i, 'validation_failed'],

  // The files.
  [/^wrong (remote )?file identifier/i, 'validation_failed', 'file_refused'],
  [/^(wrong file_id|invalid file_id)/i, 'validation_failed', 'file_refused'],
  // A photo is no document, though the bytes are the same.
  [/^can't use file of type /i, 'validation_failed', 'file_refused'],
  // The server of the file may be away for a while, or the link is dead: Telegram says the same about both.
  [/^failed to get HTTP URL content/i, 'link_unreadable'],
  [/^(wrong|invalid file) HTTP URL specified/i, 'validation_failed'],
  [/^wrong type of the web page content/i, 'validation_failed'],
  [/^can't upload file by URL/i, 'validation_failed'],
  [/^there is no \w+ in the request/i, 'validation_failed'],
  [/^(PHOTO|IMAGE|VIDEO|MEDIA)_[A-Z_]+$/, 'validation_failed'],
  [/^(photo has unsupported extension|file must be non-empty)/i, 'validation_failed'],
  [/^file (of size \d+ bytes )?is too big/i, 'validation_failed'],

  // The album as a whole.
  [/^can't parse (media JSON|InputMedia)/i, 'validation_failed'],
  [/^expected an Array of InputMedia/i, 'validation_failed'],
  [/^(too many|there are no) messages to send/i, 'validation_failed'],
  [/can't be mixed with other media types/i, 'validation_failed'],
  // A file that was an animation once is one by its file_id; uploaded anew, it is what the album says.
  [/^can't use the media of the specified type/i, 'validation_failed', 'file_refused'],
  [/^parameter show_caption_above_media must be/i, 'validation_failed'],

  // The buttons of a message.
  [/^(reply markup is too long|text buttons are unallowed)/i, 'validation_failed'],
  [/^(can't parse )?inline keyboard button/i, 'validation_failed'],
  [/^BUTTON_[A-Z_]+$/, 'validation_failed'],

  // Changes.
  [/^message is not modified/i, 'not_changeable', 'not_modified'],
  [/^message to (edit|delete) not found/i, 'message_not_found'],
  [/^message identifiers? (is|are) not specified/i, 'message_not_found'],
  [/^message can't be (edited|deleted)/i, 'not_changeable'],
  [/^there is no \w+ in the message to edit/i, 'not_changeable'],
];

/** What an answer means that is not the expected success. */
export function judgeAnswer(answer: Answered, now: Date): Failed {
  const refusal = readAnswer(answer, Refusal);
  if (refusal === undefined) return { ok: false, error: bounded(judgeStatus(answer, now)) };
  const { error_code: status, description, parameters } = refusal;
  const [, code, note] = rowOf(status, description) ?? [];
  const byStatus = judgeStatus({ ...answer, status }, now);
  const error = code === undefined ? byStatus : sendError(code, description);
  const told = parameters?.retry_after;
  return {
    ok: false,
    error: bounded({
      ...error,
      message: `Telegram answers with ${status}: ${description.slice(0, 500).toWellFormed()}`,
      raw: rawAnswer(answer),
      ...(asksToComeBack(status) && told !== undefined && { retryAfterMs: told * 1000 }),
    }),
    note,
    movedTo: error.code === 'chat_moved' ? parameters?.migrate_to_chat_id?.toString() : undefined,
  };
}

function rowOf(status: number, description: string): Row | undefined {
  if (status >= 500 || status === 429) return undefined;
  const words = description.replace(/^[A-Z][A-Za-z ]{1,40}: /, '');
  return answerTable.find(([says]) => says.test(words));
}

const longestWaitMs = 30 * 24 * 60 * 60 * 1000;

/** Nobody waits longer than this, and no record takes more. */
function bounded(error: SendError): SendError {
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return error;
  return { ...error, retryAfterMs: Math.min(Math.ceil(retryAfterMs), longestWaitMs) };
}
