// A process that sends, put together from the parts of the product as `outrider run dispatch` does it:
//   node sender-process.ts '<SenderOptions as JSON>', with an IPC channel
// Orders and reports are those of sender-child.ts. Told to stop in a phase, every send that comes there says
// so and stays until it is told to go on: whoever gave the order may end or freeze the process meanwhile.

import { flushCompileCache } from 'node:module';
import { z } from 'zod';
import { createCredentials } from '../../src/adapters/credentials.ts';
import { createMaxAdapter } from '../../src/adapters/max/adapter.ts';
import { createTelegramAdapter } from '../../src/adapters/telegram/adapter.ts';
import { createTransport, type Transport } from '../../src/adapters/transport.ts';
import { createVkAdapter } from '../../src/adapters/vk/adapter.ts';
import { listenForWakes } from '../../src/db/listen.ts';
import { openPool } from '../../src/db/pool.ts';
import { createDeliver, type Deliver } from '../../src/dispatch/deliver.ts';
import { startDispatcher } from '../../src/dispatch/dispatcher.ts';
import { startUpkeep } from '../../src/dispatch/upkeep.ts';
import { createLog } from '../../src/log.ts';
import { folderStore } from '../../src/media/folder-store.ts';
import { fleetSecrets } from './fleet.ts';
import { Order, type Phase, type Report, SenderOptions } from './sender-orders.ts';

const options = SenderOptions.parse(JSON.parse(process.argv[2] ?? ''));
const log = createLog({
  level: options.logLevel,
  pretty: false,
  write: (line) => process.stderr.write(line),
});
let stopIn: Phase | undefined;
let goingOn = Promise.withResolvers<void>();
let stop: (() => Promise<void>) | undefined;

process.on('message', (message) => void obey(Order.parse(message)));
process.on('disconnect', () => process.exit(1)); // nobody is there to end us
process.once('SIGTERM', () => void leave());
report({ is: 'ready' });
flushCompileCache(); // not at the end: there may be none

async function obey(order: Order): Promise<void> {
  if (order.do === 'send') {
    stopIn = order.stopIn;
    goingOn = Promise.withResolvers<void>();
    stop = start();
    return;
  }
  if (order.do === 'go on') {
    goingOn.resolve();
    return;
  }
  await stop?.();
  stop = undefined;
  report({ is: 'resting' });
}

async function leave(): Promise<void> {
  process.removeAllListeners('disconnect');
  await stop?.();
  process.disconnect();
}

function start(): () => Promise<void> {
  const transport = createTransport();
  const patience = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000, silenceMs: 2000 };
  const applicationName = 'outrider sender';
  const client = openPool({ url: options.databaseUrl, applicationName, ...patience });
  const { telegram, max, vk } = options.apiUrls;
  const watched = watchedTransport(transport);
  const deliver = createDeliver({
    client,
    adapters: {
      telegram: createTelegramAdapter({ transport: watched, baseUrl: telegram }),
      max: createMaxAdapter({ transport: watched, baseUrl: max }),
      vk: createVkAdapter({ transport: watched, baseUrl: vk }),
    },
    credentials: createCredentials(fleetSecrets),
    store: folderStore('/nonexistent'),
  });
  const { concurrency, drainMs, recoverEveryMs } = options;
  const dispatcher = startDispatcher({
    client,
    deliver: watchedDeliver(deliver),
    log,
    concurrency,
    drainMs,
  });
  const wake = (): void => void dispatcher.wake();
  const upkeep = startUpkeep({ client, log, onRecovered: wake, recoverEveryMs });
  const listener = listenForWakes({ url: options.databaseUrl, applicationName, onWake: wake });
  return async () => {
    await listener.stop();
    await upkeep.stop();
    await dispatcher.stop();
    await client.end();
    await transport.close();
  };
}

function watchedDeliver(deliver: Deliver): Deliver {
  return async (...send) => {
    await pass('claimed');
    const outcome = await deliver(...send);
    await pass('answered');
    return outcome;
  };
}

function watchedTransport(transport: Transport): Transport {
  return {
    async send(request) {
      await pass('called');
      return transport.send(request);
    },
    close: () => transport.close(),
  };
}

async function pass(phase: Phase): Promise<void> {
  if (phase !== stopIn) return;
  report({ is: 'stopped' });
  await goingOn.promise;
}

function report(said: Report): void {
  process.send?.(z.json().parse(said));
}
