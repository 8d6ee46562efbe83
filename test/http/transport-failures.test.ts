import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterAll, describe, expect, it } from 'vitest';
import { createTransport, type Reply, type TransportOptions } from '../../src/http/transport.ts';
import { freePort } from '../support/http/free-port.ts';
import {
  answer,
  answering,
  call,
  type RawConnection,
  refusingPort,
  startRawServer,
} from '../support/http/raw-server.ts';

const transport = createTransport();
afterAll(() => transport.close());

const head = 'HTTP/1.1 200 Words\r\n';
const wholeRequest = (text: string) => text.endsWith('{"text":"hello"}');

/** Does that once the whole request has come. */
const afterRequest = (act: (connection: RawConnection) => void) => (connection: RawConnection) => {
  void connection.until(wholeRequest).then(() => act(connection));
};

/** Sends with limits that are short enough for a test to wait for. */
async function sendHastily(options: TransportOptions, url: string): Promise<Reply> {
  const hasty = createTransport(options);
  try {
    return await hasty.send(call(url));
  } finally {
    await hasty.close();
  }
}

describe('nothing was sent', () => {
  it('when the connection is refused', async () => {
    await using refusing = await refusingPort();
    expect(await transport.send(call(`http://127.0.0.1:${refusing.port}`))).toEqual({
      kind: 'not_sent',
      code: 'ECONNREFUSED',
      reason: 'the server refused the connection (ECONNREFUSED)',
    });
  });

  it('when the host has no address', async () => {
    const reply = await transport.send(call('http://no-such-host.invalid'));
    expect(reply).toMatchObject({ kind: 'not_sent' });
    expect(reply).toHaveProperty('code', expect.stringMatching(/^(ENOTFOUND|EAI_AGAIN)$/));
  });

  // The handshake is part of connecting, and a server that keeps silent never ends it.
  it('when connecting takes too long', async () => {
    await using wire = await startRawServer(() => undefined);
    const url = `https://127.0.0.1:${wire.port}`;
    expect(await sendHastily({ connectTimeoutMs: 50 }, url)).toEqual({
      kind: 'not_sent',
      code: 'UND_ERR_CONNECT_TIMEOUT',
      reason: 'the server could not be reached in time (UND_ERR_CONNECT_TIMEOUT)',
    });
  });

  it('when the time is up before there is a connection', async () => {
    await using wire = await startRawServer(() => undefined);
    const late = call(`https://127.0.0.1:${wire.port}`, { timeoutMs: 50 });
    expect(await transport.send(late)).toEqual({
      kind: 'not_sent',
      code: 'timeout',
      reason: 'no answer within 50 ms',
    });
  });

  it('when the connection ends during the handshake', async () => {
    await using wire = await startRawServer(({ socket }) => socket.resetAndDestroy());
    const reply = await transport.send(call(`https://127.0.0.1:${wire.port}`));
    expect(reply).toMatchObject({ kind: 'not_sent', code: 'ECONNRESET' });
  });

  it('when it was stopped before it began', async () => {
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    expect(await transport.send(call(wire.url, { signal: AbortSignal.abort() }))).toEqual({
      kind: 'not_sent',
      code: 'aborted',
      reason: 'the send was stopped',
    });
    expect(wire.received).toEqual([]);
  });

  it('when it was stopped while it waited for a connection, and nothing follows', async () => {
    const stop = new AbortController();
    let opened = 0;
    const file = {
      name: 'file',
      filename: 'a',
      contentType: 'text/plain',
      open: () => Promise.reject(new Error(`opened ${(opened += 1)}`)),
    };
    await using wire = await startRawServer(() => stop.abort());
    const reply = await transport.send(
      call(`https://127.0.0.1:${wire.port}`, { signal: stop.signal, body: { multipart: [file] } }),
    );
    expect(reply).toMatchObject({ kind: 'not_sent', code: 'aborted' });
    expect(opened).toBe(0);
  });

  it('when the lease is over by the time there is a connection', async () => {
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    expect(await transport.send(call(wire.url, { holds: () => false }))).toEqual({
      kind: 'not_sent',
      code: 'lease_over',
      reason: 'the lease is over: not sent',
    });
    expect(wire.received.join('')).toBe('');
  });

  it('and the lease is not asked about before there is a connection', async () => {
    await using refusing = await refusingPort();
    let asked = 0;
    const holds = (): boolean => (asked += 1) > 0;
    const url = `http://127.0.0.1:${refusing.port}`;
    expect(await transport.send(call(url, { holds }))).toMatchObject({ code: 'ECONNREFUSED' });
    expect(asked).toBe(0);
  });

  it.each(['ftp://127.0.0.1/a', 'no address', '', 'http://'])(
    'to the address "%s"',
    async (url) => {
      expect(await transport.send(call(url))).toEqual({
        kind: 'not_sent',
        code: 'invalid_url',
        reason: 'the address is not an http(s) one',
      });
    },
  );

  it('when a header cannot be written', async () => {
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    const headers = { authorization: 'two\nlines' };
    const reply = await transport.send(call(wire.url, { headers }));
    expect(reply).toMatchObject({ kind: 'not_sent', code: 'UND_ERR_INVALID_ARG' });
    expect(wire.received).toEqual([]);
  });

  it('when the transport is closed', async () => {
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    const closed = createTransport();
    await closed.close();
    expect(await closed.send(call(wire.url))).toMatchObject({
      kind: 'not_sent',
      reason: expect.stringContaining('the transport is closed'),
    });
  });
});

