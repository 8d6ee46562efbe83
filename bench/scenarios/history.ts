import { figure } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { costOf, type DispatchCost } from '../outrider/cost.ts';
import { openDispatcher } from '../outrider/dispatcher.ts';
import { addBacklog, installOutrider, openAdmin, workspace } from '../outrider/workload.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, ratios } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const pastDeliveries = 1_000_000;
const slice = 100_000;
const batchSize = 500;

interface Ground {
  readonly title: string;
  readonly templateUrl: string;
}

/** Both grounds are made once; every round works on a copy. */
export const history: Scenario = {
  name: 'history',
  question: 'What does a claim cost with a million deliveries sent before, against none?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const grounds = [
      { title: 'empty tables', templateUrl: await makeGround(store, 0, bench) },
      { title: 'one million sent', templateUrl: await makeGround(store, pastDeliveries, bench) },
    ];
    const { repetitions, jobs } = bench.options;
    const measured = await interleave(grounds, repetitions, async (ground, repetition) => {
      const cost = await costOn(ground, store, jobs);
      const micros = figure(cost.claimMicros);
      bench.progress(`${repetition + 1}/${repetitions} ${ground.title}: ${micros} µs per claim`);
      return cost;
    });
    for (const ground of grounds) await store.dropDatabase(ground.templateUrl);
    return findingsOf(grounds.map((ground) => [ground.title, measured.get(ground) ?? []]));
  },
};

/** A database with a past, made by the dispatcher itself and then vacuumed, as autovacuum would. */
async function makeGround(store: Store, past: number, bench: Bench): Promise<string> {
  const url = await store.createDatabase();
  const admin = await installOutrider(url);
  const dispatcher = await openDispatcher(url);
  for (let done = 0; done < past; done += slice) {
    bench.progress(`sending the past: ${figure(done)} of ${figure(past)}`);
    await addBacklog(admin, workspace, slice);
    await dispatcher.drain(workspace, batchSize);
  }
  await dispatcher.close();
  await admin.query('vacuum analyze');
  await admin.end();
  return url;
}

async function costOn(ground: Ground, store: Store, jobs: number): Promise<DispatchCost> {
  const url = await store.createDatabase(ground.templateUrl);
  const admin = await openAdmin(url);
  await addBacklog(admin, workspace, jobs);
  await store.settle(url, true);
  const dispatcher = await openDispatcher(url);
  try {
    return await costOf(dispatcher, () => dispatcher.drain(workspace, batchSize));
  } finally {
    await dispatcher.close();
    await admin.end();
    await store.dropDatabase(url);
  }
}

function findingsOf(series: readonly (readonly [string, readonly DispatchCost[]])[]): Findings {
  const [empty, full] = series.map(([, costs]) => costs.map((cost) => cost.claimMicros));
  return {
    tables: [
      {
        title: `PostgreSQL CPU for one delivery, median, batches of ${batchSize}`,
        columns: ['on', 'claim µs', 'commit µs'],
        rows: series.map(([title, costs]) => [
          title,
          figure(median(costs.map((cost) => cost.claimMicros))),
          figure(median(costs.map((cost) => cost.commitMicros))),
        ]),
      },
    ],
    verdicts: [
      {
        target: 'claim cost with 1M sent rows ≤ 1.15 × that on an empty table',
        bound: { atMost: 1.15 },
        measured: median(ratios(full ?? [], empty ?? [])),
      },
    ],
    raw: Object.fromEntries(series),
  };
}
