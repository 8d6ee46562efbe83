import { figure, range, times } from '../figures.ts';
import { outrider } from '../latency/outrider.ts';
import { pushMany } from '../latency/push-many.ts';
import { type Provider, startProvider } from '../provider/provider.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, percentile, ratios, spread } from '../statistics.ts';

/** In each repetition. */
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

export const rest: Scenario = {
  name: 'rest',
  question: 'How much longer does a post take after a long rest than after a short one?',
  async run(bench) {
    const provider = await startProvider('sandbox');
    try {
      const { repetitions, restSeconds } = bench.options;
      const series: Latency[] = [];
      while (series.length < repetitions) {
        const found = await measure(bench, provider);
        series.push(found);
        const figures = `p50 ${figure(found.short)} ms after ${shortMs} ms, ${figure(found.long)} ms after ${restSeconds} s`;
        bench.progress(`${series.length}/${repetitions}: ${figures}`);
      }
      return findingsOf(series, restSeconds);
    } finally {
      await provider.close();
    }
  },
};

async function measure({ options, stores }: Bench, provider: Provider): Promise<Latency> {
  const store = await stores.get(outrider.store);
  const storeUrl = await store.createDatabase();
  const pusher = await outrider.prepare(storeUrl, provider.url);
  try {
    await pushMany(pusher, provider, unmeasured, () => shortMs);
    await store.settle(storeUrl, true);
    const all: { short: number[]; long: number[] } = { short: [], long: [] };
    for (let n = 0; n < rested; n += 1) {
      all.long.push(...(await pushMany(pusher, provider, 1, () => options.restSeconds * 1000)));
      all.short.push(...(await pushMany(pusher, provider, busy, () => shortMs)));
    }
    return { short: percentile(all.short, 50), long: percentile(all.long, 50), all };
  } finally {
    await pusher.close();
    await store.dropDatabase(storeUrl);
  }
}

function row(name: string, values: readonly number[]): string[] {
  return [name, figure(median(values)), range(spread(values))];
}

function findingsOf(series: readonly Latency[], restSeconds: number): Findings {
  const short = series.map((each) => each.short);
  const long = series.map((each) => each.long);
  const ratio = median(ratios(long, short));
  return {
    tables: [
      {
        title: 'From the push to the arrival, ms: p50, medians (range)',
        columns: ['after', 'p50', 'range'],
        rows: [
          row(`${shortMs} ms`, short),
          row(`${restSeconds} s`, long),
          ['ratio', times(ratio), range(spread(ratios(long, short)))],
        ],
      },
    ],
    verdicts: [
      {
        target: `a post after ${restSeconds} s of rest takes at most 2.0 × one after ${shortMs} ms (p50)`,
        bound: { atMost: 2 },
        measured: ratio,
      },
    ],
    raw: series,
    contenders: { [outrider.name]: outrider.settings },
    stores: [outrider.store],
  };
}