describe('the outcome is unknown', () => {
  it.each<[string, string, (connection: RawConnection) => void]>([
    ['the connection is reset', 'ECONNRESET', ({ socket }) => socket.resetAndDestroy()],
    ['the connection is closed', 'UND_ERR_SOCKET', ({ socket }) => socket.end()],
    ['the answer is not HTTP', 'not_http', ({ socket }) => socket.end('hello there')],
    [
      'the connection is closed within the head',
      'UND_ERR_SOCKET',
      ({ socket }) => socket.end(head),
    ],
    [
      'the connection is closed before the final answer',
      'UND_ERR_SOCKET',
      ({ socket }) => socket.end('HTTP/1.1 103 Early\r\n\r\n'),
    ],
  ])('when %s after the request was read', async (_what, code, act) => {
    await using wire = await startRawServer(afterRequest(act));
    const reply = await transport.send(call(wire.url));
    expect(reply).toMatchObject({ kind: 'unknown', code, status: undefined });
    expect(wire.received).toEqual([expect.stringMatching(/"hello"}$/)]);
  });

  it.each<[string, string, string]>([
    [
      'its length',
      'UND_ERR_RES_CONTENT_LENGTH_MISMATCH',
      `${head}Content-Length: 9\r\nConnection: close\r\n\r\n{"ok`,
    ],
    ['its length, kept alive', 'UND_ERR_SOCKET', `${head}Content-Length: 9\r\n\r\n{"ok`],
    ['its last chunk', 'UND_ERR_SOCKET', `${head}Transfer-Encoding: chunked\r\n\r\n4\r\n{"ok\r\n`],
  ])('when the answer ends before %s', async (_what, code, bytes) => {
    await using wire = await startRawServer(afterRequest(({ socket }) => socket.end(bytes)));
    const reply = await transport.send(call(wire.url));
    expect(reply).toMatchObject({ kind: 'unknown', code, status: 200 });
  });

  it('when a request without a body is lost', async () => {
    await using wire = await startRawServer(({ socket }) =>
      socket.once('data', () => socket.end()),
    );
    const reply = await transport.send(call(wire.url, { method: 'GET', body: undefined }));
    expect(reply).toMatchObject({ kind: 'unknown', code: 'UND_ERR_SOCKET' });
    expect(wire.received).toEqual([expect.stringMatching(/^GET .*\r\n\r\n$/s)]);
  });

  it('when no answer comes', async () => {
    await using wire = await startRawServer(() => undefined);
    expect(await sendHastily({ headersTimeoutMs: 50 }, wire.url)).toEqual({
      kind: 'unknown',
      code: 'UND_ERR_HEADERS_TIMEOUT',
      reason: 'the server did not answer in time (UND_ERR_HEADERS_TIMEOUT)',
    });
  });

  it('when the answer stops in its body', async () => {
    await using wire = await startRawServer(answering(`${head}Content-Length: 9\r\n\r\n{"ok`));
    const reply = await sendHastily({ bodyTimeoutMs: 50 }, wire.url);
    expect(reply).toMatchObject({ kind: 'unknown', code: 'UND_ERR_BODY_TIMEOUT', status: 200 });
  });

  it('when an answer drips without end: the time is for everything together', async () => {
    const ended = Promise.withResolvers<void>();
    await using wire = await startRawServer(({ socket }) => {
      socket.write(`${head}\r\n`);
      const drip = setInterval(() => socket.write('.'), 5);
      socket.once('close', () => {
        clearInterval(drip);
        ended.resolve();
      });
    });
    // Enough for the head to come.
    expect(await transport.send(call(wire.url, { timeoutMs: 3000 }))).toEqual({
      kind: 'unknown',
      code: 'timeout',
      reason: 'no answer within 3000 ms',
      status: 200,
    });
    await ended.promise;
  });

  it.each<[string, string]>([
    ['before the answer', ''],
    ['within the head', head],
    ['within the body', `${head}Content-Length: 9\r\n\r\n{"ok`],
  ])('when it is stopped %s; the connection is closed', async (_when, bytes) => {
    const stop = new AbortController();
    const ended = Promise.withResolvers<void>();
    await using wire = await startRawServer(
      afterRequest(({ socket }) => {
        socket.once('close', () => ended.resolve());
        socket.write(bytes, () => setImmediate(() => stop.abort()));
      }),
    );
    const reply = await transport.send(call(wire.url, { signal: stop.signal }));
    expect(reply).toMatchObject({ kind: 'unknown', code: 'aborted' });
    await ended.promise;
  });
});

