import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  dialogId,
  groupId,
  type MaxSandbox,
  startMax,
  textAt,
  userId,
} from '../support/sandbox/max-sandbox.ts';

let max: MaxSandbox;

beforeEach(async () => {
  max = await startMax();
});

afterEach(() => max.close());

const write = (text: string) => max.control('write', { user_id: userId, text });

/** The texts of the updates and the marker. */
async function poll(query: string): Promise<[string[], string]> {
  const { text, json } = await max.call('GET', `/updates?${query}`);
  const texts = [...text.matchAll(/"text":"([^"]*)"/g)].map((match) => match[1] ?? '');
  return [texts, textAt(json, 'marker')];
}

describe('GET /updates', () => {
  it('gives what has come, again and again until the marker says it was read', async () => {
    write('a');
    write('b');
    const [first, marker] = await poll('timeout=0');
    const [again] = await poll('timeout=0');
    expect([first, again]).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    write('c');
    expect(await poll(`timeout=0&marker=${marker}`)).toEqual([['c'], String(Number(marker) + 1)]);
    expect((await poll('timeout=0'))[0]).toEqual(['c']);
  });

  it('gives no more than the limit, and the marker goes on from there', async () => {
    for (const text of ['a', 'b', 'c']) write(text);
    const [first, marker] = await poll('timeout=0&limit=2');
    expect(first).toEqual(['a', 'b']);
    expect((await poll(`timeout=0&limit=2&marker=${marker}`))[0]).toEqual(['c']);
  });

  it('gives the types that are wanted', async () => {
    max.control('start', { user_id: userId });
    write('a');
    const { json } = await max.call('GET', '/updates?timeout=0&types=bot_started,bot_stopped');
    expect(json).toMatchObject({ updates: [{ update_type: 'bot_started' }] });
  });

  it('waits for an event', async () => {
    const waiting = poll('timeout=30');
    await max.call('GET', '/me');
    write('late');
    expect((await waiting)[0]).toEqual(['late']);
  });

  it('waits no longer than the timeout of the clock', async () => {
    let answered = false;
    const waiting = max.server.simulator.handle({
      method: 'GET',
      path: '/updates',
      query: new URLSearchParams('timeout=20'),
      headers: { authorization: 'f9LHodD0cOJ-token' },
      form: {},
      files: [],
      raw: new Uint8Array(),
    });
    const body = Promise.resolve(waiting).then((reply) => {
      answered = true;
      return reply.body;
    });
    max.clock.advance(19_999);
    await turn();
    expect(answered).toBe(false);
    max.clock.advance(1);
    expect(JSON.parse(await body)).toEqual({ updates: [], marker: expect.any(Number) });
  });

  it('is silent while there is a webhook, and speaks again after it', async () => {
    write('before');
    await max.bot.api.subscribe('https://bot.test/hook');
    expect((await poll('timeout=0'))[0]).toEqual([]);
    await max.bot.api.unsubscribe('https://bot.test/hook');
    expect((await poll('timeout=0'))[0]).toEqual(['before']);
  });

  it.each(['limit=0', 'limit=1001', 'timeout=91', 'timeout=-1', 'marker=x'])(
    'refuses %s',
    async (query) => {
      expect(await max.call('GET', `/updates?${query}`)).toMatchObject({
        status: 400,
        json: { code: 'proto.payload' },
      });
    },
  );

  it('feeds the official client by long polling', async () => {
    const seen = Promise.withResolvers<string>();
    max.bot.on('bot_started', (context) => {
      seen.resolve(String(context.startPayload));
    });
    max.control('start', { user_id: userId, payload: 'from-the-site' });
    const running = max.bot.start();
    expect(await seen.promise).toBe('from-the-site');
    max.bot.stopPolling();
    await running;
  });
});

