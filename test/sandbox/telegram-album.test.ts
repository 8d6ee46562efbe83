import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  channel,
  group,
  startTelegram,
  type TelegramSandbox,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

const photo = { type: 'photo', media: 'https://x.io/a.jpg' };
const video = { type: 'video', media: 'https://x.io/a.mp4' };
const document = { type: 'document', media: 'https://x.io/a.pdf' };
const audio = { type: 'audio', media: 'https://x.io/a.mp3' };
const send = (media: unknown, more: object = {}) =>
  sandbox.words('sendMediaGroup', { chat_id: channel, media, ...more });

describe('an album', () => {
  it.each([
    ['photos and videos', [photo, video, photo]],
    ['documents', [document, document]],
    ['music', [audio, audio]],
    ['one item', [photo]],
    ['ten items', Array.from({ length: 10 }, () => photo)],
  ])('of %s is sent as one message for each item', async (_what, media) => {
    expect(await send(media)).toHaveLength(media.length);
    expect(new Set(sandbox.posts(channel).map((post) => post.album)).size).toBe(1);
  });

  it('may be written as a JSON string, and loses its keyboard', async () => {
    const keyboard = { inline_keyboard: [[{ text: 'a', callback_data: 'a' }]] };
    expect(await send(JSON.stringify([photo]), { reply_markup: keyboard })).toHaveLength(1);
    expect(sandbox.posts(channel)).toMatchObject([{ buttons: [] }]);
  });

  it('has a number of its own', async () => {
    await send([photo]);
    await send([photo]);
    expect(new Set(sandbox.posts(channel).map((post) => post.album)).size).toBe(2);
  });

  it.each<[unknown, string]>([
    ['', 'parameter "media" is required'],
    ['[', "can't parse media JSON object"],
    [{}, 'expected an Array of InputMedia'],
    [['x'], "can't parse InputMedia: expected an Object"],
    [[{ type: 'photo' }], "can't parse InputMedia: media not found"],
    [[{ type: 'photo', media: 'attach://no' }], "can't parse InputMedia: media not found"],
    [[{ media: 'x.io/a' }], 'can\'t parse InputMedia: Can\'t find field "type"'],
    [
      [{ ...photo, type: 'animation' }],
      'can\'t parse InputMedia: type "animation" can\'t be used in sendMediaGroup',
    ],
    [[{ ...photo, type: 'voice' }], 'can\'t parse InputMedia: type "voice" is unsupported'],
    [
      [{ ...photo, caption: '<b>', parse_mode: 'HTML' }],
      "can't parse InputMedia: Can't parse entities: Can't find end tag corresponding to start tag \"b\"",
    ],
    [[], 'there are no messages to send'],
    [Array.from({ length: 11 }, () => photo), 'too many messages to send as an album'],
    [[photo, document], "document can't be mixed with other media types"],
    [[audio, photo], "audio can't be mixed with other media types"],
    [
      [photo, { ...photo, show_caption_above_media: true }],
      'parameter show_caption_above_media must be the same for all messages',
    ],
    [[photo, { ...photo, caption: 'x'.repeat(1025) }], 'message caption is too long'],
    [
      [photo, { ...photo, media: 'https://x.invalid/a.jpg' }],
      'failed to send message #2 with the error message "WEBPAGE_CURL_FAILED"',
    ],
    [
      [photo, { ...photo, media: 'AAAA' }],
      "wrong remote file identifier specified: can't unserialize it",
    ],
  ])('with a fault is refused whole: %j', async (media, words) => {
    expect(await send(media)).toBe(`400 Bad Request: ${words}`);
    expect(sandbox.posts(channel)).toEqual([]);
  });

  it('does not take an animation that calls itself a video', async () => {
    const sent = await sandbox.api.sendAnimation(user, 'https://x.io/a.gif');
    expect(await send([photo, { type: 'video', media: sent.animation.file_id }])).toBe(
      "400 Bad Request: can't use the media of the specified type in the album",
    );
  });

  it('may be taken in part: what was taken stays, and the call fails', async () => {
    sandbox.order('albums', { chat: channel, accept: 2, error: 'MEDIA_INVALID' });
    expect(await send([photo, photo, photo])).toBe(
      '400 Bad Request: failed to send message #3 with the error message "MEDIA_INVALID"',
    );
    expect(sandbox.posts(channel)).toHaveLength(2);
    sandbox.order('albums', { chat: channel, accept: 0 });
    expect(await send([photo])).toBe('400 Bad Request: group send failed');
    expect(await send([photo])).toHaveLength(1);
  });

  it('counts as one message for each item against a limit', async () => {
    sandbox.order('limits', { chat: { calls: 3, ms: 3000 } });
    expect(await send([photo, photo])).toHaveLength(2);
    expect(await send([photo, photo])).toBe('429 Too Many Requests: retry after 3');
    expect(sandbox.posts(channel)).toHaveLength(2);
  });

  it('needs the right to send each of its kinds', async () => {
    sandbox.order('members', { chat: group, denied: ['video'] });
    const sent = await sandbox.words('sendMediaGroup', { chat_id: group, media: [photo, video] });
    expect(sent).toBe('400 Bad Request: not enough rights to send videos to the chat');
  });
});
