import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MovableClock, movableClock } from '../../sandbox/clock.ts';
import { createFaultScript } from '../../sandbox/faults.ts';
import { type SandboxServer, startServer } from '../../sandbox/server.ts';
import type { FaultKind, SandboxRequest } from '../../sandbox/simulator.ts';
import { post, sendRaw } from '../support/http/raw-socket.ts';
import { createEcho } from '../support/sandbox/echo-simulator.ts';

let clock: MovableClock;
let server: SandboxServer;
let seen: SandboxRequest[];

beforeEach(async () => {
  clock = movableClock(Date.UTC(2026, 0, 1));
  const echo = createEcho();
  seen = echo.seen;
  server = await startServer({ create: echo.create, clock });
});

afterEach(() => server.close());

describe('a fault of the wire', () => {
  it.each([
    [false, 0],
    [true, 1],
  ])('drop ends the connection without a byte; stored: %s', async (stored, effects) => {
    server.faults.add({ kind: 'drop', stored });
    const socket = await sendRaw(server.url, post('/send'));
    await socket.closed();
    expect(socket.text()).toBe('');
    expect(seen).toHaveLength(effects);
  });

  it('half_open answers nothing and leaves the connection open', async () => {
    server.faults.add({ kind: 'half_open', stored: true, times: 1 });
    const socket = await sendRaw(server.url, post('/send'));
    const later = await sendRaw(server.url, post('/send'));
    await later.until((text) => text.includes('{"ok":true}'));
    expect(seen).toHaveLength(2);
    expect(socket.text()).toBe('');
    expect(socket.isClosed()).toBe(false);
  });

  it('slow_drip sends the head at once and then a byte for each second', async () => {
    server.faults.add({ kind: 'slow_drip' });
    const socket = await sendRaw(server.url, post('/send'));
    const head = await socket.until((text) => text.endsWith('\r\n\r\n'));
    expect(head).toContain('HTTP/1.1 200');
    const body = '{"ok":true}';
    for (let length = 1; length <= body.length; length += 1) {
      clock.advance(1000);
      const text = await socket.until((all) => all.length > head.length + length - 1);
      expect(text.slice(head.length)).toBe(body.slice(0, length));
    }
    expect(seen).toHaveLength(1);
  });

  it('slow_drip of a call without effect drips the error of the provider', async () => {
    server.faults.add({ kind: 'slow_drip', stored: false, status: 503 });
    const socket = await sendRaw(server.url, post('/send'));
    await socket.until((text) => text.startsWith('HTTP/1.1 503') && text.endsWith('\r\n\r\n'));
    clock.advance(1000);
    await socket.until((text) => text.endsWith('{'));
    expect(seen).toHaveLength(0);
  });

  it('html answers 502 with a page', async () => {
    server.faults.add({ kind: 'html' });
    const answer = await fetch(`${server.url}/send`, { method: 'POST' });
    expect(answer.status).toBe(502);
    expect(answer.headers.get('content-type')).toBe('text/html');
    expect(await answer.text()).toContain('<h1>502 Bad Gateway</h1>');
    expect(seen).toHaveLength(0);
  });

  it.each([
    [undefined, 200],
    [504, 504],
  ])('empty_body answers with a head alone: status %s', async (status, expected) => {
    server.faults.add({ kind: 'empty_body', status, stored: true });
    const answer = await fetch(`${server.url}/send`, { method: 'POST' });
    expect(answer.status).toBe(expected);
    expect(await answer.text()).toBe('');
    expect(answer.headers.get('content-length')).toBe('0');
    expect(seen).toHaveLength(1);
  });

  it('truncated_json is well-formed HTTP with half of the JSON', async () => {
    server.faults.add({ kind: 'truncated_json' });
    const answer = await fetch(`${server.url}/send`, { method: 'POST' });
    expect(answer.status).toBe(200);
    expect(await answer.text()).toBe('{"ok":');
    expect(seen).toHaveLength(1);
  });

  it('truncated_json of a call without effect leaks no answer', async () => {
    server.faults.add({ kind: 'truncated_json', stored: false });
    const answer = await fetch(`${server.url}/send`, { method: 'POST' });
    expect(await answer.text()).toBe('{');
    expect(seen).toHaveLength(0);
  });

  it.each([
    [undefined, 0],
    [true, 1],
  ])('server_error is worded by the provider; stored: %s', async (stored, effects) => {
    server.faults.add({ kind: 'server_error', status: 503, stored });
    const answer = await fetch(`${server.url}/send`, { method: 'POST' });
    expect(answer.status).toBe(503);
    expect(await answer.text()).toContain('"ok":false');
    expect(seen).toHaveLength(effects);
  });
});