describe('what people do becomes an update', () => {
  async function updateOf(name: string, body: object): Promise<unknown> {
    max.control(name, body);
    const { json } = await max.call('GET', '/updates?timeout=0');
    return json;
  }

  const user = { user_id: userId, first_name: 'John', last_name: 'Doe', is_bot: false };

  it.each([
    ['start', { user_id: userId, payload: 'x' }, { update_type: 'bot_started', payload: 'x' }],
    ['stop', { user_id: userId }, { update_type: 'bot_stopped' }],
  ])('%s', async (name, body, fields) => {
    expect(await updateOf(name, body)).toMatchObject({
      updates: [
        { ...fields, chat_id: dialogId, user, user_locale: 'ru', timestamp: max.clock.now() },
      ],
    });
  });

  it('start without a payload that is too long', async () => {
    const json = await updateOf('start', { user_id: userId, payload: 'x'.repeat(513) });
    expect(JSON.stringify(json)).not.toContain('payload');
  });

  it('removed from a group, and added again', async () => {
    max.control('membership', { chat_id: groupId, user_id: userId, member: false });
    const json = await updateOf('membership', { chat_id: groupId, user_id: userId });
    const fields = { chat_id: groupId, user, is_channel: false };
    expect(json).toMatchObject({
      updates: [
        { update_type: 'bot_removed', ...fields },
        { update_type: 'bot_added', ...fields },
      ],
    });
  });

  it('edited and removed', async () => {
    const { message_id: mid } = write('one');
    max.control('edit', { message_id: mid, text: 'two' });
    const json = await updateOf('remove', { message_id: mid, user_id: userId });
    expect(json).toMatchObject({
      updates: [
        { update_type: 'message_created', message: { body: { mid, text: 'one' } } },
        { update_type: 'message_edited', message: { body: { mid, text: 'two' } } },
        { update_type: 'message_removed', message_id: mid, chat_id: dialogId, user_id: userId },
      ],
    });
    expect(max.posts(dialogId)).toEqual([]);
  });

  it('a reply of a person carries what it replies to', async () => {
    const { body } = await max.bot.api.sendMessageToUser(userId, 'How are you?');
    const json = await updateOf('write', { user_id: userId, text: 'Fine', reply_to: body.mid });
    expect(json).toMatchObject({
      updates: [{ message: { link: { type: 'reply', message: { text: 'How are you?' } } } }],
    });
  });
});

describe('a pressed button', () => {
  const buttons = [[{ type: 'callback' as const, text: 'Yes', payload: 'yes' }]];
  const attachments = [{ type: 'inline_keyboard' as const, payload: { buttons } }];

  async function press(): Promise<{ readonly callback: string; readonly mid: string }> {
    const { body } = await max.bot.api.sendMessageToUser(userId, 'Sure?', { attachments });
    const pressed = { message_id: body.mid, user_id: userId, payload: 'yes' };
    const { callback_id: callback } = max.control('press', pressed);
    return { callback: String(callback), mid: body.mid };
  }

  it('is told with who pressed it, and with the message of the bot', async () => {
    const { callback, mid } = await press();
    const { json } = await max.call('GET', '/updates?timeout=0');
    expect(json).toMatchObject({
      updates: [
        {
          update_type: 'message_callback',
          callback: { callback_id: callback, payload: 'yes', user: { user_id: userId } },
          message: { sender: { is_bot: true }, body: { mid } },
        },
      ],
    });
  });

  it('is answered with a toast, with another message, or with both', async () => {
    const { callback } = await press();
    const answer = { message: { text: 'Done', attachments: [] }, notification: 'Saved' };
    expect(await max.bot.api.answerOnCallback(callback, answer)).toEqual({ success: true });
    expect(max.posts(dialogId)).toMatchObject([{ text: 'Done', buttons: [] }]);
    expect(Object.values(max.control('notifications'))).toEqual([
      { user_id: userId, text: 'Saved' },
    ]);
  });

  it('is answered with something', async () => {
    const { callback } = await press();
    expect(await max.call('POST', `/answers?callback_id=${callback}`, {})).toMatchObject({
      status: 400,
      json: { code: 'proto.payload', message: 'errors.required' },
    });
  });

  it('that was never pressed cannot be answered: the flag says so', async () => {
    const answer = await max.call('POST', '/answers?callback_id=x', { notification: 'Hi' });
    expect(answer).toMatchObject({ status: 200, json: { success: false } });
  });

  it('of another bot cannot be answered either', async () => {
    const { callback } = await press();
    max.control('bots', { token: 'other' });
    const path = `/answers?callback_id=${callback}`;
    const answer = await max.call('POST', path, { notification: 'Hi' }, { authorization: 'other' });
    expect(answer).toMatchObject({ status: 200, json: { success: false } });
    expect(Object.values(max.control('notifications'))).toEqual([]);
  });

  it('must be on the message', async () => {
    const { mid } = await press();
    const wrong = { message_id: mid, user_id: userId, payload: 'no' };
    expect(() => max.control('press', wrong)).toThrow('no callback button with the payload "no"');
  });
});
