// Servers that media are fetched from, and a media store in its own folder.

import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { isIP, Socket } from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { vi } from 'vitest';
import { folderStore } from '../../../src/media/folder-store.ts';
import type { OriginStore } from '../../../src/media/origin-store.ts';

/** Longer than the bytes that tell the type. */
export const png = Buffer.concat([
  Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
  Buffer.alloc(100, 'pixels'),
]);

export interface Origin extends AsyncDisposable {
  readonly port: number;
  readonly url: string;
  /** The paths that were requested, in order. */
  readonly asked: readonly string[];
  /** The local address of each connection that came in. */
  readonly reachedAt: readonly (string | undefined)[];
  openConnections(): number;
}

export async function startOrigin(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown = (_request, response) =>
    response.end(png),
  /** 0: any. */
  port = 0,
): Promise<Origin> {
  const asked: string[] = [];
  const reachedAt: (string | undefined)[] = [];
  let open = 0;
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    answer(request, response);
  });
  server.on('connection', (socket) => {
    reachedAt.push(socket.localAddress);
    open += 1;
    socket.once('close', () => {
      open -= 1;
    });
  });
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return {
    port: address.port,
    url: `http://127.0.0.1:${address.port}`,
    asked,
    reachedAt,
    openConnections: () => open,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export interface TestStore extends AsyncDisposable {
  readonly store: OriginStore;
  /** The names of all files in it. */
  files(): Promise<string[]>;
}

export async function openStore(): Promise<TestStore> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-media-'));
  return {
    store: folderStore(folder),
    async files() {
      const entries = await readdir(folder, { recursive: true, withFileTypes: true });
      return entries.filter((entry) => entry.isFile()).map((entry) => entry.name);
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true }),
  };
}

/**
 * Keeps tests on this machine even if a guard fails: a socket to an IP address outside 127.0.0.0/8 ends at once.
 * Returns the addresses that were tried.
 */
export function keepOnLoopback(): readonly string[] {
  const tried: string[] = [];
  const original: unknown = Reflect.get(Socket.prototype, 'connect');
  if (typeof original !== 'function') throw new TypeError('sockets do not connect');
  vi.spyOn(Socket.prototype, 'connect').mockImplementation(function (
    this: Socket,
    ...args: unknown[]
  ) {
    const target = [args[0]].flat()[0];
    const host = typeof target === 'object' && target !== null ? Reflect.get(target, 'host') : '';
    if (isIP(String(host)) === 0 || String(host).startsWith('127.')) {
      Reflect.apply(original, this, args);
      return this;
    }
    tried.push(String(host));
    return this.destroy(new Error('beyond this machine'));
  });
  return tried;
}
