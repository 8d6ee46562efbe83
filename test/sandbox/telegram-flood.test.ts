import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  channel,
  group,
  otherToken,
  startTelegram,
  type TelegramSandbox,
  token,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

const send = (chat: number, more: object = {}, as = token) =>
  sandbox.words('sendMessage', { chat_id: chat, text: 'a', ...more }, as);

/** How many of so many messages at once are let through. */
async function burst(count: number, chat: number): Promise<number> {
  let passed = 0;
  for (let index = 0; index < count; index += 1) {
    if (typeof (await send(chat)) === 'object') passed += 1;
  }
  return passed;
}

describe('the limits', () => {
  it('of a chat are one message a second, with a small burst', async () => {
    sandbox.order('limits', { chat: { calls: 3, ms: 3000 } });
    expect(await burst(5, user)).toBe(3);
    expect(await burst(5, channel)).toBe(3);
    sandbox.clock.advance(2999);
    expect(await send(user)).toBe('429 Too Many Requests: retry after 1');
    sandbox.clock.advance(1);
    expect(await burst(5, user)).toBe(3);
  });

  it('of a group are twenty in a minute', async () => {
    sandbox.order('limits', { group: { calls: 20, ms: 60_000 } });
    expect(await burst(25, group)).toBe(20);
    expect(await burst(25, user)).toBe(25);
    expect(await send(group)).toBe('429 Too Many Requests: retry after 60');
  });

  it('of a bot are thirty in a second, unless it pays', async () => {
    sandbox.order('limits', { bot: { calls: 30, ms: 1000 } });
    expect(await burst(40, user)).toBe(30);
    expect(await send(channel)).toBe('429 Too Many Requests: retry after 1');
    expect(await send(user, {}, otherToken)).toMatchObject({ text: 'a' });
    expect(await send(channel, { allow_paid_broadcast: true })).toMatchObject({ text: 'a' });
  });

  it('are there from the start', async () => {
    await sandbox.close();
    sandbox = await startTelegram({ limited: true });
    expect(await burst(5, user)).toBe(3);
    sandbox.clock.advance(1000);
    expect(await burst(5, user)).toBe(0);
    sandbox.order('limits', { chat: null });
    expect(await burst(50, group)).toBe(20);
    expect(await burst(50, channel)).toBe(10);
  });

  it('count nothing that is refused for another reason', async () => {
    sandbox.order('limits', { chat: { calls: 1, ms: 1000 } });
    expect(await send(user, { text: ' ' })).toBe('400 Bad Request: text must be non-empty');
    expect(await send(user)).toMatchObject({ text: 'a' });
    expect(await send(user, { text: '' })).toBe('400 Bad Request: message text is empty');
  });

  it('answer with the wait in the body and in the head', async () => {
    sandbox.order('limits', { chat: { calls: 1, ms: 4500 } });
    await send(user);
    const url = `${sandbox.url}/bot${token}/sendMessage?chat_id=${user}&text=a`;
    const answer = await fetch(url);
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('5');
    expect(await answer.json()).toEqual({
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 5',
      parameters: { retry_after: 5 },
    });
    expect(sandbox.posts(user)).toHaveLength(1);
  });
});
