import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTransport, type Transport } from '../../src/http/transport.ts';
import { answer, call, type RawServer, startRawServer } from '../support/http/raw-server.ts';

let transport: Transport | undefined;
afterEach(async () => {
  vi.useRealTimers();
  await transport?.close();
});

/** A provider that answers with these headers, and the connections that were made to it. */
async function provider(
  headers: Record<string, string> = {},
): Promise<RawServer & { sockets: Socket[] }> {
  const sockets: Socket[] = [];
  const wire = await startRawServer(({ socket }) => {
    sockets.push(socket);
    socket.on('data', () => socket.write(answer(200, 'ok', headers)));
  });
  return Object.assign(wire, { sockets });
}

const answered = { kind: 'answered', status: 200 };

describe('a connection at rest', () => {
  it.each([
    ['that says nothing about it', {}],
    ['that keeps it for two minutes', { 'Keep-Alive': 'timeout=120' }],
  ])('is used again after a minute, at a server %s', async (_what, headers) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using wire = await provider(headers);
    transport = createTransport();
    expect(await transport.send(call(wire.url))).toMatchObject(answered);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await transport.send(call(wire.url))).toMatchObject(answered);
    expect(wire.sockets).toHaveLength(1);
  });

  it('is closed by us before the server does, where the server says when', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    await using wire = await provider({ 'Keep-Alive': 'timeout=10' });
    transport = createTransport();
    await transport.send(call(wire.url));
    const [socket] = wire.sockets;
    const closed = socket && once(socket, 'close');
    await vi.advanceTimersByTimeAsync(9_000);
    await closed;
    expect(await transport.send(call(wire.url))).toMatchObject(answered);
    expect(wire.sockets).toHaveLength(2);
  });

  it('that the server has closed carries no request: another one does', async () => {
    await using wire = await provider();
    transport = createTransport();
    await transport.send(call(wire.url));
    const [socket] = wire.sockets;
    const closed = socket && once(socket, 'close');
    socket?.end();
    await closed; // when our end has closed as well
    expect(await transport.send(call(wire.url))).toMatchObject(answered);
    expect(wire.received).toHaveLength(2);
    expect(wire.received[0]?.match(/POST /g)).toHaveLength(1);
  });

  it('that breaks under a request leaves an unknown outcome, and nothing is sent again', async () => {
    let count = 0;
    await using wire = await startRawServer(({ socket }) => {
      socket.on('data', () => {
        count += 1;
        if (count === 1) socket.write(answer(200, 'ok'));
        else socket.resetAndDestroy();
      });
    });
    transport = createTransport();
    await transport.send(call(wire.url));
    expect(await transport.send(call(wire.url))).toMatchObject({ kind: 'unknown' });
    await nextTurn();
    expect(wire.received.join('').match(/POST /g)).toHaveLength(2);
  });
});
