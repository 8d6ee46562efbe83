import { Telegram, TelegramError } from 'telegraf';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  channel,
  png,
  startTelegram,
  supergroup,
  type TelegramSandbox,
  token,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;
let telegram: Telegram;

beforeEach(async () => {
  sandbox = await startTelegram();
  telegram = new Telegram(token, { apiRoot: sandbox.url });
});

afterEach(() => sandbox.close());

describe('telegraf', () => {
  it('asks who the bot is', async () => {
    expect(await telegram.getMe()).toMatchObject({ id: 4200, username: 'first_bot' });
  });

  it('sends formatted text with a keyboard', async () => {
    const sent = await telegram.sendMessage(channel, '*Hi* there', {
      parse_mode: 'MarkdownV2',
      reply_markup: { inline_keyboard: [[{ text: 'Read', url: 'https://example.com/a' }]] },
    });
    expect(sent).toMatchObject({ text: 'Hi there', entities: [{ type: 'bold', length: 2 }] });
    expect(sandbox.posts(channel)).toMatchObject([
      { text: 'Hi there', buttons: [[{ text: 'Read', url: 'https://example.com/a' }]] },
    ]);
  });

  it('uploads a photo', async () => {
    const photo = { source: png(640, 480), filename: 'cat.png' };
    const sent = await telegram.sendPhoto(user, photo, { caption: 'кот' });
    expect(sent.photo.at(-1)).toMatchObject({ width: 640, height: 480 });
    expect(sandbox.posts(user)).toMatchObject([
      { text: 'кот', media: [{ type: 'photo', size: 100, filename: 'cat.png' }] },
    ]);
  });

  it('sends an album of an upload and an address', async () => {
    const messages = await telegram.sendMediaGroup(supergroup, [
      { type: 'photo', media: { source: png(20, 20), filename: 'b.png' }, caption: 'both' },
      { type: 'photo', media: 'https://example.com/d.jpg' },
    ]);
    expect(messages.map(({ message_id }) => message_id)).toEqual([1, 2]);
    expect(sandbox.posts(supergroup).map(({ album }) => album)).toEqual([
      expect.any(String),
      sandbox.posts(supergroup)[0]?.album,
    ]);
  });

  it('throws its own error for a refusal', async () => {
    const error = await telegram.sendMessage(-5, 'a').catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TelegramError);
    expect(error).toMatchObject({ code: 400, description: 'Bad Request: chat not found' });
  });

  it('hands on how long to wait', async () => {
    sandbox.faults.add({ kind: 'rate_limited', retryAfter: 7, times: 1 });
    const error = await telegram.sendMessage(user, 'a').catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 429, parameters: { retry_after: 7 } });
    expect(await telegram.sendMessage(user, 'b')).toMatchObject({ text: 'b' });
  });

  it('hears that a method is not simulated', async () => {
    const error = await telegram.pinChatMessage(channel, 1).catch((reason: unknown) => reason);
    expect(error).toMatchObject({
      code: 404,
      description: 'Not Found: this sandbox does not simulate pinChatMessage',
    });
  });
});
