import { inScratch } from '../../src/db/scratch.ts';
import { durationsFrom } from '../../src/simulate/durations.ts';
import { chanceFaults } from '../../src/simulate/faults.ts';
import { simulate as simulateWorkspace } from '../../src/simulate/simulate.ts';
import { summaryOf } from '../../src/simulate/summary.ts';
import { figure, range } from '../figures.ts';
import type { Scenario } from '../scenario.ts';
import { arrivals, channelCount, document } from '../simulate/workspace.ts';
import { median, spread } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const posts = 2500;
const faults = { '429': 0.002, '5xx': 0.001 };

interface SimulationCost {
  readonly seconds: number;
  readonly storeCpuSeconds: number;
  readonly nodeCpuSeconds: number;
  readonly deliveries: number;
  readonly steps: number;
  readonly virtualSeconds: number;
}

export const simulate: Scenario = {
  name: 'simulate',
  question: 'How long does it take to simulate 100,000 deliveries?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const url = await store.createDatabase();
    const { repetitions } = bench.options;
    const costs: SimulationCost[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const cost = await costOf(store, url);
      costs.push(cost);
      bench.progress(`${repetition + 1}/${repetitions}: ${figure(cost.seconds)} s`);
    }
    await store.dropDatabase(url);
    const row = (title: string, of: (cost: SimulationCost) => number): string[] => {
      const values = costs.map(of);
      return [title, figure(median(values)), range(spread(values))];
    };
    return {
      tables: [
        {
          title: `${posts} posts at once to ${channelCount} channels, with the scratch database; medians (range)`,
          columns: ['', 'median', 'range'],
          rows: [
            row('wall s', (cost) => cost.seconds),
            row('PostgreSQL CPU s', (cost) => cost.storeCpuSeconds),
            row('Node CPU s', (cost) => cost.nodeCpuSeconds),
            row('deliveries', (cost) => cost.deliveries),
            row('steps', (cost) => cost.steps),
            row('virtual s', (cost) => cost.virtualSeconds),
          ],
        },
      ],
      verdicts: [
        {
          target: '100,000 deliveries are simulated within a minute',
          bound: { atMost: 60_000 },
          measured: 1000 * median(costs.map((cost) => cost.seconds)),
          unit: 'ms',
        },
      ],
      raw: costs,
      contenders: { outrider: { faults: JSON.stringify(faults) } },
      stores: ['postgres'],
    };
  },
};

async function costOf(store: Store, url: string): Promise<SimulationCost> {
  const [from, storeCpu, nodeCpu] = [performance.now(), store.cpuMicros(), process.cpuUsage()];
  const { asItIs } = await inScratch({ url }, ({ clients, tidy }) =>
    simulateWorkspace({
      clients,
      tidy,
      configuration: { document, earlierTemplates: [] },
      changes: [],
      arrivals: arrivals(posts),
      media: {},
      durationOf: durationsFrom({ measured: [], given: new Map(), otherwiseMs: 300 }),
      faultsOf: chanceFaults(faults),
      retryAfterMs: 5000,
      timeoutMs: 30_000,
      places: 450,
      horizonMs: 30 * 86_400_000,
    }),
  );
  const summary = summaryOf(asItIs);
  const { user, system } = process.cpuUsage(nodeCpu);
  return {
    seconds: (performance.now() - from) / 1000,
    storeCpuSeconds: (store.cpuMicros() - storeCpu) / 1e6,
    nodeCpuSeconds: (user + system) / 1e6,
    deliveries: summary.deliveries.made,
    steps: asItIs.steps,
    virtualSeconds: summary.makespanMs / 1000,
  };
}
