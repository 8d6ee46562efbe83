import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  channel,
  group,
  otherToken,
  startTelegram,
  type TelegramSandbox,
  token,
  user,
} from '../support/sandbox/telegram-sandbox.ts';

const Updates = z.array(z.looseObject({ update_id: z.number() }));
const Pressed = z.object({ callback_query_id: z.string() });

let sandbox: TelegramSandbox;

beforeEach(async () => {
  sandbox = await startTelegram();
});

afterEach(() => sandbox.close());

const poll = (parameters: object = {}, as = token) => sandbox.words('getUpdates', parameters, as);
const say = (chat: number, text: string) => sandbox.order('say', { chat, text });

/** The updates that a poll answered with. */
async function heard(parameters: object = {}, as = token) {
  return Updates.parse(await poll(parameters, as));
}

describe('getUpdates', () => {
  it('tells what people wrote, numbered without gaps', async () => {
    say(user, '/start now');
    say(group, 'hello');
    say(channel, 'news');
    const [first, second, third, ...rest] = await heard();
    const id = first?.update_id ?? 0;
    expect(first).toMatchObject({
      message: {
        text: '/start now',
        chat: { id: user, type: 'private', first_name: 'Anna' },
        from: { id: user, is_bot: false, first_name: 'Anna' },
        entities: [{ type: 'bot_command', offset: 0, length: 6 }],
      },
    });
    expect(second).toMatchObject({ update_id: id + 1, message: { chat: { id: group } } });
    expect(third).toMatchObject({
      update_id: id + 2,
      channel_post: { sender_chat: { id: channel } },
    });
    expect(rest).toEqual([]);
  });

  it('names who wrote', async () => {
    sandbox.order('chats', { id: 502, type: 'private', first_name: 'Vera', username: 'vera' });
    say(502, 'a');
    expect(await heard()).toMatchObject([{ message: { from: { id: 502, username: 'vera' } } }]);
    const [first] = await heard();
    await poll({ offset: (first?.update_id ?? 0) + 1 });
    const from = { id: 9, first_name: 'Boris', username: 'boris' };
    sandbox.order('say', { chat: group, text: 'a', from });
    expect(await heard()).toMatchObject([{ message: { from: { ...from, is_bot: false } } }]);
  });

  it('forgets what an offset confirms, and nothing else', async () => {
    for (const text of ['a', 'b', 'c']) say(user, text);
    const [first] = await heard();
    const id = first?.update_id ?? 0;
    expect(await heard()).toHaveLength(3);
    expect(await heard({ limit: 2 })).toHaveLength(2);
    expect(await heard({ offset: id + 1 })).toHaveLength(2);
    expect(await heard()).toHaveLength(2);
    expect(await heard({ offset: -1 })).toMatchObject([{ message: { text: 'c' } }]);
    expect(await heard()).toHaveLength(1);
  });

  it('waits by the clock, and ends with the first update', async () => {
    const empty = poll({ timeout: 10 });
    await arrived();
    sandbox.clock.advance(10_000);
    expect(await empty).toEqual([]);
    const full = poll({ timeout: 10 });
    await arrived();
    say(user, 'a');
    expect(await full).toMatchObject([{ message: { text: 'a' } }]);
  });

  it('tells nothing that is older than a day', async () => {
    say(user, 'a');
    sandbox.clock.advance(24 * 60 * 60 * 1000);
    expect(await heard()).toEqual([]);
  });

  it('ends when another asks', async () => {
    const first = poll({ timeout: 10 });
    await arrived();
    expect(await poll()).toEqual([]);
    expect(await first).toBe(
      '409 Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
    );
  });

  it('excludes a webhook', async () => {
    const waiting = poll({ timeout: 10 });
    await arrived();
    const url = 'http://127.0.0.1:9/hook';
    expect(await sandbox.words('setWebhook', { url })).toBe(true);
    expect(await waiting).toBe('409 Conflict: terminated by setWebhook request');
    expect(await poll()).toBe(
      "409 Conflict: can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
    await sandbox.words('deleteWebhook');
    expect(await poll()).toEqual([]);
  });

  it('keeps bots apart', async () => {
    sandbox.order('members', { chat: group, bot: otherToken, status: 'left' });
    await heard({ offset: -1 }, otherToken);
    say(group, 'a');
    expect(await heard()).toHaveLength(1);
    const others = await heard({}, otherToken);
    expect(others.filter((update) => 'message' in update)).toEqual([]);
  });

  it('tells only what was asked for', async () => {
    await poll({ allowed_updates: ['channel_post'] });
    say(user, 'a');
    say(channel, 'b');
    expect(await heard()).toMatchObject([{ channel_post: { text: 'b' } }]);
    await poll({ allowed_updates: [] });
    say(user, 'c');
    expect(await heard()).toHaveLength(2);
    await poll({ allowed_updates: 'no JSON' });
    say(user, 'd');
    expect(await heard()).toHaveLength(3);
  });

  it('tells that a user has blocked the bot, and that a group has moved', async () => {
    sandbox.order('members', { chat: user, bot: token, status: 'kicked' });
    sandbox.order('members', { chat: user, bot: token, status: 'kicked' });
    sandbox.order('migrate', { chat: group });
    expect(await heard()).toMatchObject([
      {
        my_chat_member: {
          chat: { id: user },
          from: { id: user },
          old_chat_member: { status: 'member', user: { id: 4200 } },
          new_chat_member: { status: 'kicked' },
        },
      },
      { message: { chat: { id: group }, migrate_to_chat_id: -1_000_000_000_077 } },
      { message: { chat: { id: -1_000_000_000_077 }, migrate_from_chat_id: group } },
    ]);
    expect(sandbox.posts(group)).toEqual([]);
  });

  /** The poll before has reached the simulator: this one came after it. */
  async function arrived(): Promise<void> {
    await sandbox.words('getMe');
  }
});

describe('a press of a button', () => {
  const keyboard = {
    inline_keyboard: [
      [
        { text: 'Yes', callback_data: 'y' },
        { text: 'Site', url: 'x.io' },
      ],
    ],
  };

  async function pressed(): Promise<string> {
    const { message_id } = await sandbox.api.sendMessage(user, 'Well?', { reply_markup: keyboard });
    const order = { chat: user, message_id, button: 'Yes' };
    return Pressed.parse(sandbox.order('press', order)).callback_query_id;
  }

  it('comes as a callback query that is answered once', async () => {
    const id = await pressed();
    expect(await heard()).toMatchObject([
      {
        callback_query: {
          id,
          from: { id: user },
          data: 'y',
          chat_instance: expect.any(String),
          message: { text: 'Well?' },
        },
      },
    ]);
    const answer = { callback_query_id: id, text: 'x'.repeat(201) };
    expect(await sandbox.words('answerCallbackQuery', answer)).toBe(
      '400 Bad Request: MESSAGE_TOO_LONG',
    );
    expect(await sandbox.words('answerCallbackQuery', { ...answer, text: 'ok' }, otherToken)).toBe(
      tooOld,
    );
    expect(await sandbox.words('answerCallbackQuery', { ...answer, text: 'ok' })).toBe(true);
    expect(await sandbox.words('answerCallbackQuery', { callback_query_id: id })).toBe(tooOld);
  });

  const tooOld =
    '400 Bad Request: query is too old and response timeout expired or query ID is invalid';

  it('is too old after a while', async () => {
    const id = await pressed();
    sandbox.clock.advance(150_000);
    expect(await heard()).toEqual([]);
    expect(await sandbox.words('answerCallbackQuery', { callback_query_id: id })).toBe(tooOld);
  });

  it.each([
    [{ message_id: 9, button: 'Yes' }, 'There is no such message.'],
    [{ button: 'No' }, 'The message has no such button with callback_data.'],
    [{ button: 'Site' }, 'The message has no such button with callback_data.'],
  ])('needs a button: %j', async (order, words) => {
    const { message_id } = await sandbox.api.sendMessage(user, 'Well?', { reply_markup: keyboard });
    expect(() => sandbox.order('press', { chat: user, message_id, ...order })).toThrow(words);
  });
});
