import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { openClient } from '../../src/db/pool.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { purge as purgeExpired } from '../../src/dispatch/purge.ts';
import { figure, range } from '../figures.ts';
import { type Dispatcher, openDispatcher, serviceLogin } from '../outrider/dispatcher.ts';
import { makePast } from '../outrider/past.ts';
import { type Admin, addBacklog, openAdmin, workspace } from '../outrider/workload.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';

const batchSize = 500;
const oldPartitions = 3;
const sampleEveryMs = 5;

/** One backlog that was sent. */
interface Round {
  readonly perSecond: number;
  /** The longest that somebody was seen to wait for a lock. */
  readonly longestWaitMs: number;
}

/** A round without the purge, and the next one beside it. */
interface Pair {
  readonly alone: Round;
  readonly beside: Round;
  /** Deliveries, messages and partitions that went meanwhile. */
  readonly removed: number;
}

export const purge: Scenario = {
  name: 'purge',
  question: 'How much slower are sends while a million old deliveries are deleted?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { past, jobs } = bench.options;
    const url = await makePast(store, past, bench);
    const admin = await openAdmin(url);
    const now = await letExpire(admin);
    await store.settle(url, true);
    const dispatcher = await openDispatcher(url);
    const purger = await openPurger(url, now);
    await round(admin, dispatcher, url, jobs); // plans are made
    const pairs: Pair[] = [];
    for (let left = past; left > 0; ) {
      const alone = await round(admin, dispatcher, url, jobs);
      purger.begin();
      const beside = await round(admin, dispatcher, url, jobs);
      const { deliveries, removed } = await purger.pause();
      left -= deliveries;
      pairs.push({ alone, beside, removed });
      const rates = `${figure(alone.perSecond)} and ${figure(beside.perSecond)} sends/s`;
      bench.progress(`${figure(past - left)} of ${figure(past)} deleted: ${rates}`);
    }
    await purger.close();
    await dispatcher.close();
    await admin.end();
    await store.dropDatabase(url);
    return findingsOf(pairs, past, jobs);
  },
};

/**
 * Makes everything that was sent so far as old as its retention, and leaves some old partitions of the event log to drop.
 * Answers with the time at which it is: the purge is told that time, so that what is sent from now on stays.
 */
async function letExpire(admin: Admin): Promise<string> {
  await admin.query('truncate outrider.event_log'); // of a past that is so old
  await admin.query("update outrider.workspace_settings set events_retention = '90 days'");
  const row = z.object({ now: z.string(), past: z.string() });
  const text = `select (clock_timestamp() + interval '90 days')::text as now,
                  (clock_timestamp() - interval '40 days')::text as past`;
  const { now, past } = await queryRow(admin, row, text);
  await ensureEventPartitions(admin, oldPartitions - 1, past);
  await admin.query('vacuum analyze');
  return now;
}

interface Purger {
  begin(): void;
  /** Ends with the batch under way; answers with what went since it was begun. */
  pause(): Promise<{ deliveries: number; removed: number }>;
  close(): Promise<void>;
}

/** The purge of the upkeep, on a connection as that has it. */
async function openPurger(databaseUrl: string, now: string): Promise<Purger> {
  const url = await serviceLogin(databaseUrl);
  const client = await openClient({ url, applicationName: 'bench purge', lockTimeoutMs: 1000 });
  let isOver = false;
  let running: ReturnType<typeof purgeExpired> = Promise.resolve([]);
  return {
    begin() {
      isOver = false;
      running = purgeExpired({
        client,
        clock: systemClock,
        outboxRetention: '30 days',
        rest: (ms) => delay(ms),
        isOver: () => isOver,
        now,
      });
    },
    async pause() {
      isOver = true;
      const purged = await running;
      const sum = (rows: typeof purged): number =>
        rows.reduce((total, row) => total + row.removed, 0);
      const deliveries = sum(purged.filter((row) => row.what === 'deliveries'));
      return { deliveries, removed: sum(purged) };
    },
    close: () => client.end(),
  };
}

/** Queues a backlog, then sends it. */
async function round(
  admin: Admin,
  dispatcher: Dispatcher,
  url: string,
  jobs: number,
): Promise<Round> {
  await addBacklog(admin, workspace, jobs);
  const watch = await watchLocks(url);
  const startedAt = performance.now();
  const sent = await dispatcher.drain(workspace, batchSize);
  const seconds = (performance.now() - startedAt) / 1000;
  const longestWaitMs = await watch.stop();
  if (sent !== jobs) throw new Error(`${sent} of ${jobs} were sent`);
  return { perSecond: sent / seconds, longestWaitMs };
}

/** Looks every few milliseconds who waits for a lock, and since when. */
async function watchLocks(url: string): Promise<{ stop(): Promise<number> }> {
  const client = await openAdmin(url);
  const row = z.object({ ms: z.coerce.number() });
  const text = `select coalesce(max(extract(epoch from clock_timestamp() - l.waitstart)) * 1000, 0) as ms
                from pg_locks l where not l.granted`;
  let isOver = false;
  let longest = 0;
  const watching = (async () => {
    while (!isOver) {
      longest = Math.max(longest, (await queryRow(client, row, text)).ms);
      await delay(sampleEveryMs);
    }
  })();
  return {
    async stop() {
      isOver = true;
      await watching;
      await client.end();
      return longest;
    },
  };
}

function findingsOf(pairs: readonly Pair[], past: number, jobs: number): Findings {
  const rates = (of: 'alone' | 'beside'): number[] => pairs.map((pair) => pair[of].perSecond);
  const waits = (of: 'alone' | 'beside'): number =>
    Math.max(...pairs.map((pair) => pair[of].longestWaitMs));
  const row = (title: string, of: 'alone' | 'beside'): string[] => {
    const rate = spread(rates(of));
    return [title, figure(rate.median), range(rate), figure(waits(of))];
  };
  return {
    tables: [
      {
        title: `Sends, ${pairs.length} rounds of ${jobs.toLocaleString('en')} each, in turn`,
        columns: ['round', 'sends/s', 'range', 'longest wait for a lock, ms'],
        rows: [row('alone', 'alone'), row('beside the purge', 'beside')],
      },
    ],
    verdicts: [
      {
        target: `sends while ${past.toLocaleString('en')} old deliveries are deleted ≥ 0.9 × without`,
        bound: { atLeast: 0.9 },
        measured: median(ratios(rates('beside'), rates('alone'))),
      },
      {
        target: 'nobody waits for a lock for longer than 100 ms',
        bound: { atMost: 100 },
        measured: waits('beside'),
        unit: 'ms',
      },
    ],
    raw: { past, jobs, pairs },
    contenders: { outrider: { batchSize, past } },
    stores: ['postgres'],
  };
}
