import type { Socket } from 'node:net';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { createTransport, type Transport } from '../../src/http/transport.ts';
import {
  answer,
  answering,
  call,
  type RawServer,
  startRawServer,
} from '../support/http/raw-server.ts';

let transport: Transport;
afterEach(() => transport.close());

/** A provider that answers when the test says so, and the requests that wait for it. */
async function slowProvider(): Promise<RawServer & { asked: Socket[] }> {
  const asked: Socket[] = [];
  const wire = await startRawServer(({ socket }) => {
    socket.on('data', () => asked.push(socket));
  });
  return Object.assign(wire, { asked });
}

const answered = { kind: 'answered', status: 200 };

describe('connections to a server', () => {
  it('are no more than the transport is told; further calls wait and go over the same ones', async () => {
    await using slow = await slowProvider();
    transport = createTransport({ connections: 2 });
    const replies = [1, 2, 3].map(() => transport.send(call(slow.url)));
    await vi.waitFor(() => expect(slow.asked).toHaveLength(2), 10_000);
    slow.asked[0]?.write(answer(200, 'ok'));
    await vi.waitFor(() => expect(slow.asked).toHaveLength(3), 10_000);
    expect(slow.asked[2]).toBe(slow.asked[0]);
    for (const socket of slow.asked.slice(1)) socket.write(answer(200, 'ok'));
    expect(await Promise.all(replies)).toMatchObject([answered, answered, answered]);
  });

  it('that hang keep no call from another server', async () => {
    await using slow = await slowProvider();
    await using quick = await startRawServer(answering(answer(200, 'ok')));
    transport = createTransport({ connections: 1 });
    const stopping = new AbortController();
    const replies = [1, 2].map(() =>
      transport.send({ ...call(slow.url), signal: stopping.signal }),
    );
    await vi.waitFor(() => expect(slow.asked).toHaveLength(1), 10_000);
    expect(await transport.send(call(quick.url))).toMatchObject(answered);
    stopping.abort();
    expect(await Promise.all(replies)).toMatchObject([
      { kind: 'unknown', code: 'aborted' },
      { kind: 'not_sent', code: 'aborted' },
    ]);
  });
});
