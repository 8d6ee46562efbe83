import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { graphileWorker } from '../plain/graphile-worker.ts';
import { outrider } from '../plain/outrider.ts';
import type { PlainCpu, PlainTaker, PreparedPlainTaker } from '../plain/taker.ts';
import { post } from '../post.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const takers = [outrider, graphileWorker];
const turns = 300;
/** Posts at the beginning of each repetition, with which connections make their plans and keep them. */
const unmeasured = 50;

/** Medians of the turns of one repetition, µs. */
interface Cost {
  readonly pushMicros: number;
  readonly claimMicros: number;
  readonly micros: number;
}

type Series = ReadonlyMap<PlainTaker, readonly Cost[]>;

export const plain: Scenario = {
  name: 'plain',
  question:
    'What does PostgreSQL spend on a plain post to one channel, from its push to its claim?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions } = bench.options;
    const series = new Map(takers.map((taker) => [taker, [] as Cost[]]));
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const costs = await compare(store);
      for (const [taker, cost] of costs) series.get(taker)?.push(cost);
      const figures = [...costs].map(([{ name }, { micros }]) => `${name} ${figure(micros)} µs`);
      bench.progress(`${repetition + 1}/${repetitions} ${figures.join(', ')}`);
    }
    return findingsOf(series);
  },
};

/** The two take turns post by post, so whatever slows the machine down slows both. */
async function compare(store: Store): Promise<Map<PlainTaker, Cost>> {
  const urls = await inOrder(takers, () => store.createDatabase());
  const prepared = await inOrder(takers, (taker, n) => taker.prepare(urls[n] ?? ''));
  try {
    const cpu = await interleave(prepared, unmeasured + turns, takeTurn);
    return new Map(takers.map((taker, n) => [taker, costOf(turnsOf(cpu, prepared[n]))]));
  } finally {
    for (const each of prepared) await each.close();
    for (const url of urls) await store.dropDatabase(url);
  }
}

async function inOrder<Result>(
  of: readonly PlainTaker[],
  work: (taker: PlainTaker, n: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  for (const [n, taker] of of.entries()) results.push(await work(taker, n));
  return results;
}

async function takeTurn(taker: PreparedPlainTaker, turn: number): Promise<PlainCpu> {
  const before = taker.cpu();
  await taker.takeAndClaim(post(turn));
  await taker.finish(); // meanwhile both backends do what they do after an answer
  const after = taker.cpu();
  return {
    pushNanos: after.pushNanos - before.pushNanos,
    claimNanos: after.claimNanos - before.claimNanos,
  };
}

function turnsOf(
  cpu: ReadonlyMap<PreparedPlainTaker, readonly PlainCpu[]>,
  taker: PreparedPlainTaker | undefined,
): readonly PlainCpu[] {
  return (taker === undefined ? [] : (cpu.get(taker) ?? [])).slice(unmeasured);
}

function costOf(measured: readonly PlainCpu[]): Cost {
  const middle = (of: (turn: PlainCpu) => number): number => median(measured.map(of)) / 1000;
  return {
    pushMicros: middle(({ pushNanos }) => pushNanos),
    claimMicros: middle(({ claimNanos }) => claimNanos),
    micros: middle(({ pushNanos, claimNanos }) => pushNanos + claimNanos),
  };
}

function findingsOf(series: Series): Findings {
  const of = (taker: PlainTaker, part: (cost: Cost) => number): number[] =>
    (series.get(taker) ?? []).map(part);
  const whole = ratios(
    of(outrider, ({ micros }) => micros),
    of(graphileWorker, ({ micros }) => micros),
  );
  return {
    tables: [
      {
        title: 'PostgreSQL CPU for one post, µs: medians (range)',
        columns: ['taker', 'push', 'claim', 'both', 'range'],
        rows: takers.map((taker) => [
          taker.name,
          figure(median(of(taker, ({ pushMicros }) => pushMicros))),
          figure(median(of(taker, ({ claimMicros }) => claimMicros))),
          figure(median(of(taker, ({ micros }) => micros))),
          range(spread(of(taker, ({ micros }) => micros))),
        ]),
      },
      {
        title: 'outrider against graphile-worker, ratios of each repetition',
        columns: ['', 'median', 'range'],
        rows: [['push and claim', times(median(whole)), range(spread(whole))]],
      },
    ],
    verdicts: [
      {
        target: 'push and claim of a plain post cost ≤ 1.3 × addJob and get_job (PostgreSQL CPU)',
        bound: { atMost: 1.3 },
        measured: median(whole),
      },
    ],
    raw: Object.fromEntries([...series].map(([{ name }, costs]) => [name, costs])),
    contenders: Object.fromEntries(takers.map(({ name, settings }) => [name, settings])),
    stores: ['postgres'],
  };
}
