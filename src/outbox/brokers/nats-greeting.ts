// Finds a server that greets. The client never ends a connection to a server that does not send its first line, and has
// no setting for it: each attempt would leave a connection behind.

import net from 'node:net';
import { FaultError, unavailable } from './faults.ts';

export interface Server {
  readonly host: string;
  readonly port: number;
}

/** The address of the first server that greets; throws the reason when none does. */
export async function greetingServers(
  servers: readonly Server[],
  signal: AbortSignal,
): Promise<string[]> {
  const stop = new AbortController();
  const heard = AbortSignal.any([signal, stop.signal]);
  try {
    return [await Promise.any(servers.map((server) => greeted(server, heard)))];
  } catch (error) {
    throw error instanceof AggregateError ? error.errors[0] : error;
  } finally {
    stop.abort();
  }
}

async function greeted({ host, port }: Server, signal: AbortSignal): Promise<string> {
  const { promise: greeting, resolve, reject } = Promise.withResolvers<string>();
  const socket = net.connect({ host, port, signal });
  socket.once('data', (bytes) => resolve(bytes.toString('latin1')));
  socket.on('error', reject);
  socket.once('close', () => reject(new Error('closed without a word')));
  try {
    if (!(await greeting).startsWith('INFO ')) {
      throw new FaultError(unavailable('not_nats', 'what answers there is not a NATS server'));
    }
    return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
  } finally {
    socket.destroy();
  }
}
