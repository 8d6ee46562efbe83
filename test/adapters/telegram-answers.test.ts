import { describe, expect, it } from 'vitest';
import {
  again,
  answered,
  closed,
  content,
  judge,
  type Meaning,
  newToken,
  refused,
  unknown,
} from './telegram-meanings.ts';

type Case = readonly [status: number, says: string, means: Meaning];

const bad = (means: Meaning, ...says: readonly string[]): Case[] =>
  says.map((words) => [400, `Bad Request: ${words}`, means]);
const forbidden = (means: Meaning, ...says: readonly string[]): Case[] =>
  says.map((words) => [403, `Forbidden: ${words}`, means]);

describe('a refusal of the bot', () => {
  it.each<Case>([
    [401, 'Unauthorized', newToken],
    [401, 'Unauthorized: invalid token specified', newToken],
    [404, 'Not Found', newToken],
    [404, 'Not Found: method not found', closed('refused')],
    [421, 'Misdirected Request: unallowed token specified', newToken],
    [
      409,
      "Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
      again('unexpected_answer'),
    ],
    [
      409,
      'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      again('unexpected_answer'),
    ],
    [409, 'Conflict: terminated by setWebhook request', again('unexpected_answer')],
    [409, 'Conflict: terminated by other setWebhook', again('unexpected_answer')],
  ])('%i %s', (status, says, means) => {
    expect(judge(refused(status, says))).toMatchObject(means);
  });
});

describe('a refusal of the chat', () => {
  const rights = ['text messages', 'photos', 'videos', 'documents', 'music'];
  it.each<Case>([
    ...forbidden(closed('not_allowed'), 'bot was blocked by the user'),
    ...forbidden(closed('chat_not_found'), 'user is deactivated'),
    ...forbidden(closed('not_allowed'), "bot can't initiate conversation with a user"),
    ...['group', 'supergroup', 'channel'].flatMap((type) => [
      ...forbidden(closed('not_allowed'), `bot was kicked from the ${type} chat`),
      ...forbidden(closed('not_allowed'), `bot is not a member of the ${type} chat`),
    ]),
    ...forbidden(closed('chat_not_found'), 'the group chat was deleted'),
    ...forbidden(
      closed('not_allowed'),
      "the bot can't send messages to the bot",
      "bot can't send messages to bots",
    ),
    ...forbidden(closed('not_allowed'), 'something that Telegram has thought of since'),
    ...bad(
      closed('chat_not_found'),
      'chat_id is empty',
      'chat not found',
      'private chat not found',
      'PEER_ID_INVALID',
    ),
    ...bad(again('chat_moved'), 'group chat was upgraded to a supergroup chat'),
    ...bad(
      closed('not_allowed'),
      'need administrator rights in the channel chat',
      'have no write access to the chat',
      'CHAT_WRITE_FORBIDDEN',
      'CHAT_SEND_PHOTOS_FORBIDDEN',
      'CHANNEL_PRIVATE',
      'CHAT_ADMIN_REQUIRED',
      ...rights.map((what) => `not enough rights to send ${what} to the chat`),
    ),
    ...bad(closed('chat_not_found'), 'message thread not found'),
    ...bad(closed('not_allowed'), 'TOPIC_CLOSED'),
  ])('%i %s', (status, says, means) => {
    expect(judge(refused(status, says))).toMatchObject(means);
  });
});

