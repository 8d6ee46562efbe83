import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MovableClock, movableClock } from '../../sandbox/clock.ts';
import type { Simulator } from '../../sandbox/simulator.ts';
import { createTelegram } from '../../sandbox/telegram/telegram.ts';
import { startTelegram, type TelegramSandbox, token } from '../support/sandbox/telegram-sandbox.ts';

describe('setWebhook', () => {
  let sandbox: TelegramSandbox;

  beforeEach(async () => {
    sandbox = await startTelegram();
  });

  afterEach(() => sandbox.close());

  const url = 'https://bot.example.com/hook';

  it('says what became of it', async () => {
    const set = {
      url,
      secret_token: 's'.repeat(256),
      max_connections: 5,
      allowed_updates: ['message'],
    };
    expect(await sandbox.call('setWebhook', set)).toEqual({
      ok: true,
      result: true,
      description: 'Webhook was set',
    });
    sandbox.clock.advance(1000);
    expect(await sandbox.call('setWebhook', set)).toMatchObject({
      description: 'Webhook is already set',
    });
    expect(await sandbox.words('getWebhookInfo')).toEqual({
      url,
      has_custom_certificate: false,
      pending_update_count: 0,
      max_connections: 5,
      allowed_updates: ['message'],
    });
    expect(await sandbox.call('deleteWebhook')).toMatchObject({
      result: true,
      description: 'Webhook was deleted',
    });
    expect(await sandbox.call('deleteWebhook')).toMatchObject({
      description: 'Webhook is already deleted',
    });
    expect(await sandbox.words('getWebhookInfo')).toMatchObject({
      url: '',
      has_custom_certificate: false,
    });
  });

  it('is taken once a second', async () => {
    expect(await sandbox.words('setWebhook', { url })).toBe(true);
    expect(await sandbox.call('setWebhook', { url })).toMatchObject({
      error_code: 429,
      parameters: { retry_after: 1 },
    });
    sandbox.clock.advance(1000);
    expect(await sandbox.words('setWebhook', { url })).toBe(true);
  });

  it('with an empty address deletes, and may drop what waits', async () => {
    sandbox.order('say', { chat: 501, text: 'a' });
    await sandbox.words('setWebhook', { url });
    const emptied = { url: '', drop_pending_updates: true };
    expect(await sandbox.call('setWebhook', emptied)).toMatchObject({
      description: 'Webhook was deleted',
    });
    expect(await sandbox.words('getUpdates')).toEqual([]);
  });

  it.each([
    ['http://bot.example.com/', 'bad webhook: An HTTPS URL must be provided for webhook'],
    [
      'https://bot.example.com:9000/',
      'bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443',
    ],
    ['https://10.1.2.3/', 'bad webhook: IP address 10.1.2.3 is reserved'],
    ['https://172.20.0.1/', 'bad webhook: IP address 172.20.0.1 is reserved'],
    ['https://[2001:db8::1]/', 'bad webhook: IPv6-only addresses are not allowed'],
    ['https://bot.invalid/', 'bad webhook: Failed to resolve host: Name or service not known'],
    ['ftp://bot.example.com/', 'invalid webhook URL specified'],
    ['https://', 'invalid webhook URL specified'],
    ['nowhere', 'invalid webhook URL specified'],
  ])('refuses %s', async (address, words) => {
    expect(await sandbox.words('setWebhook', { url: address })).toBe(`400 Bad Request: ${words}`);
    expect(await sandbox.words('getWebhookInfo')).toMatchObject({ url: '' });
  });

  it('lets this machine through, unless it is told to be strict', async () => {
    expect(await sandbox.words('setWebhook', { url: 'http://localhost:8080/' })).toBe(true);
    sandbox.order('settings', { strict_webhooks: true });
    sandbox.order('settings', { self_hosted: false });
    sandbox.clock.advance(1000);
    expect(await sandbox.words('setWebhook', { url: 'http://localhost:8080/' })).toBe(
      '400 Bad Request: bad webhook: An HTTPS URL must be provided for webhook',
    );
    sandbox.clock.advance(1000);
    expect(await sandbox.words('setWebhook', { url: 'https://localhost/' })).toBe(
      '400 Bad Request: bad webhook: IP address 127.0.0.1 is reserved',
    );
  });

  it.each([
    ['x'.repeat(257), 'secret token is too long'],
    ['no spaces', 'secret token contains unallowed characters'],
  ])('refuses a secret: %s', async (secret, words) => {
    const answer = await sandbox.words('setWebhook', { url, secret_token: secret });
    expect(answer).toBe(`400 Bad Request: ${words}`);
  });
});

