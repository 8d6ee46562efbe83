import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  channel,
  group,
  startTelegram,
  supergroup,
  type TelegramSandbox,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

const keyboard = { inline_keyboard: [[{ text: 'a', callback_data: 'a' }]] };
const notModified =
  '400 Bad Request: message is not modified: specified new message content and reply markup are exactly the same as a current content and reply markup of the message';

async function aText(chat = user, text = 'a'): Promise<{ chat_id: number; message_id: number }> {
  const { message_id } = await sandbox.api.sendMessage(chat, text);
  return { chat_id: chat, message_id };
}

async function aPhoto(): Promise<{ chat_id: number; message_id: number }> {
  const { message_id } = await sandbox.api.sendPhoto(user, 'https://x.io/a.jpg', { caption: 'a' });
  return { chat_id: user, message_id };
}

describe('an edit', () => {
  it('that changes nothing is refused', async () => {
    const text = await aText();
    expect(await sandbox.words('editMessageText', { ...text, text: ' a ' })).toBe(notModified);
    expect(await sandbox.words('editMessageReplyMarkup', text)).toBe(notModified);
    const photo = await aPhoto();
    expect(await sandbox.words('editMessageCaption', { ...photo, caption: 'a' })).toBe(notModified);
  });

  it('removes the keyboard when it names none', async () => {
    const text = await aText();
    const kept = { ...text, text: 'a', reply_markup: keyboard };
    expect(await sandbox.words('editMessageText', kept)).toMatchObject({ reply_markup: keyboard });
    expect(await sandbox.words('editMessageText', kept)).toBe(notModified);
    const bare = await sandbox.words('editMessageText', { ...text, text: 'a' });
    expect(bare).toMatchObject({ text: 'a', edit_date: expect.any(Number) });
    expect(bare).not.toHaveProperty('reply_markup');
  });

  it('takes a link preview', async () => {
    const edit = { ...(await aText()), text: 'b', link_preview_options: { is_disabled: true } };
    expect(await sandbox.words('editMessageText', edit)).toMatchObject({
      link_preview_options: { is_disabled: true },
    });
  });

  it('must find its message', async () => {
    const edit = (where: object) => sandbox.words('editMessageText', { text: 'b', ...where });
    expect(await edit({ chat_id: user, message_id: 9 })).toBe(
      '400 Bad Request: message to edit not found',
    );
    expect(await edit({ chat_id: user })).toBe('400 Bad Request: message to edit not found');
    expect(await edit({})).toBe('400 Bad Request: message identifier is not specified');
    expect(await edit({ message_id: 9 })).toBe('400 Bad Request: chat_id is empty');
    expect(await edit({ inline_message_id: 'x' })).toBe('400 Bad Request: MESSAGE_ID_INVALID');
  });

  it('must fit the message', async () => {
    const text = await aText();
    const photo = await aPhoto();
    expect(await sandbox.words('editMessageText', { ...photo, text: 'b' })).toBe(
      '400 Bad Request: there is no text in the message to edit',
    );
    expect(await sandbox.words('editMessageCaption', { ...text, caption: 'b' })).toBe(
      '400 Bad Request: there is no caption in the message to edit',
    );
    expect(await sandbox.words('editMessageText', { ...text, text: 'x'.repeat(4097) })).toBe(
      '400 Bad Request: message is too long',
    );
    expect(await sandbox.words('editMessageMedia', text)).toBe(
      '400 Bad Request: parameter "media" is required',
    );
    expect(await sandbox.words('editMessageMedia', { ...photo, media: '{' })).toBe(
      "400 Bad Request: can't parse input media JSON object",
    );
    const gone = { type: 'photo', media: 'https://x.invalid/a' };
    expect(await sandbox.words('editMessageMedia', { ...photo, media: gone })).toBe(
      '400 Bad Request: failed to get HTTP URL content',
    );
  });

  it('of another’s message is refused', async () => {
    const edit = { ...sandbox.say(group, 'hello'), text: 'b' };
    expect(await sandbox.words('editMessageText', edit)).toBe(
      "400 Bad Request: message can't be edited",
    );
  });

  it('inside an album keeps to photos and videos', async () => {
    const media = [
      { type: 'photo', media: 'https://x.io/a.jpg' },
      { type: 'photo', media: 'https://x.io/b.jpg' },
    ] as const;
    const [first] = await sandbox.api.sendMediaGroup(user, [...media]);
    const where = { chat_id: user, message_id: first?.message_id };
    const video = { type: 'video', media: 'https://x.io/a.mp4' };
    expect(await sandbox.words('editMessageMedia', { ...where, media: video })).toMatchObject({
      media_group_id: expect.any(String),
      video: {},
    });
    const document = { type: 'document', media: 'https://x.io/a.pdf' };
    expect(await sandbox.words('editMessageMedia', { ...where, media: document })).toBe(
      "400 Bad Request: can't change media type in the album",
    );
  });

  it('is refused where the bot has been put out', async () => {
    const text = await aText(supergroup);
    sandbox.order('members', { chat: supergroup, status: 'kicked' });
    expect(await sandbox.words('editMessageText', { ...text, text: 'b' })).toBe(
      '403 Forbidden: bot was kicked from the supergroup chat',
    );
  });
});

describe('a deletion', () => {
  it('must find its message', async () => {
    const text = await aText();
    expect(await sandbox.words('deleteMessage', text)).toBe(true);
    expect(await sandbox.words('deleteMessage', text)).toBe(
      '400 Bad Request: message to delete not found',
    );
    expect(await sandbox.words('deleteMessage', { chat_id: user })).toBe(
      '400 Bad Request: message identifier is not specified',
    );
    expect(await sandbox.words('deleteMessage', { message_id: 5 })).toBe(
      '400 Bad Request: chat identifier is not specified',
    );
  });

  it('is allowed for two days, and with the right for ever', async () => {
    const old = [await aText(user), await aText(channel)] as const;
    sandbox.clock.advance(48 * 60 * 60 * 1000 + 1000);
    expect(await sandbox.words('deleteMessage', old[0])).toBe(
      "400 Bad Request: message can't be deleted for everyone",
    );
    expect(await sandbox.words('deleteMessage', old[1])).toBe(true);
  });

  it('of another’s message needs the right', async () => {
    const where = sandbox.say(group, 'hello');
    expect(await sandbox.words('deleteMessage', where)).toBe(
      "400 Bad Request: message can't be deleted",
    );
    sandbox.order('members', { chat: group, status: 'administrator', can_delete: true });
    expect(await sandbox.words('deleteMessage', where)).toBe(true);
  });

  it.each<[unknown, string]>([
    ['', 'message identifiers are not specified'],
    ['[', "can't parse message_ids JSON object"],
    [1, 'expected an Array of message identifiers'],
    [[[]], 'message identifier must be a Number'],
    [[0], 'invalid message identifier specified'],
    [[], 'message identifiers are not specified'],
    [
      Array.from({ length: 101 }, (_, index) => index + 1),
      'too many message identifiers specified',
    ],
  ])('of several is refused: %j', async (ids, words) => {
    expect(await sandbox.words('deleteMessages', { chat_id: user, message_ids: ids })).toBe(
      `400 Bad Request: ${words}`,
    );
  });

  it('does not free the number', async () => {
    const first = await aText(channel);
    await sandbox.api.deleteMessage(channel, first.message_id);
    expect((await aText(channel)).message_id).toBe(first.message_id + 1);
  });
});
