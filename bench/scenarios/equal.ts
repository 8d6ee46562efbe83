import {
  graphileWorkerByOne,
  graphileWorkerGathered,
} from '../contenders/equal/graphile-worker.ts';
import { outrider } from '../contenders/equal/outrider.ts';
import { pgBossBatched, pgBossByOne } from '../contenders/equal/pg-boss.ts';
import type { EqualContender, EqualQueue, Sends } from '../contenders/equal/queue.ts';
import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { costOf, type Measurement } from '../measure.ts';
import { isChosen } from '../options.ts';
import { channelCount } from '../outrider/workload.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Store } from '../stores/store.ts';
import type { Verdict } from '../verdict.ts';

/** What one delivery costs: to take in, and to send. */
interface Cost {
  readonly intake: Measurement;
  readonly drain: Measurement;
}

type Series = ReadonlyMap<string, readonly Cost[]>;

const peersThatDo = (sends: Sends): EqualContender[] => [
  graphileWorkerByOne(sends),
  graphileWorkerGathered(sends),
  pgBossByOne(sends),
  pgBossBatched(sends),
];
const contenders = [outrider, ...peersThatDo({ send: async () => undefined, attempts: 5 })];

export const equal: Scenario = {
  name: 'equal',
  question:
    'How fast are graphile-worker and pg-boss when their users do by hand what Outrider does?',
  contenders: contenders.map(({ name }) => name),
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions, jobs, only } = bench.options;
    const count = Math.ceil(jobs / channelCount) * channelCount;
    const chosen = contenders.filter(({ name }) => isChosen(name, only));
    bench.progress('checking that the peers do their duties');
    for (const peer of peersThatDo(failing)) await rehearse(peer, store);
    for (const each of chosen) {
      bench.progress(`warming up ${each.name}`);
      await measure(each, store, count);
    }
    const measured = await interleave(chosen, repetitions, async (each, repetition) => {
      const cost = await measure(each, store, count);
      const rates = [cost.intake, cost.drain].map(({ jobsPerSecond }) => figure(jobsPerSecond));
      bench.progress(`${repetition + 1}/${repetitions} ${each.name}: ${rates.join(' and ')} /s`);
      return cost;
    });
    const series = new Map([...measured].map(([each, found]) => [each.name, found]));
    return {
      ...findingsOf(series),
      contenders: Object.fromEntries(chosen.map(({ name, settings }) => [name, settings])),
      stores: ['postgres'],
    };
  },
};

/** Makes the first post fail; there is no second attempt. */
const failing: Sends = {
  attempts: 1,
  send: async ({ id }) => {
    if (id === 0) throw new Error('the provider refused it');
  },
};

/** A small round with failures: every channel's delivery of the first post must end as a dead letter. */
async function rehearse(peer: EqualContender, store: Store): Promise<void> {
  const count = 10 * channelCount;
  await withQueue(peer, store, async (queue) => {
    await queue.seed(count);
    await queue.drain(count);
    expect(peer, 'jobs are dead', await queue.dead(), channelCount);
    expect(peer, 'jobs are sent', await queue.sent(), count - channelCount);
  });
}

async function measure(contender: EqualContender, store: Store, count: number): Promise<Cost> {
  return withQueue(contender, store, async (queue, url) => {
    const intake = await costOf(() => queue.seed(count), store, count);
    await store.settle(url, true);
    const drain = await costOf(() => queue.drain(count), store, count);
    expect(contender, 'deliveries are recorded as sent', await queue.sent(), count);
    await queue.seed(channelCount);
    expect(contender, 'deliveries of a known post wait', await queue.remaining(), 0);
    return { intake, drain };
  });
}

async function withQueue<Result>(
  contender: EqualContender,
  store: Store,
  work: (queue: EqualQueue, url: string) => Promise<Result>,
): Promise<Result> {
  const url = await store.createDatabase();
  const queue = await contender.prepare(url);
  try {
    return await work(queue, url);
  } finally {
    await queue.close();
    await store.dropDatabase(url);
  }
}

function expect({ name }: EqualContender, what: string, found: number, expected: number): void {
  if (found !== expected) throw new Error(`${name}: ${found} ${what} instead of ${expected}`);
}

function findingsOf(series: Series): Findings {
  const peers = [...series.keys()].filter((name) => name !== outrider.name);
  return {
    tables: [
      {
        title: 'Medians; CPU in µs and log in bytes for one delivery',
        columns: [
          'contender',
          'taken in/s',
          'store CPU',
          'sent/s',
          'range',
          'store CPU',
          'Node CPU',
          'log B',
        ],
        rows: [...series].map(([name, costs]) => [
          name,
          figure(median(costs.map(({ intake }) => intake.jobsPerSecond))),
          figure(median(costs.map(({ intake }) => intake.storeCpuMicros))),
          figure(median(costs.map(({ drain }) => drain.jobsPerSecond))),
          range(spread(costs.map(({ drain }) => drain.jobsPerSecond))),
          figure(median(costs.map(({ drain }) => drain.storeCpuMicros))),
          figure(median(costs.map(({ drain }) => drain.nodeCpuMicros))),
          figure(median(costs.map(({ drain }) => drain.logBytes))),
        ]),
      },
      {
        title:
          'outrider against each, median of the ratios of each repetition; CPU: theirs to ours',
        columns: ['peer', 'sent/s', 'store CPU', 'taken in and sent/s', 'store CPU'],
        rows: peers.map((peer) => [
          peer,
          times(median(against(series, peer, ({ drain }) => drain.jobsPerSecond))),
          times(1 / median(against(series, peer, ({ drain }) => drain.storeCpuMicros))),
          times(median(against(series, peer, wholeRate))),
          times(1 / median(against(series, peer, wholeCpu))),
        ]),
      },
    ],
    verdicts: peers.flatMap((peer) => verdictsOn(series, peer)),
    raw: Object.fromEntries(series),
  };
}

function verdictsOn(series: Series, peer: string): Verdict[] {
  const bound = { atLeast: 3 };
  const rate = median(against(series, peer, ({ drain }) => drain.jobsPerSecond));
  const cpu = 1 / median(against(series, peer, ({ drain }) => drain.storeCpuMicros));
  return [
    { target: `sends ≥ 3 × ${peer}`, bound, measured: rate },
    { target: `≥ 3 × less PostgreSQL CPU than ${peer}`, bound, measured: cpu },
  ];
}

/** Deliveries a second when one is taken in and then sent. */
function wholeRate({ intake, drain }: Cost): number {
  return 1 / (1 / intake.jobsPerSecond + 1 / drain.jobsPerSecond);
}

function wholeCpu({ intake, drain }: Cost): number {
  return intake.storeCpuMicros + drain.storeCpuMicros;
}

function against(series: Series, peer: string, of: (cost: Cost) => number): number[] {
  return ratios((series.get(outrider.name) ?? []).map(of), (series.get(peer) ?? []).map(of));
}
