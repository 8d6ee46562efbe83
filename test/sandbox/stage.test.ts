import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { movableClock } from '../../sandbox/clock.ts';
import { furnishDemoWorld } from '../../sandbox/demo-world.ts';
import { max } from '../../sandbox/max/index.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { telegram } from '../../sandbox/telegram/index.ts';
import { sendRaw } from '../support/http/raw-socket.ts';
import { createEcho } from '../support/sandbox/echo-simulator.ts';

const token = 'the-token-of-the-test';
const news = telegram.demo.chats[0].id;
let sandbox: Sandbox;

beforeEach(async () => {
  sandbox = await startSandbox({ clock: movableClock(Date.UTC(2026, 0, 1, 9)), token });
  furnishDemoWorld(sandbox);
});

afterEach(() => sandbox.close());

const cookie = (): string => `outrider_stage_${new URL(sandbox.controlUrl).port}=${token}`;

/** As a browser that has opened the printed address. */
async function look(path = '/', headers: Record<string, string> = { cookie: cookie() }) {
  const answer = await fetch(`${sandbox.controlUrl}${path}`, {
    headers: { accept: 'text/html', ...headers },
    redirect: 'manual',
  });
  return { status: answer.status, headers: answer.headers, text: await answer.text() };
}

async function act(
  name: string,
  form: Record<string, string>,
  headers: Record<string, string> = { cookie: cookie() },
) {
  const answer = await fetch(`${sandbox.controlUrl}/stage/${name}`, {
    method: 'POST',
    headers,
    body: new URLSearchParams(form),
    redirect: 'manual',
  });
  return {
    status: answer.status,
    location: answer.headers.get('location'),
    text: await answer.text(),
  };
}

async function onTelegram(method: string, parameters: Record<string, string>): Promise<number> {
  const body = new URLSearchParams({ chat_id: news, ...parameters });
  const url = `${sandbox.telegram.url}/bot${telegram.demo.token}/${method}`;
  return (await fetch(url, { method: 'POST', body })).status;
}

/** The dialog with the bot of the demo. */
function dialog(): { chat: string; texts: string[]; ids: string[] } {
  const found = sandbox.max.simulator.chats().find(({ kind }) => kind === 'dialog');
  const posts = found?.posts ?? [];
  return {
    chat: found?.chat ?? '',
    texts: posts.map(({ text }) => text),
    ids: posts.map(({ id }) => id),
  };
}

/** Everything that an act could change. */
function world(): unknown {
  const chats = [sandbox.telegram, sandbox.max, sandbox.vk].map(({ simulator }) =>
    simulator.chats(),
  );
  return JSON.parse(
    JSON.stringify({ chats, faults: sandbox.faults.list(), now: sandbox.clock.now() }),
  );
}

const acts = (): [string, Record<string, string>][] => [
  ['post', { text: 'Hello' }],
  ['say', { platform: 'max', chat: dialog().chat, text: 'Hello' }],
  ['fault', { fault: 'rate_limited telegram' }],
  ['clear', {}],
  ['clock', { ahead: '60' }],
  ['resume', {}],
];