describe('a webhook', () => {
  interface Delivery {
    readonly url: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly update: unknown;
    answer(
      status: number | undefined,
      headers?: Record<string, string>,
      body?: string,
    ): Promise<void>;
  }

  let clock: MovableClock;
  let simulator: Simulator;
  let deliveries: Delivery[];
  const url = 'https://bot.example.com/hook';
  const turn = () => new Promise((resolve) => setImmediate(resolve));

  beforeEach(async () => {
    clock = movableClock(Date.UTC(2026, 0, 1));
    deliveries = [];
    simulator = createTelegram({
      clock,
      baseUrl: 'http://127.0.0.1:1',
      makesChats: false,
      report: () => undefined,
      callWebhook: (address, headers, body, hear) =>
        new Promise((resolve) => {
          deliveries.push({
            url: address,
            headers,
            update: JSON.parse(body),
            async answer(status, given = {}, text = '') {
              if (status !== undefined) hear?.({ headers: given, body: text });
              resolve(status);
              await turn();
            },
          });
        }),
    });
    simulator.control('bots', { token });
    for (const id of [1, 2, 3]) simulator.control('chats', { id, type: 'private' });
    await call('setWebhook', { url, secret_token: 'hush' });
  });

  async function call(method: string, parameters: object): Promise<unknown> {
    const reply = await simulator.handle({
      method: 'POST',
      path: `/bot${token}/${method}`,
      query: new URLSearchParams(),
      headers: { 'content-type': 'application/json' },
      json: parameters,
      form: {},
      files: [],
      raw: new Uint8Array(),
    });
    return JSON.parse(reply.body);
  }

  const say = (chat: number, text: string) => simulator.control('say', { chat, text });
  /** How many deliveries there have been after so many more seconds. */
  const after = async (seconds: number) => {
    clock.advance(seconds * 1000);
    await turn();
    return deliveries.length;
  };

  it('gets one update with the secret, and no more once it has taken it', async () => {
    say(1, 'a');
    expect(deliveries).toMatchObject([
      {
        url,
        headers: { 'x-telegram-bot-api-secret-token': 'hush' },
        update: { update_id: expect.any(Number), message: { text: 'a' } },
      },
    ]);
    expect(await call('getWebhookInfo', {})).toMatchObject({ result: { pending_update_count: 1 } });
    await deliveries[0]?.answer(299);
    expect(await after(10_000)).toBe(1);
    expect(await call('getWebhookInfo', {})).toMatchObject({ result: { pending_update_count: 0 } });
  });

  it('gets the updates of a chat one after the other, those of other chats beside them', async () => {
    for (const text of ['a', 'b']) say(1, text);
    say(2, 'c');
    const heard = (...texts: string[]) => texts.map((text) => ({ update: { message: { text } } }));
    expect(deliveries).toMatchObject(heard('a', 'c'));
    await deliveries[0]?.answer(200);
    expect(deliveries).toMatchObject(heard('a', 'c', 'b'));
  });

  it('gets no more at once than it has connections', async () => {
    clock.advance(1000);
    await call('setWebhook', { url, max_connections: 2 });
    for (const chat of [1, 2, 3]) say(chat, 'a');
    expect(deliveries).toHaveLength(2);
    await deliveries[1]?.answer(200);
    expect(deliveries).toHaveLength(3);
  });

  it('is asked again at once, then after 2, 4, 8 … seconds up to a cap', async () => {
    say(1, 'a');
    await deliveries[0]?.answer(500);
    expect(deliveries).toHaveLength(2);
    const waits: number[] = [];
    for (let attempt = 2; attempt < 12; attempt += 1) {
      await deliveries.at(-1)?.answer(500);
      const begun = clock.now();
      while ((await after(1)) === attempt) expect(clock.now() - begun).toBeLessThan(200_000);
      waits.push((clock.now() - begun) / 1000);
    }
    expect(waits.slice(0, 5)).toEqual([2, 4, 8, 16, 32]);
    const cap = waits.at(-1) ?? 0;
    expect(cap).toBeGreaterThanOrEqual(60);
    expect(cap).toBeLessThanOrEqual(120);
    expect(waits.at(-2)).toBe(cap);
    expect(await call('getWebhookInfo', {})).toMatchObject({
      result: { last_error_message: 'Wrong response from the webhook: 500 Internal Server Error' },
    });
  });

  it('may ask for another wait', async () => {
    say(1, 'a');
    await deliveries[0]?.answer(429, { 'retry-after': '100' });
    expect(await after(99)).toBe(1);
    expect(await after(1)).toBe(2);
  });

  it('does not hear what is older than a day', async () => {
    say(1, 'a');
    await deliveries[0]?.answer(500);
    clock.advance(24 * 60 * 60 * 1000);
    await deliveries[1]?.answer(500);
    expect(await after(1000)).toBe(2);
    expect(await call('getWebhookInfo', {})).toMatchObject({ result: { pending_update_count: 0 } });
  });

  it('that nobody answers is noted with the reason', async () => {
    say(1, 'a');
    await deliveries[0]?.answer(undefined);
    expect(await call('getWebhookInfo', {})).toMatchObject({
      result: { last_error_date: clock.now() / 1000, last_error_message: 'Connection refused' },
    });
    clock.advance(60_000);
    await deliveries[1]?.answer(undefined);
    expect(await call('getWebhookInfo', {})).toMatchObject({
      result: { last_error_message: 'Read timeout expired' },
    });
  });

  it('that is gone for 23 hours is removed', async () => {
    say(1, 'a');
    await deliveries[0]?.answer(410);
    clock.advance(23 * 60 * 60 * 1000);
    await deliveries[1]?.answer(410);
    expect(await call('getWebhookInfo', {})).toMatchObject({ result: { url } });
    say(2, 'b');
    clock.advance(1);
    await deliveries.at(-1)?.answer(410);
    expect(await call('getWebhookInfo', {})).toMatchObject({ result: { url: '' } });
  });

  it('may answer with a call, but not with one that asks', async () => {
    const posts = () => simulator.chats().flatMap((chat) => chat.posts.map((post) => post.text));
    say(1, 'a');
    const reply = JSON.stringify({ method: 'sendMessage', chat_id: 1, text: 'b' });
    await deliveries[0]?.answer(200, {}, reply);
    expect(posts()).toEqual(['a', 'b']);
    say(1, 'c');
    await deliveries[1]?.answer(200, {}, JSON.stringify({ method: 'deleteWebhook' }));
    expect(await call('getWebhookInfo', {})).toMatchObject({ result: { url } });
    say(1, 'd');
    await deliveries[2]?.answer(200, {}, 'not JSON');
    expect(posts()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('gets what waited before it was set', async () => {
    await call('deleteWebhook', {});
    say(1, 'a');
    expect(deliveries).toHaveLength(0);
    clock.advance(1000);
    await call('setWebhook', { url });
    expect(deliveries).toMatchObject([{ headers: {}, update: { message: { text: 'a' } } }]);
    expect(deliveries[0]?.headers).toEqual({});
  });
});
