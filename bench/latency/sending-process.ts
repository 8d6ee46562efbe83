// The entry of the sending process: it sends what the bench pushes. It says when it is ready, and ends with the bench.

import os from 'node:os';
import path from 'node:path';
import { loadConfig } from '../../src/config.ts';
import { createLog } from '../../src/log.ts';
import { openOutrider, type RoleName } from '../../src/outrider.ts';
import { botToken } from '../provider/bot.ts';
import { openCaller } from '../provider/call.ts';
import { startSendingBullMq } from './bullmq.ts';
import { startSendingGraphileWorker } from './graphile-worker.ts';
import { startFront } from './http-front.ts';

const [kind = '', storeUrl = '', providerUrl = ''] = process.argv.slice(2);

const stop = await start();
process.on('disconnect', () => void stop().finally(() => process.exit()));

async function start(): Promise<() => Promise<void>> {
  if (kind === 'outrider') return startOutrider(['ingest', 'dispatch', 'upkeep']);
  if (kind === 'outrider-bot') return startOutrider(['ingest', 'bot', 'upkeep']);
  const caller = openCaller(providerUrl);
  const startPeer = kind.startsWith('graphile') ? startSendingGraphileWorker : startSendingBullMq;
  const peer = await startPeer(storeUrl, caller.send);
  const front = kind.endsWith('-http') ? await startFront(peer.take) : undefined;
  process.send?.({ url: front?.url });
  return async () => {
    await front?.close();
    await peer.stop();
    await caller.close();
  };
}

/** All that the work needs in one process, as `outrider up` has it. */
async function startOutrider(roles: readonly RoleName[]): Promise<() => Promise<void>> {
  const config = loadConfig({
    DATABASE_URL: storeUrl,
    TELEGRAM_API_URL: providerUrl,
    OUTRIDER_PORT: '0',
    OUTRIDER_DATA_DIR: path.join(os.tmpdir(), 'outrider-bench-nothing'),
    BOT: botToken,
  });
  const log = createLog({ level: 'info', pretty: false, write: () => undefined });
  const outrider = await openOutrider(config, { log });
  await outrider.start(roles);
  process.send?.({ url: outrider.url });
  return () => outrider.stop();
}
