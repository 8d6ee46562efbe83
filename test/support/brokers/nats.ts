import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import { freePort } from '../http/free-port.ts';
import type { BrokerServer, Received } from './broker-server.ts';
import { accepts, type Daemon, startDaemon } from './daemon.ts';

export interface NatsServer extends BrokerServer {
  connect(): Promise<NatsConnection>;
}

export const natsPassword = 'c4nary-of-nats';
const natsStream = 'pf_events';

/** A NATS server with JetStream, and a stream for `pf.>`. */
export async function startNats(): Promise<NatsServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-nats-'));
  const port = await freePort();
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder];
  const login = ['--user', 'outrider', '--pass', natsPassword];
  let daemon: Daemon | undefined;
  const start = async (): Promise<void> => {
    daemon = await startDaemon('nats-server', [...args, ...login], { isUp: () => accepts(port) });
  };
  const open = () =>
    connect({ servers: `127.0.0.1:${port}`, user: 'outrider', pass: natsPassword });
  await start();
  const connection = await open();
  const manager = await jetstreamManager(connection);
  await manager.streams.add({ name: natsStream, subjects: ['pf.>'] });
  await connection.close();

  return {
    port,
    address: (at = port) => `nats://outrider:${natsPassword}@127.0.0.1:${at}/pf`,
    connect: open,
    async received() {
      const reader = await open();
      try {
        return await readAll(reader);
      } finally {
        await reader.close();
      }
    },
    start,
    stop: async () => daemon?.stop(),
    async close() {
      await daemon?.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function readAll(connection: NatsConnection): Promise<Received[]> {
  const manager = await jetstreamManager(connection);
  const { messages } = (await manager.streams.info(natsStream)).state;
  if (messages === 0) return [];
  const consumer = await jetstream(connection).consumers.get(natsStream);
  const found: Received[] = [];
  const iterator = await consumer.consume();
  for await (const message of iterator) {
    found.push({
      body: message.string(),
      attributes: textsOf(message.headers),
      key: message.subject,
    });
    if (message.info.pending === 0) break;
  }
  return found;
}

function textsOf(headers: MsgHdrs | undefined): Record<string, string> {
  const names = headers?.keys().filter((name) => !name.startsWith('Nats-')) ?? [];
  return Object.fromEntries(names.map((name) => [name, headers?.get(name) ?? '']));
}
