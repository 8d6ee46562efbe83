import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { cpuMicrosOfProcess } from '../process-cpu.ts';
import { freePort } from './free-port.ts';
import { installIfMissing } from './install.ts';
import type { Store } from './store.ts';

const stream = 'pf';

/** Starts a private NATS with JetStream and its default settings: streams on disk, synced every two minutes. */
export async function startNats(): Promise<Store> {
  installIfMissing('nats-server', 'nats-server');
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-bench-'));
  const port = await freePort();
  const args = ['-a', '127.0.0.1', '-p', `${port}`, '-js', '-sd', folder];
  const server = spawn('nats-server', args, { stdio: 'ignore' });
  // Tries until the server listens. If it never does, the run ends after the last try.
  const connection = await connect({
    servers: `127.0.0.1:${port}`,
    waitOnFirstConnect: true,
    reconnectTimeWait: 50,
    maxReconnectAttempts: 100,
  });
  const manager = await jetstreamManager(connection);
  const drop = async (): Promise<void> => {
    await manager.streams.delete(stream).catch(() => false); // there is none at first
  };

  return {
    name: 'nats',
    description: {
      version: `NATS ${connection.info?.version ?? ''}`,
      storage: 'file',
      sync_interval: '2m',
    },
    async createDatabase() {
      await drop();
      await manager.streams.add({ name: stream, subjects: [`${stream}.>`] });
      return `nats://127.0.0.1:${port}/${stream}`;
    },
    settle: async () => undefined,
    dropDatabase: drop,
    cpuMicros: () => cpuMicrosOfProcess(server.pid ?? 0),
    logBytes: async () => (await manager.getAccountInfo()).storage,
    async stop() {
      await connection.close();
      const ended = once(server, 'exit');
      if (server.kill('SIGTERM')) await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}
