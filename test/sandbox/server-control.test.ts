import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { movableClock } from '../../sandbox/clock.ts';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { freePort } from '../support/http/free-port.ts';
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

  it.each([
    { origin: 'https://evil.example' },
    { origin: 'http://127.0.0.1:1' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
  ])('takes no orders from a page of another site: %j', async (headers) => {
    const { status, json } = await control('POST', '/faults', { kind: 'drop' }, headers);
    const error = 'A page of another site gives no orders here.';
    expect([status, json]).toEqual([403, { error }]);
    expect((await control('DELETE', '/faults', undefined, headers)).status).toBe(403);
    expect(sandbox.faults.list()).toEqual([]);
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

  it('does not move a clock that cannot be moved', async () => {
    await sandbox.close();
    const simulators = { telegram: createEcho().create };
    const clock = { now: () => 0, later: () => () => undefined };
    sandbox = await startSandbox({ simulators, clock });
    const { status, json } = await control('POST', '/clock', { advance_ms: 1 });
    expect([status, json]).toEqual([409, { error: 'The clock of this sandbox cannot be moved.' }]);
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

describe('the sandbox', () => {
  it('closes what it had started when a later part cannot start', async () => {
    await sandbox.close();
    const ports = { telegram: await freePort(), control: await freePort() };
    const blocker = await startSandbox({ ports: { control: ports.control } });
    const simulators = { telegram: createEcho().create };
    await expect(startSandbox({ simulators, ports })).rejects.toThrow('EADDRINUSE');
    await blocker.close();
    sandbox = await startSandbox({ simulators, ports });
    expect(sandbox.telegram.url).toBe(`http://127.0.0.1:${ports.telegram}`);
  });
});
