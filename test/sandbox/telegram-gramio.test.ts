import { Bot, MediaInput, MediaUpload, TelegramError } from 'gramio';
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
let bot: Bot;

beforeEach(async () => {
  sandbox = await startTelegram();
  bot = new Bot(token, { api: { baseURL: `${sandbox.url}/bot` } });
});

afterEach(() => sandbox.close());

const file = (name: string, side: number) => MediaUpload.buffer(png(side, side), name);

describe('gramio', () => {
  it('asks who the bot is', async () => {
    expect(await bot.api.getMe()).toMatchObject({ id: 4200, username: 'first_bot' });
  });

  it('sends formatted text', async () => {
    const text = '<b>Hi</b> <tg-time unix="1647531900" format="wDT">then</tg-time>';
    const sent = await bot.api.sendMessage({ chat_id: channel, text, parse_mode: 'HTML' });
    expect(sent).toMatchObject({
      text: 'Hi then',
      entities: [
        { type: 'bold', offset: 0, length: 2 },
        { type: 'date_time', unix_time: 1_647_531_900, date_time_format: 'wDT' },
      ],
    });
  });

  it('uploads a photo', async () => {
    const photo = file('cat.png', 640);
    const sent = await bot.api.sendPhoto({ chat_id: user, photo, caption: 'кот' });
    expect(sent.photo?.at(-1)).toMatchObject({ width: 640, height: 640 });
    expect(sandbox.posts(user)).toMatchObject([
      { text: 'кот', media: [{ type: 'photo', size: 100, filename: 'cat.png' }] },
    ]);
  });

  it('sends an album of an upload and an address', async () => {
    const messages = await bot.api.sendMediaGroup({
      chat_id: supergroup,
      media: [
        MediaInput.photo(file('b.png', 20), { caption: 'both' }),
        MediaInput.photo('https://example.com/d.jpg'),
      ],
    });
    expect(messages).toHaveLength(2);
    expect(sandbox.posts(supergroup)).toMatchObject([
      { text: 'both', media: [{ type: 'photo', size: 100 }] },
      { media: [{ url: 'https://example.com/d.jpg' }] },
    ]);
  });

  it('throws its own error for a refusal', async () => {
    const error = await bot.api
      .sendMessage({ chat_id: -5, text: 'a' })
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(TelegramError);
    expect(error).toMatchObject({ code: 400, message: 'Bad Request: chat not found' });
  });

  it('hands on how long to wait', async () => {
    sandbox.faults.add({ kind: 'rate_limited', retryAfter: 7, times: 1 });
    const error = await bot.api
      .sendMessage({ chat_id: user, text: 'a' })
      .catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 429, payload: { retry_after: 7 } });
  });
});
