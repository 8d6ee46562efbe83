// A process that sends, with the roles of `outrider run dispatch` or `outrider run bot`:
//   node sender-process.ts '<SenderOptions as JSON>', with an IPC channel
// sender-child.ts gives the orders and reads the reports. With the order to stop in a phase, every send that reaches it
// reports that and stays there until the order to go on. Meanwhile the test may kill or freeze the process.

import { flushCompileCache } from 'node:module';
import { z } from 'zod';
import { openPool } from '../../../src/db/pool.ts';
import { createTransport, type Transport } from '../../../src/http/transport.ts';
import { createLog } from '../../../src/log.ts';
import { openOutrider } from '../../../src/outrider.ts';
import { sandboxAdapters, sandboxSecrets } from '../sandbox/sandbox-channels.ts';
import { Order, type Phase, type Report, SenderOptions } from './sender-orders.ts';

const options = SenderOptions.parse(JSON.parse(process.argv[2] ?? ''));
const log = createLog({
  level: options.logLevel,
  pretty: false,
  write: (line) => process.stderr.write(line),
});
const patience = { connectTimeoutMs: 5000, statementTimeoutMs: 10_000, silenceMs: 2000 };
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
    await start();
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

async function start(): Promise<void> {
  // One pool for claims and outcomes: the process dies soon, so separate pools gain nothing.
  const pool = openPool({
    url: options.databaseUrl,
    applicationName: 'outrider sender',
    ...patience,
  });
  const transport = createTransport();
  const { concurrency, drainMs, recoverEveryMs } = options;
  const outrider = await openOutrider(
    { concurrency, claimAhead: 0, drainMs, mediaDir: '/nonexistent', secrets: sandboxSecrets },
    {
      database: { serviceUrl: options.databaseUrl },
      pools: { claims: pool, outcomes: pool },
      adapters: sandboxAdapters(watchedTransport(transport), options.apiUrls),
      around: watched,
      aroundReply: watched,
      intervals: { recoverEveryMs },
      log,
    },
  );
  stop = async () => {
    await outrider.stop();
    await pool.end();
    await transport.close();
  };
  await outrider.start([options.role, 'upkeep']);
}

function watched<Send extends readonly unknown[], Outcome>(
  sendOne: (...send: Send) => Promise<Outcome>,
): (...send: Send) => Promise<Outcome> {
  return async (...send) => {
    await pass('claimed');
    const outcome = await sendOne(...send);
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
