import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection whose bytes a test sees, without a client that would hide them. */
export interface RawSocket {
  /** The bytes that have come so far. */
  text(): string;
  /** Waits until the bytes that have come satisfy the test. */
  until(test: (text: string) => boolean): Promise<string>;
  /** Waits until the other side ends the connection. */
  closed(): Promise<void>;
  isClosed(): boolean;
  write(bytes: string | Uint8Array): void;
  destroy(): void;
}

/** Sends the bytes to the server at the address. */
export async function sendRaw(url: string, bytes: string | Uint8Array): Promise<RawSocket> {
  const socket: Socket = connect(Number(new URL(url).port), '127.0.0.1');
  let text = '';
  const gone = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  await once(socket, 'connect');
  socket.write(bytes);
  return {
    text: () => text,
    async until(test) {
      while (!test(text)) await Promise.race([once(socket, 'data'), gone.then(ended)]);
      return text;
    },
    closed: () => gone,
    isClosed: () => socket.destroyed,
    write: (more) => void socket.write(more),
    destroy: () => socket.destroy(),
  };
}

function ended(): never {
  throw new Error('the connection ended before that came');
}

/** The bytes of a request with a JSON body. */
export function post(path: string, body = '{}', headers: Record<string, string> = {}): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n${lines.join('')}\r\n${body}`;
}
