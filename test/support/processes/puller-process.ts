// A process that pulls a source until it dies: node puller-process.ts '<PullerOptions as JSON>'
// It kills itself, as `kill -9` would: before, within or after the call that takes a chunk in.

import { flushCompileCache } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { type Answer, openPool } from '../../../src/db/pool.ts';
import type { ClaimedSource } from '../../../src/db/pull.ts';
import { pullSource } from '../../../src/pull/pull-source.ts';
import { itemsOf, listedKind } from '../pull/listed-source.ts';
import { claimDue, pullGround } from '../pull/pull-ground.ts';
import { PullerOptions } from './puller-orders.ts';

const { databaseUrl, items, now, death } = PullerOptions.parse(JSON.parse(process.argv[2] ?? ''));
const pool = openPool({ url: databaseUrl, applicationName: 'outrider puller', max: 2 });
let chunks = 0;

function query(text: string, values?: unknown[]): Promise<Answer>;
function query(config: pg.QueryConfig<unknown[]>): Promise<Answer>;
async function query(config: string | pg.QueryConfig<unknown[]>): Promise<Answer> {
  if (typeof config === 'string') return pool.query(config);
  const isChunk = config.name?.startsWith('ingest_pull_chunk/') === true;
  if (isChunk) chunks += 1;
  if (!isChunk || chunks !== death?.chunk) return pool.query(config);
  if (death.when === 'before') die();
  if (death.when === 'within') setTimeout(die, death.afterMs);
  const taken = await pool.query(config);
  return death.when === 'after' ? die() : taken;
}

function die(): never {
  process.kill(process.pid, 'SIGKILL');
  throw new Error('it lives');
}

const client = { query };

/** The server may still be at work for the puller that was killed before, and hold the source for a moment. */
async function dueSource(): Promise<ClaimedSource> {
  for (;;) {
    const due = await claimDue(client, now).catch(() => undefined);
    if (due !== undefined) return due;
    await delay(10);
  }
}

flushCompileCache(); // not at the end: there may be none

const ground = pullGround(client, {
  kinds: [listedKind(itemsOf(items)).kind],
  now: () => now,
});
await pullSource(ground, await dueSource(), new AbortController().signal);
await pool.end();
