// A port for a server that must know it before it starts.

import { randomInt } from 'node:crypto';
import net from 'node:net';

/**
 * A port that nobody listens on. It is below the range from which the system picks ports, so it is still free when a
 * server that was stopped starts there again.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
