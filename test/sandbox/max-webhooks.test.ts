import { createServer, type Server } from 'node:http';
import { Bot } from '@maxhub/max-bot-api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { closeServer, listen } from '../../sandbox/server.ts';
import {
  groupId,
  type MaxSandbox,
  startMax,
  textAt,
  token,
  userId,
} from '../support/sandbox/max-sandbox.ts';

let max: MaxSandbox;

let heard: { readonly secret: unknown; readonly body: string }[];
let waiters: (() => void)[];
let receiver: Server;
let hook: string;

beforeEach(async () => {
  max = await startMax();
  heard = [];
  waiters = [];
  receiver = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const secret = request.headers['x-max-bot-api-secret'];
      heard.push({ secret, body: Buffer.concat(chunks).toString() });
      response.end();
      for (const waiter of waiters) waiter();
    });
  });
  hook = `${await listen(receiver)}/hook`;
});

afterEach(async () => {
  await closeServer(receiver);
  await max.close();
});

async function calls(count: number): Promise<void> {
  while (heard.length < count) {
    await new Promise<void>((resolve) => {
      waiters.push(resolve);
    });
  }
}

const write = (text: string) => max.control('write', { user_id: userId, text });

describe('a webhook', () => {
  it('gets one event as one object, with the secret in its header', async () => {
    await max.bot.api.subscribe(hook, 'se_cret-1', ['message_created']);
    write('Hello');
    await calls(1);
    expect(heard[0]?.secret).toBe('se_cret-1');
    expect(JSON.parse(heard[0]?.body ?? '')).toMatchObject({
      update_type: 'message_created',
      timestamp: max.clock.now(),
      user_locale: 'ru',
      message: {
        sender: { user_id: userId, is_bot: false, name: 'John Doe' },
        recipient: { chat_type: 'dialog', user_id: 229_229_229 },
        body: { text: 'Hello' },
      },
    });
    expect(heard[0]?.body).toMatch(/"seq":\d{18},/);
  });

  it('reaches the official client, which knows its secret', async () => {
    const bot = new Bot(token, { clientOptions: { baseUrl: max.server.url } });
    const texts: (string | null)[] = [];
    const answered = Promise.withResolvers<void>();
    bot.on('message_created', async (context) => {
      texts.push(context.message.body.text);
      await context.reply('Welcome');
      answered.resolve();
    });
    bot.botInfo = await bot.api.getMyInfo();
    const options = { domain: '127.0.0.1', path: '/hook', secret: 'se_cret-1' };
    const listener = createServer(bot.webhookCallback(options));
    const url = `${await listen(listener)}/hook`;
    try {
      await bot.api.subscribe(url, 'se_cret-1');
      write('Hello');
      await answered.promise;
    } finally {
      await closeServer(listener);
    }
    expect(texts).toEqual(['Hello']);
    expect(max.server.simulator.chats()[0]?.posts.map((post) => post.text)).toEqual([
      'Hello',
      'Welcome',
    ]);
  });

  it('gets no secret when there is none, and only the events that it wants', async () => {
    await max.call('POST', '/subscriptions', { url: hook, update_types: ['bot_stopped'] });
    write('not this');
    max.control('stop', { user_id: userId });
    await calls(1);
    expect(heard).toMatchObject([{ secret: undefined }]);
    expect(heard[0]?.body).toContain('"update_type":"bot_stopped"');
  });

  it('gets every event when its list of types is empty', async () => {
    await max.bot.api.subscribe(hook, undefined, []);
    write('Hello');
    await calls(1);
    expect(heard[0]?.body).toContain('"update_type":"message_created"');
  });

  it('gets an event again when asked, the same to the letter', async () => {
    await max.bot.api.subscribe(hook);
    write('Hello');
    expect(max.control('repeat')).toEqual({ repeated: 1 });
    await calls(2);
    expect(heard[0]?.body).toBe(heard[1]?.body);
    max.control('limits', { event_copies: 3 });
    write('Again');
    await calls(5);
    expect(new Set(heard.slice(2).map((call) => call.body)).size).toBe(1);
  });

  it('may be one of several, and is removed by its address', async () => {
    await max.bot.api.subscribe(hook);
    await max.bot.api.subscribe(`${hook}/2`, undefined, ['bot_added']);
    expect(await max.bot.api.getSubscriptions()).toEqual([
      { url: hook, time: max.clock.now(), updateTypes: undefined },
      { url: `${hook}/2`, time: max.clock.now(), updateTypes: ['bot_added'] },
    ]);
    expect(await max.bot.api.unsubscribe(hook)).toEqual({ success: true });
    expect(await max.bot.api.getSubscriptions()).toMatchObject([{ url: `${hook}/2` }]);
    expect(await max.bot.api.unsubscribe(hook)).toMatchObject({ success: false });
  });

  it.each([
    ['http', 'http://example.com/hook', false],
    ['a port', 'https://example.com:8443/hook', false],
    ['no address', 'example.com', false],
    ['https', 'https://example.com/hook', true],
  ])('at %s is answered by the flag', async (_name, url, success) => {
    const answer = await max.call('POST', '/subscriptions', { url });
    expect([answer.status, textAt(answer.json, 'success')]).toEqual([200, String(success)]);
    expect(await max.bot.api.getSubscriptions()).toHaveLength(success ? 1 : 0);
  });

  it('on this machine can be forbidden too', async () => {
    max.control('limits', { local_webhooks: false });
    expect(await max.bot.api.subscribe(hook)).toMatchObject({ success: false });
  });

  it.each(['four', 'with space', 'x'.repeat(257)])('has no secret "%s"', async (secret) => {
    const answer = await max.call('POST', '/subscriptions', { url: hook, secret });
    expect(answer).toMatchObject({ status: 400, json: { code: 'proto.payload' } });
  });

  it('hears of a group only while the bot is its admin', async () => {
    await max.bot.api.subscribe(hook);
    max.control('membership', { chat_id: groupId, user_id: userId, admin: false });
    max.control('write', { chat_id: groupId, user_id: userId, text: 'secret' });
    max.control('membership', { chat_id: groupId, user_id: userId, admin: true });
    max.control('write', { chat_id: groupId, user_id: userId, text: 'heard' });
    await calls(1);
    expect(heard.map((call) => /"text":"(\w+)"/.exec(call.body)?.[1])).toEqual(['heard']);
  });
});
