// A port for a server that must know it before it starts.

import { randomInt } from 'node:crypto';
import dgram from 'node:dgram';
import net from 'node:net';

/**
 * A port that nobody listens on. It is still free when a server that was stopped starts there again: it is below the
 * range from which the system picks ports, and no other caller gets it while this process lives.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_000, 32_000);
    if ((await reserve(port)) && (await isFree(port))) return port;
  }
}

/**
 * Answers whether it could be had. A UDP socket keeps the number for us: servers, which use TCP, do not notice it, and the
 * system drops it at the end.
 */
function reserve(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = dgram.createSocket('udp4');
    socket.once('error', () => socket.close(() => resolve(false)));
    socket.bind({ port, address: '127.0.0.1', exclusive: true }, () => {
      socket.unref();
      resolve(true);
    });
  });
}

function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
