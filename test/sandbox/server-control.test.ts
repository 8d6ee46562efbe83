import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { movableClock, runningClock } from '../../sandbox/clock.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { sendRaw } from '../support/http/raw-socket.ts';
import { createEcho } from '../support/sandbox/echo-simulator.ts';

let sandbox: Sandbox;

beforeEach(async () => {
  const clock = movableClock(Date.UTC(2026, 0, 1));
  sandbox = await startSandbox({ simulators: { telegram: createEcho().create }, clock });
});

afterEach(() => sandbox.close());

async function control(method: string, path: string, body?: unknown, headers = {}) {
  const init = body === undefined ? {} : { body: JSON.stringify(body) };
  const json = { 'content-type': 'application/json', ...headers };
  const answer = await fetch(`${sandbox.controlUrl}${path}`, { method, headers: json, ...init });
  const text = await answer.text();
  const page = answer.headers.get('content-type')?.startsWith('text/html') === true;
  return { status: answer.status, text, json: page ? undefined : JSON.parse(text), answer };
}

describe('the control API', () => {
  it('adds faults, alone or several, lists and clears them', async () => {
    await control('POST', '/faults', { kind: 'rate_limited', retry_after: 5, times: 1, chat: 5 });
    const both = await control('POST', '/faults', [{ kind: 'drop', method: 'x' }]);
    expect(both.json).toEqual([
      { kind: 'rate_limited', retry_after: 5, times: 1, chat: '5', after: 0 },
      { kind: 'drop', method: 'x', after: 0 },
    ]);
    const struck = await fetch(`${sandbox.telegram.url}/send?chat=5`);
    expect(await struck.json()).toEqual({ ok: false, after: 5 });
    expect((await control('GET', '/faults')).json).toHaveLength(1);
    await control('DELETE', '/faults');
    expect(sandbox.faults.list()).toEqual([]);
  });

  const kinds =
    'there are drop, half_open, slow_drip, html, empty_body, truncated_json, server_error, rate_limited, kicked, revoked, migrated, attachment_not_ready, success_false, captcha';

  it.each([
    [{ kind: 'nonsense' }, `kind: there is no kind "nonsense"; ${kinds}`],
    [{}, `kind: it is missing; ${kinds}`],
    [
      { kind: 'html', platform: 'tg' },
      'platform: there is no platform "tg"; there are telegram, max, vk',
    ],
    [
      { kind: 'captcha', platform: 'telegram' },
      'platform: captcha is a fault of vk only, not of telegram',
    ],
    [
      { kind: 'html', times: 'a', chat: true },
      'chat: Invalid input: expected string, received boolean, or chat: Invalid input: expected number, received boolean; times: Invalid input: expected number, received string',
    ],
    [{ kind: 'drop', times: 0 }, 'times: Too small: expected number to be >0'],
    [{ kind: 'drop', unknown: 1 }, 'Unrecognized key: "unknown"'],
    [
      [{ kind: 'drop' }, { kind: 'drop', after: -1 }],
      '[1].after: Too small: expected number to be >=0',
    ],
  ])('says what is wrong with a fault, and adds none: %j', async (fault, error) => {
    const { status, json } = await control('POST', '/faults', fault);
    expect([status, json]).toEqual([400, { error }]);
    expect(sandbox.faults.list()).toEqual([]);
  });

  it('takes no orders under a name that a page has resolved to this machine', async () => {
    const body = '{"kind": "drop"}';
    const order = (host: string): string =>
      `POST /faults HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`;
    for (const host of ['rebound.example', 'localhost.rebound.example', '127.0.0.1.example']) {
      const refused = await sendRaw(sandbox.controlUrl, order(host));
      await refused.closed();
      expect(refused.text()).toMatch(/^HTTP\/1\.1 421 /);
    }
    expect(sandbox.faults.list()).toEqual([]);
    const taken = await sendRaw(sandbox.controlUrl, order('localhost:1'));
    await taken.closed();
    expect(sandbox.faults.list()).toHaveLength(1);
  });

  it('refuses a body that is not JSON', async () => {
    const headers = { 'content-type': 'application/json' };
    const init = { method: 'POST', headers, body: '{' };
    const answer = await fetch(`${sandbox.controlUrl}/faults`, init);
    expect([answer.status, await answer.json()]).toEqual([400, { error: 'The body is not JSON.' }]);
  });

  it('moves the clock and says what it shows', async () => {
    const { json } = await control('POST', '/clock', { advance_ms: 90_000 });
    expect(json).toEqual({ now: '2026-01-01T00:01:30.000Z' });
    expect((await control('GET', '/clock')).json).toEqual(json);
  });

  it('does not move a clock that runs with the machine', async () => {
    await sandbox.close();
    const simulators = { telegram: createEcho().create };
    sandbox = await startSandbox({ simulators, clock: runningClock() });
    const { status, json } = await control('POST', '/clock', { advance_ms: 1 });
    expect([status, json]).toEqual([
      409,
      { error: 'The clock of this sandbox runs with the machine.' },
    ]);
  });

  it('passes orders on to the simulator, and its words back', async () => {
    const done = await control('POST', '/control/telegram/echo', { a: 1 });
    expect([done.status, done.json]).toEqual([200, { heard: { a: 1 } }]);
    const unknown = await control('POST', '/control/telegram/dance', {});
    expect([unknown.status, unknown.json]).toEqual([400, { error: 'There is no order "dance".' }]);
  });

  it('shows all chats, those of a platform, and one', async () => {
    const all = await control('GET', '/chats');
    expect(all.json).toMatchObject({
      telegram: [{ chat: '-100/7', posts: [{ text: '<b>x</b>' }] }],
    });
    expect((await control('GET', '/chats/max')).json).toEqual({ max: [] });
    const one = await control('GET', '/chats/telegram/-100%2F7');
    expect(all.json).toEqual({ telegram: [one.json], max: [], vk: [] });
    const at = '2026-01-01T00:00:0';
    expect(one.json).toMatchObject({
      posts: [{ sent_at: `${at}0.000Z`, edited_at: `${at}1.000Z` }],
    });
    expect((await control('GET', '/chats/telegram/nobody')).status).toBe(404);
  });

  it.each([
    ['GET', '/chats/icq'],
    ['GET', '/chats/icq/5'],
    ['POST', '/control/icq/echo'],
  ])('says of a platform that it has not which there are: %s %s', async (method, path) => {
    const { status, json } = await control(method, path);
    const error = 'There is no platform "icq" here; there are telegram, max, vk.';
    expect([status, json]).toEqual([404, { error }]);
  });

  it('answers 404 to what is not there', async () => {
    expect((await control('GET', '/nothing')).status).toBe(404);
    expect((await control('PUT', '/faults')).status).toBe(404);
  });
});

