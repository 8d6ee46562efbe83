// A RabbitMQ server. It takes some seconds to start, so a file shares one.

import { execFile } from 'node:child_process';
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import amqplib, { type ChannelModel } from 'amqplib';
import { freePort } from '../http/free-port.ts';
import type { BrokerServer, Received } from './broker-server.ts';
import { accepts, type Daemon, startDaemon } from './daemon.ts';

export interface RabbitServer extends BrokerServer {
  connect(): Promise<ChannelModel>;
  /** Runs an Erlang expression in the server. */
  evaluate(expression: string): Promise<string>;
}

export const rabbitPassword = 'c4nary-of-rabbit';
export const rabbitExchange = 'pf-events';
export const rabbitMaxBytes = 1024 * 1024;
const queue = 'all-events';
const bin = '/usr/lib/rabbitmq/bin';

/** A RabbitMQ with a durable topic exchange, and with a queue that gets everything that is published to it. */
export async function startRabbit(): Promise<RabbitServer> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-rabbitmq-'));
  const [port, distPort, epmdPort] = [await freePort(), await freePort(), await freePort()];
  const env = environmentOf(folder, { port, distPort, epmdPort });
  const account = await accountOf('rabbitmq');
  await writeFile(path.join(folder, '.erlang.cookie'), 'outrider-test', { mode: 0o400 });
  await writeFile(path.join(folder, 'rabbitmq.conf'), settings(port));
  for (const place of ['', '.erlang.cookie', 'rabbitmq.conf']) {
    await chown(path.join(folder, place), account.uid, account.gid);
  }
  const asRabbit = ['--reuid=rabbitmq', '--regid=rabbitmq', '--init-groups'];
  const open = () => amqplib.connect(`amqp://outrider:${rabbitPassword}@127.0.0.1:${port}`);
  const isUp = async (): Promise<boolean> => {
    try {
      await (await open()).close();
      return true;
    } catch {
      return false;
    }
  };

  // If the server started Erlang's port mapper itself, the mapper would outlive it.
  const mapper = await startDaemon('epmd', [], { env, isUp: () => accepts(epmdPort) });
  let daemon: Daemon | undefined;
  const start = async (): Promise<void> => {
    daemon = await startDaemon('setpriv', [...asRabbit, `${bin}/rabbitmq-server`], { env, isUp });
  };
  const consumed: Received[] = [];
  await start();
  await declare(await open());

  return {
    port,
    address: (at = port) => `amqp://outrider:${rabbitPassword}@127.0.0.1:${at}/${rabbitExchange}`,
    connect: open,
    async evaluate(expression) {
      const args = [...asRabbit, `${bin}/rabbitmqctl`, '--quiet', 'eval', expression];
      const run = promisify(execFile);
      const { stdout } = await run('setpriv', args, { env: { ...process.env, ...env } });
      return stdout.trim();
    },
    async received() {
      const reader = await open();
      const channel = await reader.createChannel();
      for (;;) {
        const message = await channel.get(queue, { noAck: true });
        if (message === false) break;
        consumed.push({
          body: message.content.toString(),
          attributes: message.properties.headers ?? {},
          key: message.fields.routingKey,
        });
      }
      await reader.close();
      return [...consumed];
    },
    start,
    stop: async () => daemon?.stop(),
    async close() {
      await daemon?.stop();
      await mapper.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function declare(connection: ChannelModel): Promise<void> {
  const channel = await connection.createChannel();
  await channel.assertExchange(rabbitExchange, 'topic', { durable: true });
  await channel.assertQueue(queue, { durable: true });
  await channel.bindQueue(queue, rabbitExchange, '#');
  await connection.close();
}

function settings(port: number): string {
  return [
    `listeners.tcp.1 = 127.0.0.1:${port}`,
    'default_user = outrider',
    `default_pass = ${rabbitPassword}`,
    `max_message_size = ${rabbitMaxBytes}`,
    'log.console = true',
    'log.console.level = error',
    '',
  ].join('\n');
}

function environmentOf(
  folder: string,
  ports: { readonly port: number; readonly distPort: number; readonly epmdPort: number },
): Record<string, string> {
  return {
    HOME: folder,
    // With this the script is replaced by the server, instead of watching it.
    RUNNING_UNDER_SYSTEMD: '1',
    ERL_EPMD_PORT: String(ports.epmdPort),
    ERL_EPMD_ADDRESS: '127.0.0.1',
    RABBITMQ_NODENAME: `outrider${ports.port}@localhost`,
    RABBITMQ_DIST_PORT: String(ports.distPort),
    RABBITMQ_SERVER_ADDITIONAL_ERL_ARGS: '-kernel inet_dist_use_interface {127,0,0,1}',
    RABBITMQ_CONF_ENV_FILE: '/dev/null',
    RABBITMQ_CONFIG_FILE: path.join(folder, 'rabbitmq'),
    RABBITMQ_MNESIA_BASE: path.join(folder, 'mnesia'),
    RABBITMQ_LOG_BASE: path.join(folder, 'log'),
    RABBITMQ_LOGS: '-',
    RABBITMQ_ENABLED_PLUGINS_FILE: path.join(folder, 'plugins'),
  };
}

async function accountOf(name: string): Promise<{ uid: number; gid: number }> {
  const run = promisify(execFile);
  const [uid, gid] = await Promise.all(
    ['-u', '-g'].map(async (flag) => Number((await run('id', [flag, name])).stdout)),
  );
  return { uid: uid ?? 0, gid: gid ?? 0 };
}
