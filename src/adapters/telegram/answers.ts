// The answer table of Telegram: what a refusal says → what it means for the delivery, the channel or
// the platform. Nearly all refusals have the same status; only the words tell them apart.

import { z } from 'zod';
import type { SendError } from '../adapter.ts';
import { judgeStatus, maybeSent, permanent, rawAnswer, readAnswer, retryAfter } from '../answer.ts';
import type { Answered } from '../transport.ts';

/** The codes that the adapter itself acts upon. */
export const chatMoved = 'chat_moved';
export const fileRefused = 'file_refused';
export const notModified = 'not_modified';
export const alreadyDeleted = 'already_deleted';

/** An answer that is no success: what it means, and where the chat is now if it has moved. */
export interface Failed {
  readonly ok: false;
  readonly error: SendError;
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

type Verdict = 'content' | 'channel' | 'again' | 'unknown';

/** What follows the prefix `Bad Request: ` or `Forbidden: `, what it means, and our name for it. */
type Row = readonly [says: RegExp, verdict: Verdict, code: string];

const rows: readonly Row[] = [
  // The bot and its token.
  [/^unallowed token specified/i, 'channel', '421'],
  [/^(can't use getUpdates|terminated by)/i, 'again', '409'],

  // The chat.
  [/^group chat was upgraded to a supergroup chat/i, 'again', chatMoved],
  [/^(chat_id is empty|(private )?chat not found)/i, 'channel', 'chat_not_found'],
  [/^(PEER_ID|CHAT_ID|CHANNEL)_INVALID$/, 'channel', 'chat_not_found'],
  [/^the group chat was deleted/i, 'channel', 'chat_deleted'],
  [/^bot was blocked by the user/i, 'channel', 'bot_blocked'],
  [/^user is deactivated/i, 'channel', 'user_deactivated'],
  [/^bot can't initiate conversation/i, 'channel', 'not_started'],
  [/^(the )?bot can't send messages to (the )?bots?/i, 'channel', 'recipient_is_bot'],
  [/^bot was kicked from the /i, 'channel', 'bot_kicked'],
  [/^bot is not a member of the /i, 'channel', 'not_a_member'],
  [/^(need administrator rights|have no write access|not enough rights)/i, 'channel', 'no_rights'],
  [/^(CHAT_ADMIN_REQUIRED|CHAT_RESTRICTED|CHANNEL_PRIVATE)$/, 'channel', 'no_rights'],
  [/^(CHAT_(WRITE|SEND_[A-Z]+)_FORBIDDEN|USER_BANNED_IN_CHANNEL)$/, 'channel', 'no_rights'],
  // Which topic a post goes to is a setting of the channel.
  [/^(message thread not found|TOPIC_(DELETED|ID_INVALID)$)/i, 'channel', 'topic_not_found'],
  [/^TOPIC_CLOSED$/, 'channel', 'topic_closed'],

  // An album is taken or refused item by item, and those that were taken stay in the chat.
  [/^(failed to send message #|group send failed)/i, 'unknown', 'album_failed'],

  // The text.
  [/^(message text is empty|text must be non-empty|MESSAGE_EMPTY$)/i, 'content', 'text_empty'],
  [/^(message|message caption|text) is too long/i, 'content', 'message_too_long'],
  [/^(MESSAGE|MEDIA_CAPTION)_TOO_LONG$/, 'content', 'message_too_long'],
  [/^(text|strings) must be encoded in UTF-8/i, 'content', 'not_utf8'],
  [/^unsupported parse_mode/i, 'content', 'markup'],
  [/can't parse entities/i, 'content', 'markup'],

  // The files.
  [/^wrong (remote )?file identifier/i, 'content', fileRefused],
  [/^(wrong file_id|invalid file_id)/i, 'content', fileRefused],
  // A photo is no document, though the bytes are the same.
  [/^can't use file of type /i, 'content', fileRefused],
  // Who keeps the file may be away for a while.
  [/^failed to get HTTP URL content/i, 'again', 'link_unreadable'],
  [/^(wrong|invalid file) HTTP URL specified/i, 'content', 'link_refused'],
  [/^(wrong type of the web page content|can't upload file by URL)/i, 'content', 'link_refused'],
  [/^there is no \w+ in the request/i, 'content', 'media_refused'],
  [/^(PHOTO|IMAGE|VIDEO|MEDIA)_[A-Z_]+$/, 'content', 'media_refused'],
  [/^(photo has unsupported extension|file must be non-empty)/i, 'content', 'media_refused'],
  [/^file (of size \d+ bytes )?is too big/i, 'content', 'media_too_big'],

  // The album as a whole.
  [/^(can't parse (media JSON|InputMedia)|expected an Array of InputMedia)/i, 'content', 'album'],
  [/^(too many messages to send as an album|there are no messages to send)/i, 'content', 'album'],
  [/can't be mixed with other media types/i, 'content', 'album'],
  [/^can't use the media of the specified type in the album/i, 'content', 'album'],
  [/^parameter show_caption_above_media must be the same/i, 'content', 'album'],

  // What hangs on a message.
  [/^(reply markup is too long|text buttons are unallowed)/i, 'content', 'buttons'],
  [/^(can't parse )?inline keyboard button/i, 'content', 'buttons'],
  [/^BUTTON_[A-Z_]+$/, 'content', 'buttons'],
  [/^message to be replied not found/i, 'content', 'reply_not_found'],
  [/^query is too old/i, 'content', 'callback_expired'],

  // Changes.
  [/^message is not modified/i, 'content', notModified],
  [/^message to edit not found/i, 'content', 'message_not_found'],
  [/^(message can't be edited|there is no \w+ in the message to edit)/i, 'content', 'not_editable'],
  [/^message to delete not found/i, 'content', alreadyDeleted],
  [/^message can't be deleted/i, 'content', 'not_deletable'],
  [/^message identifiers? (is|are) not specified/i, 'content', 'message_not_found'],

  // The webhook.
  [/^(bad webhook|invalid webhook URL|secret token )/i, 'content', 'webhook'],
];

/** What an answer means that is not the success which was hoped for. */
export function judgeAnswer(answer: Answered, now: Date): Failed {
  const refusal = readAnswer(answer, Refusal);
  if (refusal === undefined) return { ok: false, error: bounded(judgeStatus(answer, now)) };
  const { error_code: status, description, parameters } = refusal;
  const error = judgeWords(status, description) ?? judgeStatus({ ...answer, status }, now);
  const told = parameters?.retry_after;
  const asked = told === undefined ? retryAfter(answer, now) : { retryAfterMs: told * 1000 };
  return {
    ok: false,
    error: bounded({
      ...error,
      message: `Telegram answers with ${status}: ${description.slice(0, 500).toWellFormed()}`,
      raw: rawAnswer(answer),
      ...(status === 429 && asked),
    }),
    movedTo: error.code === chatMoved ? parameters?.migrate_to_chat_id?.toString() : undefined,
  };
}

function judgeWords(status: number, description: string): SendError | undefined {
  if (status >= 500 || status === 429) return undefined;
  const words = description.replace(/^[A-Z][A-Za-z ]{1,40}: /, '');
  const row = rows.find(([says]) => says.test(words));
  if (row === undefined) return undefined;
  const [, verdict, code] = row;
  if (verdict === 'unknown') return maybeSent(words);
  const scope = verdict === 'channel' ? 'channel' : 'delivery';
  return {
    ...permanent(code, words, { scope }),
    category: verdict === 'again' ? 'TRANSIENT' : 'PERMANENT',
  };
}

const longestWaitMs = 30 * 24 * 60 * 60 * 1000;

/** Longer than this nobody waits, and no record takes it. */
function bounded(error: SendError): SendError {
  const { retryAfterMs } = error;
  if (retryAfterMs === undefined) return error;
  return { ...error, retryAfterMs: Math.min(Math.ceil(retryAfterMs), longestWaitMs) };
}
