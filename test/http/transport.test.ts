import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { createTransport, type HttpRequest } from '../../src/http/transport.ts';
import { answer, answering, call, startRawServer } from '../support/http/raw-server.ts';

const transport = createTransport();
afterAll(() => transport.close());

describe('an answer', () => {
  it('comes whole: status, headers in lower case, body', async () => {
    const bytes = answer(201, '{"имя":"ёж"}', { 'X-One': 'a', 'x-one': 'b', 'Retry-After': '7' });
    await using wire = await startRawServer(answering(bytes));
    expect(await transport.send(call(wire.url))).toEqual({
      kind: 'answered',
      status: 201,
      headers: { 'content-length': '17', 'x-one': 'a, b', 'retry-after': '7' },
      body: '{"имя":"ёж"}',
    });
  });

  it.each([
    ['no body', 'HTTP/1.1 204 No Content\r\n\r\n', 204, ''],
    ['an empty body', answer(502, ''), 502, ''],
    ['a page', answer(502, '<h1>Bad Gateway</h1>'), 502, '<h1>Bad Gateway</h1>'],
    ['a byte order mark', answer(200, '\ufeff{}'), 200, '{}'],
    ['hints before it', `HTTP/1.1 103 Early\r\nX: y\r\n\r\n${answer(200, 'ok')}`, 200, 'ok'],
    ['bytes that are no text', answer(200, 'a\0b'), 200, 'a\ufffdb'],
    ['chunks', chunked('5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n'), 200, 'hello!'],
  ])('may have %s', async (_what, bytes, status, body) => {
    await using wire = await startRawServer(answering(bytes));
    const reply = await transport.send(call(wire.url));
    expect(reply).toMatchObject({ kind: 'answered', status, body });
    expect(reply).not.toHaveProperty('headers.x');
  });

  it('that redirects is handed on: the token goes nowhere else', async () => {
    await using elsewhere = await startRawServer(answering(answer(200, '')));
    const bytes = answer(307, '', { Location: elsewhere.url });
    await using wire = await startRawServer(answering(bytes));
    expect(await transport.send(call(wire.url))).toMatchObject({ kind: 'answered', status: 307 });
    expect(elsewhere.received).toEqual([]);
  });

  it('of the largest size still comes; one byte more is an unknown outcome', async () => {
    const small = createTransport({ maxAnswerBytes: 1000 });
    await using fits = await startRawServer(answering(answer(200, 'a'.repeat(1000))));
    await using over = await startRawServer(answering(answer(200, 'a'.repeat(1001))));
    expect(await small.send(call(fits.url))).toMatchObject({ body: 'a'.repeat(1000) });
    expect(await small.send(call(over.url))).toEqual({
      kind: 'unknown',
      code: 'too_large',
      reason: 'the answer is longer than 1000 bytes',
      status: 200,
    });
    await small.close();
  });

  it('is capped at 1 MiB, and the rest is not waited for', async () => {
    await using wire = await startRawServer(({ socket }) => {
      const piece = Buffer.alloc(64 * 1024, 97);
      const more = () => {
        while (socket.writable && socket.write(piece));
      };
      socket.write('HTTP/1.1 200 Words\r\n\r\n');
      socket.on('drain', more);
      more();
    });
    expect(await transport.send(call(wire.url))).toMatchObject({ code: 'too_large', status: 200 });
  });
});

describe('a request', () => {
  const seen: { method: string; url: string; type: string; token: string; body: string }[] = [];
  const answerWith = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await text(request);
    const { 'content-type': type = '', authorization: token = '' } = request.headers;
    seen.push({ method: request.method ?? '', url: request.url ?? '', type, token, body });
    response.end();
  };
  const server = createServer((request, response) => void answerWith(request, response));
  const started = once(server.listen(0, '127.0.0.1'), 'listening');
  afterAll(() => server.close());

  it.each<[string, Partial<HttpRequest>, object]>([
    [
      'as JSON',
      { body: { json: { text: 'ёж' } } },
      { method: 'POST', type: 'application/json', body: '{"text":"ёж"}' },
    ],
    [
      'as a form',
      { body: { form: { message: 'a & b', v: '5.199' } } },
      { type: 'application/x-www-form-urlencoded', body: 'message=a+%26+b&v=5.199' },
    ],
    ['without a body', { method: 'GET', body: undefined }, { method: 'GET', body: '', type: '' }],
    ['with its headers', { headers: { Authorization: 'abc' } }, { token: 'abc' }],
    [
      'with headers that win over those of the body',
      { headers: { 'content-type': 'text/plain' } },
      { type: 'text/plain', body: '{"text":"hello"}' },
    ],
  ])('goes out %s', async (_how, changes, expected) => {
    await started;
    const address: AddressInfo | string | null = server.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await transport.send(call(`http://127.0.0.1:${port}/bot1:a_b/send?a=b%20c`, changes));
    expect(seen.at(-1)).toMatchObject({ url: '/bot1:a_b/send?a=b%20c', ...expected });
  });

  // A connection that has just answered rests for a turn, so that a second one is opened.
  it('reuses the connections of those before', async () => {
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    for (let count = 0; count < 10; count += 1) {
      expect(await transport.send(call(wire.url))).toMatchObject({ kind: 'answered' });
    }
    expect(wire.received.length).toBeLessThanOrEqual(2);
  });

  it('leaves no clock running', async () => {
    const clocks = () =>
      process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    const before = clocks();
    for (let count = 0; count < 20; count += 1) await transport.send(call(wire.url));
    expect(clocks() - before).toBeLessThan(10);
  });

  it('does not wait for another one to the same host', async () => {
    const both = Promise.withResolvers<void>();
    await using wire = await startRawServer(async ({ socket, number }) => {
      if (number === 1) both.resolve();
      await both.promise;
      socket.write(answer(200, 'ok'));
    });
    const replies = await Promise.all([
      transport.send(call(wire.url)),
      transport.send(call(wire.url)),
    ]);
    expect(replies.map((reply) => reply.kind)).toEqual(['answered', 'answered']);
  });
});

function chunked(body: string): string {
  return `HTTP/1.1 200 Words\r\nTransfer-Encoding: chunked\r\n\r\n${body}`;
}
