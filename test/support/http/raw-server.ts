import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import type { HttpRequest } from '../../../src/http/transport.ts';

/** A server that handles each connection as the test says, and keeps the bytes that came over it. */
export interface RawServer {
  readonly port: number;
  readonly url: string;
  /** The bytes of each connection, in the order of the connections. */
  readonly received: readonly string[];
  [Symbol.asyncDispose](): Promise<void>;
}

export interface RawConnection {
  readonly socket: Socket;
  /** From 0. */
  readonly number: number;
  /** Waits until the bytes of this connection satisfy the test. */
  until(test: (text: string) => boolean): Promise<void>;
}

export async function startRawServer(
  handle: (connection: RawConnection) => unknown,
  options: { readonly paused?: boolean; readonly port?: number } = {},
): Promise<RawServer> {
  const received: string[] = [];
  const sockets: Socket[] = [];
  const server = createServer({ pauseOnConnect: options.paused ?? false }, (socket) => {
    const number = received.push('') - 1;
    sockets.push(socket);
    socket.on('error', () => undefined);
    if (options.paused !== true) {
      socket.on('data', (chunk) => {
        received[number] += chunk.toString('latin1');
      });
    }
    const until = async (test: (text: string) => boolean) => {
      while (!test(received[number] ?? '')) await once(socket, 'data');
    };
    handle({ socket, number, until });
  });
  server.listen(options.port ?? 0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    received,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A port that refuses connections. It is the near end of an open connection, so nobody else can listen there. */
export async function refusingPort(): Promise<{ port: number } & AsyncDisposable> {
  const wire = await startRawServer(() => undefined);
  const socket = connect(wire.port, '127.0.0.1');
  await once(socket, 'connect');
  return {
    port: socket.localPort ?? 0,
    async [Symbol.asyncDispose]() {
      socket.destroy();
      await wire[Symbol.asyncDispose]();
    },
  };
}

/** Answers each request of a connection with the same bytes. */
export function answering(bytes: string): (connection: RawConnection) => void {
  return ({ socket }) => {
    socket.on('data', () => socket.write(bytes));
  };
}

/** The bytes of an answer. */
export function answer(status: number, body: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({ 'Content-Length': Buffer.byteLength(body), ...headers });
  const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join('');
  return `HTTP/1.1 ${status} Words\r\n${head}\r\n${body}`;
}

/** A small POST request, with the changes that a test wants. */
export function call(url: string, changes: Partial<HttpRequest> = {}): HttpRequest {
  return {
    method: 'POST',
    url,
    body: { json: { text: 'hello' } },
    timeoutMs: 10_000,
    signal: new AbortController().signal,
    secrets: ['not in these tests'],
    ...changes,
  };
}