describe('a refusal of the content', () => {
  const identifier = 'wrong remote file identifier specified:';
  it.each<Case>([
    ...bad(content('validation_failed'), 'message text is empty', 'text must be non-empty'),
    ...bad(
      content('validation_failed'),
      'message is too long',
      'message caption is too long',
      'text is too long',
      'MESSAGE_TOO_LONG',
      'MEDIA_CAPTION_TOO_LONG',
    ),
    ...bad(
      content('validation_failed'),
      'text must be encoded in UTF-8',
      'strings must be encoded in UTF-8',
    ),
    ...bad(
      content('validation_failed'),
      'unsupported parse_mode',
      'can\'t parse entities: Unsupported start tag "x" at byte offset 3',
      "can't parse InputMedia: Can't parse entities: Can't find end tag corresponding to start tag \"b\"",
    ),
    ...bad(
      content('validation_failed'),
      'there is no photo in the request',
      'there is no document in the request',
      'PHOTO_INVALID_DIMENSIONS',
      'IMAGE_PROCESS_FAILED',
      'photo has unsupported extension. Use one of .jpg, .jpeg, .gif, .png, .tif or .bmp',
      'file must be non-empty',
    ),
    ...bad(
      content('validation_failed'),
      'wrong file identifier/HTTP URL specified',
      `${identifier} can't unserialize it. Wrong last symbol`,
      `${identifier} can't unserialize it`,
      `${identifier} Wrong padding length`,
      `${identifier} Wrong character in the string`,
      'wrong file_id or the file is temporarily unavailable',
      'invalid file_id',
      "can't use file of type Photo as Document",
    ),
    ...bad(again('link_unreadable'), 'failed to get HTTP URL content'),
    ...bad(
      content('validation_failed'),
      'wrong HTTP URL specified',
      'invalid file HTTP URL specified: Unsupported URL protocol',
      'wrong type of the web page content',
      "can't upload file by URL",
    ),
    ...bad(
      content('validation_failed'),
      'file is too big',
      'file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes',
    ),
    [413, 'Request Entity Too Large', content('validation_failed')],
    ...bad(
      content('validation_failed'),
      "can't parse media JSON object",
      'expected an Array of InputMedia',
      "can't parse InputMedia: media not found",
      'can\'t parse InputMedia: type "animation" can\'t be used in sendMediaGroup',
      'too many messages to send as an album',
      'there are no messages to send',
      "document can't be mixed with other media types",
      "can't use the media of the specified type in the album",
      'parameter show_caption_above_media must be the same for all messages',
    ),
    ...bad(
      content('validation_failed'),
      'reply markup is too long',
      'text buttons are unallowed in the inline keyboard',
      'can\'t parse inline keyboard button: Can\'t find field "text"',
      "inline keyboard button URL 'x' is invalid: Wrong HTTP URL",
      'BUTTON_DATA_INVALID',
      'BUTTON_URL_INVALID',
    ),
    ...bad(content('refused'), 'message to be replied not found'),
    ...bad(content('refused'), 'something that Telegram has thought of since', 'NEW_RAW_CODE'),
  ])('%i %s', (status, says, means) => {
    expect(judge(refused(status, says))).toMatchObject(means);
  });
});

describe('a refusal of a change, a callback or a webhook', () => {
  it.each<Case>([
    ...bad(
      content('not_changeable'),
      'message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message',
    ),
    ...bad(
      content('message_not_found'),
      'message to edit not found',
      'message identifier is not specified',
    ),
    ...bad(
      content('not_changeable'),
      "message can't be edited",
      'there is no text in the message to edit',
      'there is no caption in the message to edit',
    ),
    ...bad(content('message_not_found'), 'message to delete not found'),
    ...bad(
      content('not_changeable'),
      "message can't be deleted",
      "message can't be deleted for everyone",
    ),
    ...bad(
      content('refused'),
      'query is too old and response timeout expired or query ID is invalid',
    ),
    ...bad(
      content('refused'),
      'bad webhook: An HTTPS URL must be provided for webhook',
      'bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443',
      'bad webhook: IP address 10.0.0.1 is reserved',
      'invalid webhook URL specified',
      'secret token is too long',
      'secret token contains unallowed characters',
    ),
  ])('%i %s', (status, says, means) => {
    expect(judge(refused(status, says))).toMatchObject(means);
  });
});

describe('an answer after which nobody knows', () => {
  it.each<Case>([
    ...bad(
      unknown,
      'failed to send message #1 with the error message "WEBPAGE_CURL_FAILED"',
      'failed to send message #3 with the error message "PHOTO_INVALID_DIMENSIONS"',
      'group send failed',
    ),
    [500, 'Internal Server Error: restart', unknown],
    [500, 'Internal Server Error: Request aborted', unknown],
    [502, 'Bad Gateway', unknown],
    // Whatever the words are.
    [500, 'Internal Server Error: chat not found', unknown],
  ])('%i %s', (status, says, means) => {
    expect(judge(refused(status, says))).toMatchObject(means);
  });

  it.each([
    [502, '<html><h1>502 Bad Gateway</h1></html>'],
    [504, ''],
    [200, ''],
    [200, '{"ok":true,"result":{}}'],
    [200, '{"ok":false}'],
  ])('%i with the body %s', (status, body) => {
    expect(judge(answered(status, body))).toMatchObject({ ...unknown, raw: { status } });
  });
});
