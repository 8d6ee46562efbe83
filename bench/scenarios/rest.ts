import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { graphileWorker } from '../latency/graphile-worker.ts';
import { behindFront } from '../latency/http-pusher.ts';
import { outrider } from '../latency/outrider.ts';
import { pushMany } from '../latency/push-many.ts';
import type { Way } from '../latency/way.ts';
import { isChosen } from '../options.ts';
import { type Provider, startProvider } from '../provider/provider.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, percentile, ratios, spread } from '../statistics.ts';

const ways = [outrider, behindFront(graphileWorker)];
/** Posts in each repetition: after a rest, and after a short pause. */
const rested = 3;
const busy = 50;
/** Before the measurement: code is compiled, connections are open, plans are made. */
const unmeasured = 50;
const shortMs = 20;

/** p50 of the posts after each pause, in milliseconds. */
interface Latency {
  readonly short: number;
  readonly long: number;
  readonly all: { readonly short: readonly number[]; readonly long: readonly number[] };
}

type Series = ReadonlyMap<string, readonly Latency[]>;

export const rest: Scenario = {
  name: 'rest',
  question: 'How much longer does a post take after a long rest than after a short one?',
  contenders: ways.map(({ name }) => name),
  async run(bench) {
    const provider = await startProvider('sandbox');
    try {
      const { repetitions, restSeconds, only } = bench.options;
      const chosen = ways.filter(({ name }) => isChosen(name, only));
      const measured = await interleave(chosen, repetitions, async (way, repetition) => {
        const found = await measure(way, bench, provider);
        const figures = `p50 ${figure(found.short)} ms after ${shortMs} ms, ${figure(found.long)} ms after ${restSeconds} s`;
        bench.progress(`${repetition + 1}/${repetitions} ${way.name}: ${figures}`);
        return found;
      });
      const series = new Map([...measured].map(([way, found]) => [way.name, found]));
      const contenders = Object.fromEntries(chosen.map((way) => [way.name, way.settings]));
      return { ...findingsOf(series, restSeconds), contenders };
    } finally {
      await provider.close();
    }
  },
};

async function measure(way: Way, bench: Bench, provider: Provider): Promise<Latency> {
  const store = await bench.stores.get(way.store);
  const storeUrl = await store.createDatabase();
  const pusher = await way.prepare(storeUrl, provider.url);
  const restMs = bench.options.restSeconds * 1000;
  try {
    await pushMany(pusher, provider, unmeasured, () => shortMs);
    await store.settle(storeUrl, true);
    const all: { short: number[]; long: number[] } = { short: [], long: [] };
    for (let n = 0; n < rested; n += 1) {
      all.long.push(...(await pushMany(pusher, provider, 1, () => restMs)));
      all.short.push(...(await pushMany(pusher, provider, busy, () => shortMs)));
    }
    return { short: percentile(all.short, 50), long: percentile(all.long, 50), all };
  } finally {
    await pusher.close();
    await store.dropDatabase(storeUrl);
  }
}

function findingsOf(series: Series, restSeconds: number): Findings {
  return {
    tables: [
      {
        title: 'From the push to the arrival, ms: p50, medians (range)',
        columns: [
          'way',
          `after ${shortMs} ms`,
          'range',
          `after ${restSeconds} s`,
          'range',
          'ratio',
        ],
        rows: [...series].map(([name, found]) => {
          const short = found.map((each) => each.short);
          const long = found.map((each) => each.long);
          return [
            name,
            figure(median(short)),
            range(spread(short)),
            figure(median(long)),
            range(spread(long)),
            times(ratioOf(found)),
          ];
        }),
      },
    ],
    verdicts: [
      {
        target: `a post after ${restSeconds} s of rest takes at most 2.0 × one after ${shortMs} ms (p50)`,
        bound: { atMost: 2 },
        measured: ratioOf(series.get(outrider.name) ?? []),
      },
    ],
    raw: Object.fromEntries(series),
    stores: [outrider.store],
  };
}

function ratioOf(found: readonly Latency[]): number {
  return median(
    ratios(
      found.map((each) => each.long),
      found.map((each) => each.short),
    ),
  );
}
