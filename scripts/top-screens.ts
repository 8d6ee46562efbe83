// Makes docs/top-80x24.txt and docs/top-200x60.txt: the screens of `outrider top` over the demo's workspace, in tmux. Says
// what a frame costs on a line with a round trip of 300 ms, for docs/top.md.
//
//   npm run top-screens

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { chats } from '../src/cli/demo/chats.ts';
import { openStage } from '../src/cli/demo/stage.ts';
import { loadConfig } from '../src/config.ts';
import { listAlerts } from '../src/db/monitor.ts';
import { openPty } from '../test/support/cli/pty.ts';
import { missingTmux, openTmux } from '../test/support/cli/tmux.ts';

const root = path.join(import.meta.dirname, '..');
const sizes = [
  [80, 24],
  [200, 60],
] as const;
const command = 'node_modules/.bin/node src/cli/outrider.ts top --workspace demo --every 1';

const missing = missingTmux();
if (missing !== undefined) throw new Error(missing);
// The stage starts its worker as a process of the program that runs.
process.argv[1] = path.join(root, 'src/cli/outrider.ts');
const stage = await openStage(loadConfig({}), new AbortController().signal);
const env = { OUTRIDER_DATA_DIR: stage.config.dataDir };
try {
  await makeNews();
  for (const [columns, rows] of sizes) await keepScreen(columns, rows);
  await measure();
} finally {
  await stage.close();
}

/** Posts on their way, a chat that refuses them, and a platform that asks to wait. */
async function makeNews(): Promise<void> {
  const { sandbox, client } = stage;
  const { platform, id } = chats['max-pets'];
  sandbox.faults.add({ kind: 'kicked', platform, chat: id });
  for (const n of Array.from({ length: 60 }).keys()) {
    await stage.post({
      title: `Lost dog ${n}`,
      text: `A ginger dog, number ${n}, near the station.`,
      tags: ['lost'],
    });
  }
  await stage.until('max-pets is stopped', async () => {
    const alerts = await listAlerts(client, { workspaceId: 'demo', state: 'open', limit: 10 });
    return alerts.length > 0;
  });
  const slow = chats['vk-wall'];
  sandbox.faults.add({
    kind: 'rate_limited',
    platform: slow.platform,
    chat: slow.id,
    retryAfter: 20,
    times: 1,
  });
  await delay(3000);
}

async function keepScreen(columns: number, rows: number): Promise<void> {
  const tmux = await openTmux({ columns, rows, command, folder: root, env });
  try {
    await tmux.until(/channels \d/);
    await delay(2500); // until something has changed since the look before
    const screen = await tmux.screen();
    await writeFile(path.join(root, `docs/top-${columns}x${rows}.txt`), screen);
  } finally {
    await tmux.close();
  }
}

/** How many bytes frames have, and how long a key waits for its answer, on a line that delays both ways. */
async function measure(): Promise<void> {
  const oneWayMs = 150;
  const pty = openPty({ columns: 80, rows: 24, command, folder: root, env });
  try {
    while (!pty.output().includes('channels')) await pty.more();
    await delay(500);
    const first = Buffer.byteLength(pty.output());
    const frames: number[] = [];
    for (let last = first, end = Date.now() + 12_000; Date.now() < end; ) {
      await pty.more();
      await delay(50); // a frame may come in pieces
      const now = Buffer.byteLength(pty.output());
      frames.push(now - last);
      last = now;
    }
    const from = pty.output().length;
    const pressedAt = Date.now();
    await delay(oneWayMs);
    pty.write('?');
    while (!pty.output().slice(from).includes('Filters')) await pty.more();
    await delay(oneWayMs);
    const answeredMs = Date.now() - pressedAt;
    const sorted = frames.toSorted((a, b) => a - b);
    process.stdout.write(
      `first screen ${first} bytes; ${frames.length} frames, median ${sorted[Math.floor(sorted.length / 2)]} bytes, ` +
        `largest ${sorted.at(-1)}; a key is answered after ${answeredMs} ms with a round trip of ${2 * oneWayMs} ms\n`,
    );
    pty.write('q');
    pty.write('q');
    await pty.ended;
  } finally {
    pty.close();
  }
}
