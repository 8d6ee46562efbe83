import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type Observer, unobserved } from '../../src/observer.ts';
import type { TracingVariables } from '../../src/tracing-settings.ts';
import { outriderObserved } from '../contenders/outrider-sending.ts';
import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { measureSending, type SendingCost } from '../measure-sending.ts';
import { startProvider } from '../provider/provider.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';

/** At most: fewer are sent with `--jobs`. */
const most = 48_000;

const names = {
  nothing: 'nothing observed',
  metrics: 'metrics',
  noneKept: 'metrics, traces of which none is kept',
  all: 'metrics, every trace',
} as const;

export const seeing: Scenario = {
  name: 'seeing',
  question: 'What do metrics and traces cost while a backlog is sent over HTTP?',
  async run(bench) {
    const provider = await startProvider('answerer');
    const collector = await startCollector();
    try {
      const { url } = provider;
      const tracing = (sampler: string): TracingVariables => {
        return { tracesEndpoint: collector.url, timeoutMs: 10_000, sampler };
      };
      const contenders = [
        outriderObserved(names.nothing, url, { metrics: 'off' }),
        outriderObserved(names.metrics, url, { metrics: 'local' }),
        outriderObserved(names.noneKept, url, { metrics: 'local', tracing: tracing('always_off') }),
        outriderObserved(names.all, url, { metrics: 'local', tracing: tracing('always_on') }),
      ];
      const { repetitions } = bench.options;
      const deliveries = Math.min(most, bench.options.jobs);
      // Not measured: a first round costs more, because the code is compiled in it.
      for (const each of contenders) {
        bench.progress(`warming up ${each.name}`);
        await measureSending(each, bench.stores, provider, deliveries);
      }
      const measured = await interleave(contenders, repetitions, async (each, repetition) => {
        const cost = await measureSending(each, bench.stores, provider, deliveries);
        const rate = figure(cost.jobsPerSecond);
        bench.progress(`${repetition + 1}/${repetitions} ${each.name}: ${rate} deliveries/s`);
        return cost;
      });
      const series = new Map([...measured].map(([{ name }, found]) => [name, found]));
      const settings = Object.fromEntries(contenders.map((each) => [each.name, each.settings]));
      return { ...findingsOf(series), contenders: settings, stores: ['postgres'] };
    } finally {
      await collector.close();
      await provider.close();
    }
  },
};

function findingsOf(series: ReadonlyMap<string, readonly SendingCost[]>): Findings {
  const of = (name: string): readonly SendingCost[] => series.get(name) ?? [];
  const rates = (name: string): number[] => of(name).map((cost) => cost.jobsPerSecond);
  const against = (name: string): number[] => ratios(rates(name), rates(names.nothing));
  const microsOfDelivery = 1e6 / median(rates(names.nothing));
  const unobservedMicros = costOfUnobserved();
  return {
    tables: [
      {
        title: 'Medians (range); CPU in µs for one delivery',
        columns: ['observed', 'deliveries/s', 'against nothing', 'range', 'store', 'worker'],
        rows: [...series.keys()].map((name) => [
          name,
          figure(median(rates(name))),
          times(median(against(name))),
          range(spread(against(name))),
          figure(median(of(name).map((cost) => cost.storeCpuMicros))),
          figure(median(of(name).map((cost) => cost.nodeCpuMicros))),
        ]),
      },
      {
        title: 'The calls that are left for each delivery when nobody observes',
        columns: ['µs', 'share of a delivery'],
        rows: [[figure(unobservedMicros), times(unobservedMicros / microsOfDelivery)]],
      },
    ],
    verdicts: [
      {
        target: 'sends ≥ 0.98 × as fast with metrics',
        bound: { atLeast: 0.98 },
        measured: median(against(names.metrics)),
      },
      {
        target: 'sends ≥ 0.98 × as fast with traces of which none is kept as with metrics alone',
        bound: { atLeast: 0.98 },
        measured: median(ratios(rates(names.noneKept), rates(names.metrics))),
      },
      {
        target: 'what is left when nobody observes is ≤ 0.02 of a delivery',
        bound: { atMost: 0.02 },
        measured: unobservedMicros / microsOfDelivery,
      },
    ],
    raw: Object.fromEntries(series),
  };
}

/** What a sender calls for each delivery, over and over; µs for one delivery, the fastest of several rounds. */
function costOfUnobserved(observer: Observer = unobserved): number {
  const rounds = 20;
  const each = 100_000;
  let best = Number.POSITIVE_INFINITY;
  let sum = 0;
  for (let round = 0; round < rounds; round += 1) {
    const from = performance.now();
    for (let n = 0; n < each; n += 1) {
      observer.sendStarted();
      observer.sendEnded();
      sum += observer.now() + observer.now();
      if (observer.isOn) sum += 1;
    }
    best = Math.min(best, performance.now() - from);
  }
  if (sum !== 0) throw new Error('somebody observes');
  return (best * 1000) / each;
}

interface Collector {
  readonly url: string;
  close(): Promise<void>;
}

/** Takes whatever comes. */
async function startCollector(): Promise<Collector> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200).end('{}'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1/traces`,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
