import { figure, range, times } from '../figures.ts';
import {
  fortyJobs,
  manyJobs,
  manyPosts,
  onePost,
  type PreparedTaker,
  type Taker,
} from '../intake/taker.ts';
import { interleave } from '../interleave.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const rows = 40_000;
/** Rows that exist, with statistics, before the measurement. */
const rowsBefore = 8_000;
const takers = [onePost, fortyJobs, manyPosts, manyJobs];

interface Cost {
  readonly rowsPerSecond: number;
  readonly storeCpuMicros: number;
}

type Series = ReadonlyMap<Taker, readonly Cost[]>;

export const fanout: Scenario = {
  name: 'fanout',
  question:
    'How fast do posts become deliveries for 40 channels, against bulk inserts of plain jobs?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions } = bench.options;
    for (const taker of takers) await measure(taker, store, rowsBefore);
    const measured = await interleave(takers, repetitions, async (taker, repetition) => {
      const cost = await measure(taker, store, rows);
      const rate = figure(cost.rowsPerSecond);
      bench.progress(`${repetition + 1}/${repetitions} ${taker.name}: ${rate} rows/s`);
      return cost;
    });
    return findingsOf(measured);
  },
};

async function measure(taker: Taker, store: Store, count: number): Promise<Cost> {
  const url = await store.createDatabase();
  const prepared = await taker.prepare(url);
  try {
    await run(taker, prepared, 0, rowsBefore);
    await store.settle(url, true);
    const startedAt = performance.now();
    const cpuBefore = store.cpuMicros();
    await run(taker, prepared, rowsBefore, count);
    const seconds = (performance.now() - startedAt) / 1000;
    return {
      rowsPerSecond: count / seconds,
      storeCpuMicros: (store.cpuMicros() - cpuBefore) / count,
    };
  } finally {
    await prepared.close();
    await store.dropDatabase(url);
  }
}

async function run(
  taker: Taker,
  prepared: PreparedTaker,
  after: number,
  count: number,
): Promise<void> {
  const first = after / taker.rowsPerCall;
  for (let call = 0; call < count / taker.rowsPerCall; call += 1) {
    await prepared.call(first + call);
  }
}

function findingsOf(series: Series): Findings {
  const rate = (taker: Taker): number[] => (series.get(taker) ?? []).map((c) => c.rowsPerSecond);
  return {
    tables: [
      {
        title: 'Medians (range)',
        columns: ['taker', 'rows/s', 'range', 'store CPU µs/row'],
        rows: [...series].map(([taker, costs]) => [
          taker.name,
          figure(median(rate(taker))),
          range(spread(rate(taker))),
          figure(median(costs.map((cost) => cost.storeCpuMicros))),
        ]),
      },
      {
        title: 'outrider against graphile-worker, median of the ratios of each repetition',
        columns: ['a call makes', 'rows/s'],
        rows: [
          ['40 rows', times(median(ratios(rate(onePost), rate(fortyJobs))))],
          ['4,000 rows', times(median(ratios(rate(manyPosts), rate(manyJobs))))],
        ],
      },
    ],
    verdicts: [
      {
        target: 'a post to 40 channels ≥ 0.75 × add_jobs of 40 in rows/s',
        bound: { atLeast: 0.75 },
        measured: median(ratios(rate(onePost), rate(fortyJobs))),
      },
    ],
    raw: Object.fromEntries([...series].map(([taker, costs]) => [taker.name, costs])),
  };
}