describe('a fault of the provider', () => {
  it('is worded by the simulator and has no effect', async () => {
    server.faults.add({ kind: 'rate_limited', retryAfter: 7 });
    const answer = await fetch(`${server.url}/send`, { method: 'POST' });
    expect(answer.status).toBe(429);
    expect(await answer.json()).toEqual({ ok: false, after: 7 });
    expect(seen).toHaveLength(0);
  });

  it('passes the call when the platform has no such fault', async () => {
    server.faults.add({ kind: 'kicked' });
    const answer = await fetch(`${server.url}/send`, { method: 'POST' });
    expect(await answer.json()).toEqual({ ok: true });
  });
});

describe('the script', () => {
  const call = { platform: 'telegram', method: 'sendMessage', chat: '5' } as const;
  const strikes = (script: ReturnType<typeof createFaultScript>, count: number) =>
    Array.from({ length: count }, () => script.strike(call)?.kind);

  it('strikes for ever without times, and so often with it', () => {
    const script = createFaultScript();
    script.add({ kind: 'drop', times: 2 });
    script.add({ kind: 'html' });
    expect(strikes(script, 5)).toEqual(['drop', 'drop', 'html', 'html', 'html']);
  });

  it('lets as many calls pass as after says', () => {
    const script = createFaultScript();
    script.add({ kind: 'drop', after: 2, times: 1 });
    expect(strikes(script, 4)).toEqual([undefined, undefined, 'drop', undefined]);
  });

  it('matches the method in any case, the chat exactly, and the platform', () => {
    const script = createFaultScript();
    script.add({ kind: 'drop', method: 'deleteMessage' });
    script.add({ kind: 'drop', chat: '55' });
    script.add({ kind: 'drop', platform: 'vk' });
    expect(script.strike(call)).toBeUndefined();
    script.add({ kind: 'html', method: 'SENDMESSAGE', chat: '5', platform: 'telegram' });
    expect(script.strike(call)?.kind).toBe('html');
    expect(script.strike({ platform: 'telegram', method: 'sendMessage' })).toBeUndefined();
  });

  it.each<[FaultKind, 'telegram' | 'max' | 'vk']>([
    ['migrated', 'telegram'],
    ['attachment_not_ready', 'max'],
    ['success_false', 'max'],
    ['captcha', 'vk'],
  ])('leaves %s to the platform that knows it', (kind, home) => {
    const script = createFaultScript();
    script.add({ kind, times: 1 });
    const others = (['telegram', 'max', 'vk'] as const).filter((platform) => platform !== home);
    for (const platform of others) {
      expect(script.strike({ platform, method: 'send' })).toBeUndefined();
    }
    expect(script.strike({ platform: home, method: 'send' })?.kind).toBe(kind);
  });

  it('lists what is left, and forgets it when cleared', () => {
    const script = createFaultScript();
    script.add({ kind: 'drop', times: 2 });
    script.strike(call);
    expect(script.list()).toMatchObject([{ kind: 'drop', times: 1 }]);
    script.clear();
    expect(script.list()).toEqual([]);
  });
});