describe('the token', () => {
  it('comes with the printed address, becomes a cookie that no script reads, and leaves the address', async () => {
    expect(sandbox.stageUrl).toBe(`${sandbox.controlUrl}/?token=${token}`);
    const { status, headers, text } = await look(`/?token=${token}`, {});
    expect([status, headers.get('location'), text]).toEqual([303, '/', '']);
    expect(headers.get('set-cookie')).toBe(`${cookie()}; Path=/; HttpOnly; SameSite=Strict`);
    expect((await look()).text).not.toContain(token);
  });

  it('is a random one when nobody chooses it', async () => {
    const other = await startSandbox();
    const another = await startSandbox();
    await Promise.all([other.close(), another.close()]);
    const [one, two] = [other, another].map(({ stageUrl }) =>
      new URL(stageUrl).searchParams.get('token'),
    );
    expect(one).toMatch(/^[\w-]{24}$/);
    expect(two).not.toBe(one);
  });

  it('is needed for every change: without it the page only shows', async () => {
    sandbox.faults.add({ kind: 'drop', platform: 'vk' });
    const before = world();
    const port = new URL(sandbox.controlUrl).port;
    for (const headers of [
      {},
      { cookie: `outrider_stage_${port}=other` },
      { cookie: `outrider_stage_1=${token}` },
    ]) {
      for (const [name, form] of acts()) expect((await act(name, form, headers)).status).toBe(403);
    }
    expect((await act('clear', { token: 'other' }, {})).status).toBe(403);
    expect(world()).toEqual(before);
    const { text } = await look('/', {});
    expect(text).toContain('id="read-only"');
    expect(text).not.toMatch(/<button(?![^>]*disabled)/);
  });

  it('is not enough for a page of another site or another port', async () => {
    const before = world();
    for (const from of [
      { origin: 'https://evil.example' },
      { origin: 'http://127.0.0.1:1' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ]) {
      for (const [name, form] of acts()) {
        expect((await act(name, form, { cookie: cookie(), ...from })).status).toBe(403);
      }
    }
    expect(world()).toEqual(before);
  });

  it('may be wrong: the page says so, and only shows', async () => {
    const { status, headers, text } = await look('/?token=old', {});
    expect([status, headers.get('set-cookie')]).toEqual([403, null]);
    expect(text).toContain('That token is not the one of this sandbox');
    expect((await look('/?token=old', { cookie: cookie() })).text).not.toContain('id="read-only"');
  });

  it('may come in the form of a program that keeps no cookies', async () => {
    expect((await act('fault', { token, fault: 'kicked max' }, {})).status).toBe(200);
    expect(sandbox.faults.list()).toMatchObject([{ kind: 'kicked', platform: 'max' }]);
  });
});

describe('the page', () => {
  it('runs and loads nothing that is not its own, and stands in no frame', async () => {
    const { headers, text } = await look();
    const policy = headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("frame-ancestors 'none'");
    expect(policy).not.toMatch(/unsafe|https?:|\*/);
    expect(text).not.toMatch(/\s(style|on\w+)="/);
    expect(text.match(/<script[^>]*>/g)).toEqual(['<script src="/stage/stage.js" defer>']);
    for (const path of ['/stage/stage.js', '/stage/stage.css']) {
      const own = await look(path);
      expect([own.status, own.headers.get('x-content-type-options')]).toEqual([200, 'nosniff']);
    }
  });

  it('is not shown under a name that a page has resolved to this machine', async () => {
    const request = `GET / HTTP/1.1\r\nHost: rebound.example\r\nCookie: ${cookie()}\r\nConnection: close\r\n\r\n`;
    const refused = await sendRaw(sandbox.controlUrl, request);
    await refused.closed();
    expect(refused.text()).toMatch(/^HTTP\/1\.1 421 /);
    expect(refused.text()).not.toContain('Lost pets');
  });

  it('has all chats, drawn as their platforms draw them, before any script runs', async () => {
    const photos = JSON.stringify(
      ['a', 'b'].map((each) => ({
        type: 'photo',
        media: `https://x.ru/${each}.jpg`,
        caption: each,
      })),
    );
    expect(await onTelegram('sendMediaGroup', { media: photos })).toBe(200);
    const buttons = JSON.stringify({ inline_keyboard: [[{ text: 'Site', url: 'https://x.ru' }]] });
    expect(
      await onTelegram('sendMessage', {
        text: 'Second',
        reply_markup: buttons,
        reply_parameters: '{"message_id":1}',
      }),
    ).toBe(200);
    expect(
      await onTelegram('editMessageText', {
        message_id: '3',
        text: 'Edited text',
        reply_markup: buttons,
      }),
    ).toBe(200);
    const { text } = await look();
    const [, chat = ''] = text.split(`data-chat="${news}"`);
    const [drawn = ''] = chat.split('</section>');
    expect(drawn).toContain('<ul class="album" data-count="2">');
    expect(drawn.match(/data-message=/g)).toHaveLength(2);
    expect(drawn).toContain('data-reply-to="1"');
    expect(drawn).toContain('<span class="edited">edited</span>');
    expect(drawn).toContain('data-button="Site"');
    for (const [platform, chats] of [
      ['telegram', 4],
      ['max', 3],
      ['vk', 1],
    ] as const) {
      expect(text.match(new RegExp(`class="chat look-${platform}"`, 'g'))).toHaveLength(chats);
    }
  });

  it('escapes what strangers wrote', async () => {
    await sandbox.close();
    sandbox = await startSandbox({ simulators: { telegram: createEcho().create }, token });
    for (const path of ['/', '/chats/telegram/-100%2F7']) {
      const { text } = await look(path);
      expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
      expect(text).toContain('href="https://example.com/?a=1&amp;b=&quot;2"');
      expect(text).not.toMatch(/<(script>|img|i\b|svg onload)/);
      expect(text).not.toContain('href="javascript:');
    }
  });

  it('says how many messages are earlier than those that it shows', async () => {
    const { simulator } = sandbox.telegram;
    for (let n = 1; n <= 62; n += 1) simulator.control('say', { chat: news, text: `Post ${n}.` });
    const { text } = await look();
    expect(text).toContain('2 earlier messages');
    expect(text).not.toContain('Post 2.');
    expect(text).toContain('Post 3.');
    expect((await look(`/chats/telegram/${news}`)).text).toContain('Post 2.');
  });

  it('shows at most sixty chats of a platform, those with the newest posts, and says how many are left out', async () => {
    const { simulator } = sandbox.telegram;
    for (let n = 1; n <= 80; n += 1)
      simulator.control('chats', {
        id: -1_002_000_000_000 - n,
        type: 'channel',
        title: `Made ${n}.`,
      });
    simulator.control('say', { chat: '-1002000000080', text: 'Here' });
    const { text } = await look();
    expect(text.match(/data-part="chat\/telegram\//g)).toHaveLength(60);
    expect(text).toContain('Made 80.');
    expect(text).toContain(`${simulator.chats().length - 60} chats with older posts not shown`);
    expect(text).not.toContain('No chat yet.');
    expect(text).toContain(`data-part="chat/max/${dialog().chat}"`);
  });
});

describe('the switches', () => {
  it('turn a fault on for a platform and off again, and the page shows what the platform said', async () => {
    expect(await act('fault', { fault: 'rate_limited telegram' })).toMatchObject({
      status: 200,
      text: '{"words":"429 at Telegram is on."}',
    });
    expect(await onTelegram('sendMessage', { text: 'x' })).toBe(429);
    const { text } = await look();
    expect(text).toMatch(/aria-checked="true" aria-label="429 at Telegram"/);
    expect(text).toMatch(/aria-checked="false" aria-label="429 at MAX"/);
    expect(text).toContain('Too Many Requests: retry after 5');
    await act('fault', { fault: 'rate_limited telegram' });
    expect(await onTelegram('sendMessage', { text: 'x' })).toBe(200);
  });

  it('leave the faults alone that an order has set for some calls, and the page lists them', async () => {
    sandbox.faults.add({ kind: 'rate_limited', platform: 'telegram', chat: news, times: 1 });
    await act('fault', { fault: 'rate_limited telegram' });
    await act('fault', { fault: 'rate_limited telegram' });
    expect(sandbox.faults.list()).toMatchObject([{ chat: news, times: 1 }]);
    expect((await look()).text).toContain('Set by orders:');
    await act('clear', {});
    expect(sandbox.faults.list()).toEqual([]);
  });

  it.each([['nothing telegram'], ['rate_limited icq'], ['constructor telegram'], ['']])(
    'are only those that there are: %j',
    async (fault) => {
      expect((await act('fault', { fault })).status).toBe(400);
      expect(sandbox.faults.list()).toEqual([]);
    },
  );

  it('move the clock ahead', async () => {
    expect((await act('clock', { ahead: '3600' })).status).toBe(200);
    expect(sandbox.clock.now()).toBe(Date.UTC(2026, 0, 1, 10));
    for (const ahead of ['-1', '0', 'x', '1e12', ''])
      expect((await act('clock', { ahead })).status).toBe(400);
    expect(sandbox.clock.now()).toBe(Date.UTC(2026, 0, 1, 10));
  });

  it('lead a browser without scripts back to the page, which says what they came to', async () => {
    const headers = { cookie: cookie(), accept: 'text/html' };
    expect(await act('fault', { fault: 'kicked vk' }, headers)).toMatchObject({
      status: 303,
      location: '/',
    });
    expect((await look()).text).toContain('Kicked at VK is on.');
    await act('nonsense', {}, headers);
    expect((await look()).text).toContain('There is no /stage/nonsense here.');
  });
});

describe('the bot chat', () => {
  const Updates = z.object({
    updates: z.array(
      z.looseObject({
        update_type: z.string(),
        callback: z.looseObject({ payload: z.string() }).optional(),
      }),
    ),
  });

  async function onMax(path: string, body?: object) {
    const headers = { authorization: max.demo.token, 'content-type': 'application/json' };
    const init = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    return (await fetch(`${sandbox.max.url}${path}`, { headers, ...init })).json();
  }

  it('brings what is typed and pressed to the bot, as the platform does', async () => {
    const { chat } = dialog();
    expect(
      (await act('say', { platform: 'max', chat, text: ' Сколько идёт доставка? ' })).status,
    ).toBe(200);
    const keyboard = {
      type: 'inline_keyboard',
      payload: { buttons: [[{ type: 'callback', text: 'Да', payload: 'yes' }]] },
    };
    await onMax(`/messages?chat_id=${chat}`, { text: 'Точно?', attachments: [keyboard] });
    expect(dialog().texts).toEqual(['Сколько идёт доставка?', 'Точно?']);
    const post = dialog().ids[1] ?? '';
    expect((await look()).text).toContain(`value="${post}/0/0"`);
    expect((await act('press', { platform: 'max', chat, press: `${post}/0/0` })).text).toContain(
      'Да',
    );
    const { updates } = Updates.parse(await onMax('/updates?timeout=0'));
    expect(updates.map(({ update_type: type, callback }) => [type, callback?.payload])).toEqual([
      ['message_created', undefined],
      ['message_callback', 'yes'],
    ]);
  });

  it('draws the person on one side and the bot on the other', async () => {
    const { chat } = dialog();
    await act('say', { platform: 'max', chat, text: 'Привет' });
    await onMax(`/messages?chat_id=${chat}`, { text: 'Здравствуйте' });
    const { text } = await look();
    expect(text).toMatch(
      /class="message own"[^>]*><article class="bubble"><div class="text" dir="auto">Привет/,
    );
    expect(text).toMatch(
      /class="message"[^>]*><article class="bubble"><bdi class="author">Shop bot<\/bdi><div class="text" dir="auto">Здравствуйте/,
    );
  });

  it('takes no empty text, no unknown chat and no button that is not there', async () => {
    const { chat } = dialog();
    for (const [name, form] of [
      ['say', { platform: 'max', chat, text: '  ' }],
      ['say', { platform: 'max', chat: '5', text: 'x' }],
      ['say', { platform: 'vk', chat, text: 'x' }],
      ['say', { platform: 'icq', chat, text: 'x' }],
      ['press', { platform: 'max', chat, press: 'mid/0/0' }],
      ['press', { platform: 'max', chat, press: '' }],
      ['say', {}],
    ] satisfies [string, Record<string, string>][]) {
      const { status, text } = await act(name, form);
      expect([status, JSON.parse(text)]).toEqual([400, { error: expect.stringMatching(/\w/) }]);
    }
    expect(dialog().texts).toEqual([]);
  });
});

describe('open pages', () => {
  const Told = z.object({ name: z.string(), html: z.string() });

  /** The parts that the stream tells, one after the other. */
  async function* told(): AsyncGenerator<z.output<typeof Told>, undefined> {
    const answer = await fetch(`${sandbox.controlUrl}/stage/events`);
    let rest = '';
    for await (const chunk of answer.body ?? []) {
      const lines = `${rest}${Buffer.from(chunk).toString()}`.split('\n\n');
      rest = lines.pop() ?? '';
      for (const line of lines.filter((each) => each.startsWith('data: '))) {
        yield Told.parse(JSON.parse(line.slice(6)));
      }
    }
  }

  it('are told everything at first, and then what has changed', async () => {
    const parts = told();
    const first = new Set<string>();
    while (!first.has('calls')) first.add((await parts.next()).value?.name ?? 'calls');
    expect(first).toContain(`chat/telegram/${news}`);
    expect(first.size).toBe(8 + 5);
    await onTelegram('sendMessage', { text: 'Something new' });
    const { value } = await parts.next();
    expect(value).toMatchObject({
      name: `chat/telegram/${news}`,
      html: expect.stringContaining('Something new'),
    });
    await parts.return(undefined);
  });

  it('do not keep the sandbox from closing', async () => {
    const parts = told();
    await parts.next();
    await sandbox.close();
    await expect(
      (async () => {
        for await (const part of parts) void part;
      })(),
    ).resolves.not.toThrow();
  });
});