describe('the page', () => {
  it('escapes what strangers wrote', async () => {
    const path = '/chats/telegram/-100%2F7';
    const { text, answer } = await control('GET', path, undefined, { accept: 'text/html' });
    expect(answer.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(text).toContain('photo&lt; &quot;&gt;&lt;svg onload=alert(1)&gt;');
    expect(text).toContain('1&quot;&gt;&lt;img src=x&gt;');
    expect(text).toContain('&lt;i&gt;go&lt;/i&gt;');
    expect(text).toContain('href="https://example.com/?a=1&amp;b=&quot;2"');
    expect(text).toContain('al&#39;bum');
    expect(text).not.toMatch(/<(script|svg|img|i)\b/);
    expect(text).not.toContain('javascript:');
  });

  it('lists the chats on the front page', async () => {
    const { text } = await control('GET', '/');
    expect(text).toContain('href="/chats/telegram/-100%2F7"');
    expect(text).toContain('&lt;script&gt;alert(1)&lt;/script&gt; <small>-100/7, 1 post</small>');
    expect(text).not.toContain('<script');
  });

  it('shows the newest post of each chat on the front page, in one line', async () => {
    const { text } = await control('GET', '/');
    const [, line] = /<span class="newest">(.*?)<\/span>/.exec(text) ?? [];
    expect(line).toMatch(
      /^<time datetime="2026-01-01T00:00:00.000Z">.*<\/time> &lt;b&gt;x&lt;\/b&gt;$/,
    );
  });

  it('leads back from a chat, and from the front page nowhere', async () => {
    expect((await control('GET', '/')).text).not.toContain('‹');
    const path = '/chats/telegram/-100%2F7';
    const { text } = await control('GET', path, undefined, { accept: 'text/html' });
    expect(text).toMatch(/<h1><a href="\/">‹<\/a> .*<small>telegram -100\/7<\/small><\/h1>/);
  });

  it('tells when a post came in words, and its number apart', async () => {
    const path = '/chats/telegram/-100%2F7';
    const { text } = await control('GET', path, undefined, { accept: 'text/html' });
    const words = new Date('2026-01-01T00:00:00Z').toLocaleTimeString('en-GB');
    expect(text).toMatch(
      new RegExp(
        `<time datetime="2026-01-01T00:00:00.000Z">\\d+ \\w+ 202[56], ${words} [^<]+</time>`,
      ),
    );
    expect(text).toContain('<span>message 1&quot;&gt;');
  });

  it.each(['/', '/chats', '/chats/telegram/-100%2F7'])(
    'loads itself again, without a script: %s',
    async (path) => {
      const { text } = await control('GET', path, undefined, { accept: 'text/html' });
      expect(text).toContain('<meta http-equiv="refresh" content="2">');
      expect(text).not.toContain('<script');
    },
  );
});

describe('the sandbox', () => {
  it('closes what it had started when a later part cannot start', async () => {
    const { port } = new URL(sandbox.telegram.url);
    const free = new URL(sandbox.controlUrl).port;
    await sandbox.close();
    const blocker = await startSandbox({ ports: { control: Number(free) } });
    const simulators = { telegram: createEcho().create };
    const ports = { telegram: Number(port), control: Number(free) };
    await expect(startSandbox({ simulators, ports })).rejects.toThrow('EADDRINUSE');
    await blocker.close();
    sandbox = await startSandbox({ simulators, ports });
    expect(sandbox.telegram.url).toBe(`http://127.0.0.1:${port}`);
  });
});
