import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { bullMq } from '../latency/bullmq.ts';
import { graphileWorker } from '../latency/graphile-worker.ts';
import { behindFront } from '../latency/http-pusher.ts';
import { outrider } from '../latency/outrider.ts';
import { pushMany } from '../latency/push-many.ts';
import type { Way } from '../latency/way.ts';
import { isChosen } from '../options.ts';
import { type Provider, startProvider } from '../provider/provider.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, percentile, ratios, spread } from '../statistics.ts';

const graphileWorkerHttp = behindFront(graphileWorker);
const bullMqHttp = behindFront(bullMq);
const ways = [outrider, graphileWorkerHttp, bullMqHttp, graphileWorker, bullMq];
const samples = 300;
/** Before the measurement: code is compiled, connections are open, plans are made. */
const unmeasured = 50;

/** Of random length, and long enough for everything to come to rest. */
const pauseMs = (): number => 8 + 12 * Math.random();

/** Milliseconds from before the push to the arrival at the provider. */
interface Latency {
  readonly p50: number;
  readonly p99: number;
  readonly all: readonly number[];
}

type Series = ReadonlyMap<string, readonly Latency[]>;

export const latency: Scenario = {
  name: 'latency',
  question: 'How long after a push does the provider get the call, when nothing else is going on?',
  contenders: ways.map(({ name }) => name),
  async run(bench) {
    const provider = await startProvider('sandbox');
    try {
      const { repetitions, only } = bench.options;
      const chosen = ways.filter(({ name }) => isChosen(name, only));
      const measured = await interleave(chosen, repetitions, async (way, repetition) => {
        const found = await measure(way, bench, provider);
        const figures = `p50 ${figure(found.p50)} ms, p99 ${figure(found.p99)} ms`;
        bench.progress(`${repetition + 1}/${repetitions} ${way.name}: ${figures}`);
        return found;
      });
      const series = new Map([...measured].map(([way, found]) => [way.name, found]));
      const contenders = Object.fromEntries(chosen.map((way) => [way.name, way.settings]));
      return { ...findingsOf(series), contenders };
    } finally {
      await provider.close();
    }
  },
};

async function measure(way: Way, bench: Bench, provider: Provider): Promise<Latency> {
  const store = await bench.stores.get(way.store);
  const storeUrl = await store.createDatabase();
  const pusher = await way.prepare(storeUrl, provider.url);
  try {
    await pushMany(pusher, provider, unmeasured, pauseMs);
    await store.settle(storeUrl, true);
    const all = await pushMany(pusher, provider, samples, pauseMs);
    return { p50: percentile(all, 50), p99: percentile(all, 99), all };
  } finally {
    await pusher.close();
    await store.dropDatabase(storeUrl);
  }
}

function findingsOf(series: Series): Findings {
  const p50 = (name: string): number[] => (series.get(name) ?? []).map((each) => each.p50);
  const p99 = (name: string): number[] => (series.get(name) ?? []).map((each) => each.p99);
  const peers = [...series.keys()].filter((name) => name !== outrider.name);
  return {
    tables: [
      {
        title: 'From the push to the arrival, ms: medians (range)',
        columns: ['way', 'p50', 'range', 'p99', 'range', 'p99 of all'],
        rows: [...series.keys()].map((name) => [
          name,
          figure(median(p50(name))),
          range(spread(p50(name))),
          figure(median(p99(name))),
          range(spread(p99(name))),
          figure(
            percentile(
              (series.get(name) ?? []).flatMap((each) => each.all),
              99,
            ),
          ),
        ]),
      },
      {
        title: 'outrider against each, median of the ratios of each repetition',
        columns: ['peer', 'p50', 'p99'],
        rows: peers.map((peer) => [
          peer,
          times(median(ratios(p50(outrider.name), p50(peer)))),
          times(median(ratios(p99(outrider.name), p99(peer)))),
        ]),
      },
    ],
    verdicts: [
      {
        target: 'half of all posts arrive within 1.1 × graphile-worker behind HTTP (p50)',
        bound: { atMost: 1.1 },
        measured: median(ratios(p50(outrider.name), p50(graphileWorkerHttp.name))),
      },
      {
        target: '99 % of all posts arrive within 1.1 × graphile-worker behind HTTP (p99)',
        bound: { atMost: 1.1 },
        measured: median(ratios(p99(outrider.name), p99(graphileWorkerHttp.name))),
      },
    ],
    raw: Object.fromEntries(series),
  };
}
