import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { movableClock } from '../../sandbox/clock.ts';
import { closeServer, listen, type SandboxServer, startServer } from '../../sandbox/server.ts';
import type { SandboxRequest, SimulatorContext } from '../../sandbox/simulator.ts';
import { refusingPort } from '../support/http/raw-server.ts';
import { post, sendRaw } from '../support/http/raw-socket.ts';
import { createEcho } from '../support/sandbox/echo-simulator.ts';

const clock = movableClock(0);
let server: SandboxServer;
let seen: SandboxRequest[];

beforeEach(async () => {
  const echo = createEcho();
  seen = echo.seen;
  server = await startServer({ create: echo.create, clock });
});

afterEach(() => server.close());

function send(path: string, init: RequestInit = {}): Promise<Response> {
  return fetch(`${server.url}${path}`, { method: 'POST', ...init });
}

describe('a request', () => {
  it('has its path decoded and its query apart', async () => {
    await send('/bot%31:x/send%20it?chat=%2D100&text=%D0%B0+b');
    expect(seen[0]).toMatchObject({ method: 'POST', path: '/bot1:x/send it' });
    expect(Object.fromEntries(seen[0]?.query ?? [])).toEqual({ chat: '-100', text: 'а b' });
  });

  it('has its headers in lower case', async () => {
    await send('/x', { headers: { 'X-Custom-Thing': 'Yes' } });
    expect(seen[0]?.headers['x-custom-thing']).toBe('Yes');
  });

  it('has JSON parsed, and keeps the bytes of JSON that does not parse', async () => {
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    await send('/x', { body: '{"a":[1]}', headers });
    await send('/x', { body: '{"a":', headers });
    expect(seen[0]).toMatchObject({ json: { a: [1] }, raw: new Uint8Array() });
    expect(seen[1]?.json).toBeUndefined();
    expect(Buffer.from(seen[1]?.raw ?? []).toString()).toBe('{"a":');
  });

  it('has the fields of a form', async () => {
    await send('/x', { body: new URLSearchParams({ text: 'а & b', __proto__x: '1' }) });
    expect(seen[0]?.form).toEqual({ text: 'а & b', __proto__x: '1' });
  });

  it('has files counted and hashed, and fields beside them', async () => {
    const bytes = Buffer.alloc(5000, 'ab');
    const form = new FormData();
    form.set('caption', 'Привет');
    form.set('photo', new Blob([bytes], { type: 'image/png' }), 'кот.png');
    await send('/x', { body: form });
    expect(seen[0]?.form).toEqual({ caption: 'Привет' });
    expect(seen[0]?.files).toEqual([
      {
        field: 'photo',
        filename: 'кот.png',
        contentType: 'image/png',
        size: 5000,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        head: bytes.subarray(0, 1024),
      },
    ]);
  });

  it('has a body of another type as bytes and as a file without a name', async () => {
    await send('/x', { body: 'chunk', headers: { 'content-type': 'video/mp4' } });
    expect(Buffer.from(seen[0]?.raw ?? []).toString()).toBe('chunk');
    expect(seen[0]?.files).toMatchObject([{ field: '', size: 5, contentType: 'video/mp4' }]);
  });

  it('without a body has nothing of one', async () => {
    await send('/x');
    expect(seen[0]).toMatchObject({ form: {}, files: [], raw: new Uint8Array() });
    expect(seen[0]?.json).toBeUndefined();
  });

  it('that breaks off has no effect', async () => {
    const half = await sendRaw(server.url, post('/half', '{"a":1}').slice(0, -3));
    half.destroy();
    await half.closed();
    await send('/whole');
    expect(seen.map(({ path }) => path)).toEqual(['/whole']);
  });
});

