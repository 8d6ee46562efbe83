import { Api, InputFile, TelegramApiError } from 'node-telegram-bot-api';
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
let api: Api;

beforeEach(async () => {
  sandbox = await startTelegram();
  api = new Api(token, { apiRoot: sandbox.url });
});

afterEach(() => sandbox.close());

describe('node-telegram-bot-api', () => {
  it('asks who the bot is', async () => {
    expect(await api.getMe()).toMatchObject({ id: 4200, username: 'first_bot' });
  });

  it('sends text with entities of its own', async () => {
    const sent = await api.sendMessage({
      chat_id: channel,
      text: '👋 there',
      entities: [{ type: 'bold', offset: 3, length: 5 }],
    });
    expect(sent).toMatchObject({ entities: [{ type: 'bold', offset: 3, length: 5 }] });
    expect(sandbox.posts(channel)).toMatchObject([{ html: '👋 <b>there</b>' }]);
  });

  it('uploads a photo', async () => {
    const photo = new InputFile(png(640, 480), { filename: 'cat.png' });
    const sent = await api.sendPhoto({ chat_id: user, photo, caption: 'кот' });
    expect(sent).toMatchObject({ caption: 'кот' });
    expect(sandbox.posts(user)).toMatchObject([
      { text: 'кот', media: [{ type: 'photo', size: 100, filename: 'cat.png' }] },
    ]);
  });

  it('sends an album of an upload and an address', async () => {
    const messages = await api.sendMediaGroup({
      chat_id: supergroup,
      media: [
        {
          type: 'photo',
          media: new InputFile(png(20, 20), { filename: 'b.png' }),
          caption: 'both',
        },
        { type: 'photo', media: 'https://example.com/d.jpg' },
      ],
    });
    expect(messages).toHaveLength(2);
    expect(sandbox.posts(supergroup)).toMatchObject([
      { text: 'both', media: [{ filename: 'b.png' }] },
      { media: [{ url: 'https://example.com/d.jpg' }] },
    ]);
  });

  it('throws its own error for a refusal', async () => {
    const error = await api.sendMessage({ chat_id: -5, text: 'a' }).catch((why: unknown) => why);
    expect(error).toBeInstanceOf(TelegramApiError);
    expect(error).toMatchObject({ errorCode: 400, description: 'Bad Request: chat not found' });
  });

  it('hands on how long to wait when that is longer than it waits', async () => {
    sandbox.faults.add({ kind: 'rate_limited', retryAfter: 61, times: 1 });
    const error = await api.sendMessage({ chat_id: user, text: 'a' }).catch((why: unknown) => why);
    expect(error).toMatchObject({ errorCode: 429, retryAfter: 61 });
  });

  it('repeats the call after the wait that was asked for', async () => {
    sandbox.faults.add({ kind: 'rate_limited', retryAfter: 0, times: 1 });
    expect(await api.sendMessage({ chat_id: user, text: 'a' })).toMatchObject({ text: 'a' });
    expect(sandbox.posts(user)).toHaveLength(1);
  });

  it('has no method that the sandbox takes for a misspelt one', async () => {
    const named = Object.getOwnPropertyNames(Api.prototype);
    const methods = named.filter((name) => name !== 'constructor' && name !== 'request');
    const said = await Promise.all(methods.map((name) => sandbox.words(name)));
    expect(said).not.toContain('404 Not Found: method not found');
    expect(await sandbox.words('sendMesage')).toBe('404 Not Found: method not found');
  });
});
