// A wire to PostgreSQL that can be cut, fall silent, or not be there.

import { once } from 'node:events';
import net from 'node:net';

export interface TcpProxy {
  /** The same address through the wire. */
  readonly url: string;
  /** How many connections are open now, and how many there have been. */
  open(): number;
  made(): number;
  /** How many bytes were swallowed by frozen connections. */
  held(): number;
  /** Ends every connection. */
  cut(): void;
  /** The connections that there are pass nothing on any more and stay open; new ones are served. */
  freeze(): void;
  /** From now on: new connections are served, accepted and left without a word, or refused. */
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
      // Over a silent wire nobody hears of the other side's goodbye.
      from.on('end', () => pair.isFrozen || (to ?? from).end());
      from.on('close', () => pair.isFrozen || end());
    };
    pass(near, far);
    if (far !== undefined) pass(far, near);
  }

  let server = await listen(serve, 0);
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the proxy has no port');
  const url = new URL(address);
  url.port = String(bound.port);

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
      // Does not wait for connections: those end with the pairs.
      if (how === 'refused') server.close();
      else if (!server.listening) server = await listen(serve, bound.port);
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
