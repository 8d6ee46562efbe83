// A database in which much was sent before.

import { setTimeout as delay } from 'node:timers/promises';
import { figure } from '../figures.ts';
import type { Bench } from '../scenario.ts';
import type { Store } from '../stores/store.ts';
import { openDispatcher } from './dispatcher.ts';
import { type Admin, addBacklog, installOutrider, workspace } from './workload.ts';

const slice = 100_000;
const pastBatch = 4_000;
const lookEveryMs = 100;

/** A database with a past. The dispatcher sends it while it is queued; then it is vacuumed, as by autovacuum. */
export async function makePast(store: Store, past: number, bench: Bench): Promise<string> {
  const url = await store.createDatabase();
  const admin = await installOutrider(url);
  await Promise.all([queueAll(admin, past, bench), sendAll(url, past)]);
  await admin.query('vacuum analyze');
  await admin.end();
  return url;
}

async function queueAll(admin: Admin, past: number, bench: Bench): Promise<void> {
  for (let queued = 0; queued < past; queued += slice) {
    bench.progress(`making the past: ${figure(queued)} of ${figure(past)}`);
    await addBacklog(admin, workspace, Math.min(slice, past - queued));
  }
}

async function sendAll(url: string, past: number): Promise<void> {
  const dispatcher = await openDispatcher(url);
  for (let sent = 0; sent < past; ) {
    sent += await dispatcher.drain(workspace, pastBatch);
    await delay(lookEveryMs);
  }
  await dispatcher.close();
}