describe('a kept connection', () => {
  it('that is reset after the next request was read loses that one, which is not repeated', async () => {
    await using wire = await startRawServer(({ socket }) => {
      let requests = 0;
      socket.on('data', () => {
        requests += 1;
        if (requests === 1) socket.write(answer(200, 'ok'));
        else socket.resetAndDestroy();
      });
    });
    const kept = createTransport();
    expect(await kept.send(call(wire.url))).toMatchObject({ kind: 'answered' });
    // A connection that has just answered rests for a turn.
    await nextTurn();
    expect(await kept.send(call(wire.url))).toMatchObject({ kind: 'unknown', code: 'ECONNRESET' });
    expect(wire.received).toHaveLength(1);
    expect(wire.received[0]?.match(/POST/g)).toHaveLength(2);
    await kept.close();
  });

  it('that the server closed while it rested is not used again', async () => {
    const closed = Promise.withResolvers<void>();
    await using wire = await startRawServer(({ socket }) => {
      socket.once('data', () => socket.end(answer(200, 'ok')));
      socket.once('close', () => closed.resolve());
    });
    const kept = createTransport();
    expect(await kept.send(call(wire.url))).toMatchObject({ kind: 'answered' });
    await closed.promise;
    expect(await kept.send(call(wire.url))).toMatchObject({ kind: 'answered' });
    expect(wire.received).toHaveLength(2);
    await kept.close();
  });

  it('carries nothing that is sent under a lease which is over, and then serves the next', async () => {
    await using wire = await startRawServer(answering(answer(200, 'ok')));
    const kept = createTransport();
    const leases = [true, false, true];
    const kinds: string[] = [];
    for (const lease of leases) {
      kinds.push((await kept.send(call(wire.url, { holds: () => lease }))).kind);
      await nextTurn();
    }
    expect(kinds).toEqual(['answered', 'not_sent', 'answered']);
    expect(wire.received.join('').match(/POST/g)).toHaveLength(2);
    await kept.close();
  });

  it('takes a server that came back at the same port', async () => {
    const kept = createTransport();
    const port = await freePort();
    {
      await using wire = await startRawServer(answering(answer(200, 'ok')), { port });
      expect(await kept.send(call(wire.url))).toMatchObject({ kind: 'answered' });
    }
    await using back = await startRawServer(answering(answer(200, 'back')), { port });
    expect(await kept.send(call(back.url))).toMatchObject({ body: 'back' });
    await kept.close();
  });
});