describe('the reader refuses with an empty body', () => {
  const refused = async (path: string, init: RequestInit) => {
    const answer = await send(path, init);
    return { status: answer.status, body: await answer.text(), effects: seen.length };
  };
  const tooLarge = { status: 413, body: '', effects: 0 };
  const malformed = { status: 400, body: '', effects: 0 };

  it('parameters beyond the cap: JSON, form and multipart', async () => {
    const long = 'x'.repeat(1001);
    const json = { 'content-type': 'application/json' };
    expect(await refused('/x', { body: JSON.stringify(long), headers: json })).toEqual(tooLarge);
    expect(await refused('/x', { body: new URLSearchParams({ a: long }) })).toEqual(tooLarge);
    const form = new FormData();
    form.set('a', 'x'.repeat(600));
    form.set('b', 'x'.repeat(600));
    expect(await refused('/x', { body: form })).toEqual(tooLarge);
  });

  it('more files than the cap', async () => {
    const form = new FormData();
    for (const name of ['a', 'b', 'c']) form.set(name, new Blob(['1']), name);
    expect(await refused('/x', { body: form })).toEqual(tooLarge);
  });

  it('files that are too large together', async () => {
    const form = new FormData();
    for (const name of ['a', 'b']) form.set(name, new Blob(['1'.repeat(5001)]), name);
    expect(await refused('/x', { body: form })).toEqual(tooLarge);
  });

  it('what is too large without saying so', async () => {
    const chunked = (bytes: string) => ({
      body: new Blob([bytes]).stream(),
      duplex: 'half' as const,
    });
    const large = 'x'.repeat(10_001);
    expect(await refused('/x', chunked(large))).toEqual(tooLarge);
    const part = `--b\r\nContent-Disposition: form-data; name="f"; filename="f"\r\n\r\n${large}\r\n--b--\r\n`;
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect(await refused('/x', { ...chunked(part), headers })).toEqual(tooLarge);
  });

  it('a length that is announced, before the body is there', async () => {
    const head = post('/x', '', {}).replace('Content-Length: 0', 'Content-Length: 60000000');
    const socket = await sendRaw(server.url, head);
    const text = await socket.until((all) => all.includes('\r\n\r\n'));
    expect(text).toContain('HTTP/1.1 413');
    expect(text).toMatch(/content-length: 0/i);
    socket.destroy();
  });

  it('broken multipart and broken escapes', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=b' };
    expect(await refused('/x', { body: '--b\r\nContent-Dispo', headers })).toEqual(malformed);
    const unbound = { 'content-type': 'multipart/form-data' };
    expect(await refused('/x', { body: 'x', headers: unbound })).toEqual(malformed);
    const socket = await sendRaw(server.url, post('/%ff%'));
    expect(await socket.until((all) => all.includes('\r\n\r\n'))).toContain('HTTP/1.1 400');
  });

  it('what is not HTTP, and headers beyond 256 KiB', async () => {
    const garbage = await sendRaw(server.url, 'HELLO\r\n\r\n');
    await garbage.closed();
    expect(garbage.text()).toMatch(/^HTTP\/1\.1 400 [^\r]+\r\nConnection: close\r\n\r\n$/);
    const wide = await sendRaw(server.url, post('/x', '{}', { 'X-Long': 'x'.repeat(270_000) }));
    await wide.closed();
    expect(wide.text()).toMatch(/^HTTP\/1\.1 431 [^\r]+\r\nConnection: close\r\n\r\n$/);
  });
});

describe('a webhook call', () => {
  let other: SandboxServer;
  let context: SimulatorContext | undefined;

  beforeEach(async () => {
    other = await startServer({
      clock,
      create(made) {
        context = made;
        return createEcho().create(made);
      },
    });
  });

  afterEach(() => other.close());

  /** What the simulator would call. */
  function callWebhook(...call: Parameters<SimulatorContext['callWebhook']>) {
    if (context === undefined) throw new Error('no context');
    return context.callWebhook(...call);
  }

  it('posts the body with its headers, and hears the answer', async () => {
    const heard: unknown[] = [];
    const listener = createServer((message, response) => {
      heard.push(message.headers['x-secret'], message.headers['content-type'], message.method);
      message.on('data', (chunk: Buffer) => heard.push(chunk.toString()));
      message.on('end', () => response.writeHead(418, { 'retry-after': '3' }).end('tea'));
    });
    const url = await listen(listener);
    const status = await callWebhook(url, { 'x-secret': 's' }, '{"update_id":1}', (answer) =>
      heard.push(answer.headers['retry-after'], answer.body),
    );
    await closeServer(listener);
    expect(status).toBe(418);
    expect(heard).toEqual(['s', 'application/json', 'POST', '{"update_id":1}', '3', 'tea']);
  });

  it('is undefined when nobody answers within a minute of the clock, or listens at all', async () => {
    let reached = () => {};
    const arrival = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const listener = createServer(() => reached());
    const url = await listen(listener);
    const pending = callWebhook(url, {}, '{}');
    await arrival;
    clock.advance(60_000);
    expect(await pending).toBeUndefined();
    await closeServer(listener);
    await using refusing = await refusingPort();
    expect(await callWebhook(`http://127.0.0.1:${refusing.port}`, {}, '{}')).toBeUndefined();
  });

  it('reaches nobody once the server is closed, nor ends after it', async () => {
    let calls = 0;
    let reached = () => {};
    const arrival = new Promise<void>((resolve) => {
      reached = resolve;
    });
    const listener = createServer(() => {
      calls += 1;
      reached();
    });
    const url = await listen(listener);
    const pending = callWebhook(url, {}, '{}');
    await arrival;
    await other.close();
    expect(await pending).toBeUndefined();
    expect(await callWebhook(url, {}, '{}')).toBeUndefined();
    expect(calls).toBe(1);
    await closeServer(listener);
  });
});
