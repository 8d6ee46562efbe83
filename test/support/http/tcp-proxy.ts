// A TCP proxy to a server. It can cut connections, silence them or refuse them.

import { once } from 'node:events';
import net from 'node:net';
import { freePort } from './free-port.ts';

export interface TcpProxy {
  /** The same address through the proxy. */
  readonly url: string;
  /** How many connections are open now, and how many there have been. */
  open(): number;
  made(): number;
  /** How many bytes frozen connections have held back. */
  held(): number;
  /** Ends every connection. */
  cut(): void;
  /** Existing connections stay open, but pass nothing on any more. New ones are served. */
  freeze(): void;
  /** What becomes of new connections from now on: `served`, `left` (accepted and never answered) or `refused`. */
  greet(how: 'served' | 'left' | 'refused'): Promise<void>;
  close(): void;
}

interface Pair {
  readonly ends: readonly net.Socket[];
  isFrozen: boolean;
}

export async function startTcpProxy(address: string): Promise<TcpProxy> {
  const target = new URL(address);
  const pairs = new Set<Pair>();
  let made = 0;
  let held = 0;
  let isServing = true;

  function serve(near: net.Socket): void {
    made += 1;
    const far = isServing ? net.connect(Number(target.port), target.hostname) : undefined;
    const pair: Pair = { ends: far === undefined ? [near] : [near, far], isFrozen: false };
    pairs.add(pair);
    const end = (): void => {
      pairs.delete(pair);
      for (const each of pair.ends) each.destroy();
    };
    const pass = (from: net.Socket, to: net.Socket | undefined): void => {
      from.setNoDelay(true);
      from.on('error', () => undefined);
      from.on('data', (chunk) => {
        if (pair.isFrozen) held += chunk.length;
        else to?.write(chunk);
      });
      // On a frozen connection neither side learns that the other has ended.
      from.on('end', () => pair.isFrozen || (to ?? from).end());
      from.on('close', () => pair.isFrozen || end());
    };
    pass(near, far);
    if (far !== undefined) pass(far, near);
  }

  // The proxy comes back to its port after it was away, so the system must not give it to anybody else.
  const port = await freePort();
  let server = await listen(serve, port);
  const url = new URL(address);
  url.port = String(port);

  const cut = (): void => {
    for (const { ends } of pairs) for (const each of ends) each.destroy();
    pairs.clear();
  };
  return {
    url: url.toString(),
    open: () => pairs.size,
    made: () => made,
    held: () => held,
    cut,
    freeze() {
      for (const pair of pairs) pair.isFrozen = true;
    },
    async greet(how) {
      isServing = how === 'served';
      // Without waiting: open connections end with their pairs.
      if (how === 'refused') server.close();
      else if (!server.listening) server = await listen(serve, port);
    },
    close() {
      cut();
      if (server.listening) server.close();
    },
  };
}

async function listen(serve: (near: net.Socket) => void, port: number): Promise<net.Server> {
  const server = net.createServer({ allowHalfOpen: true }, serve);
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}
