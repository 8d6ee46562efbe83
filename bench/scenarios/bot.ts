import { chats, type Flood, flood, messages } from '../bot/flood.ts';
import { openTurns, type TurnCost, type TurnTaker } from '../bot/turns.ts';
import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import type { Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Store } from '../stores/store.ts';

const few = 10;
const many = 1000;
const turns = 300;
/** Turns at the beginning of each repetition, with which connections make their plans and keep them. */
const unmeasured = 50;

/** Medians of the turns of one repetition. */
interface Turns {
  readonly few: TurnCost;
  readonly many: TurnCost;
}

export const bot: Scenario = {
  name: 'bot',
  question:
    'What do many rules cost a turn of a bot, and how fast are many people who write at once answered?',
  async run(bench) {
    const store = await bench.stores.get('postgres');
    const { repetitions } = bench.options;
    const compared: Turns[] = [];
    const floods: Flood[] = [];
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const cost = await compare(store);
      const found = await inDatabase(store, (url) => flood(url, many));
      compared.push(cost);
      floods.push(found);
      bench.progress(
        `${repetition + 1}/${repetitions} a turn ${figure(cost.few.millis)} and ${figure(cost.many.millis)} ms, ` +
          `${figure(found.answeredPerSecond)} answers/s`,
      );
    }
    return findingsOf(compared, floods);
  },
};

/** The two take turns, question by question, so whatever slows the machine down slows both. */
async function compare(store: Store): Promise<Turns> {
  return inDatabase(store, (urlOfFew) =>
    inDatabase(store, async (urlOfMany) => {
      const ofFew = await openTurns(urlOfFew, few);
      const ofMany = await openTurns(urlOfMany, many);
      try {
        const order = [ofFew, ofMany];
        const costs = await interleave(order, unmeasured + turns, (taker, n) => taker.take(n + 1));
        return { few: middleOf(costs, ofFew), many: middleOf(costs, ofMany) };
      } finally {
        await Promise.all([ofFew.close(), ofMany.close()]);
      }
    }),
  );
}

async function inDatabase<Result>(
  store: Store,
  work: (url: string) => Promise<Result>,
): Promise<Result> {
  const url = await store.createDatabase();
  try {
    return await work(url);
  } finally {
    await store.dropDatabase(url);
  }
}

function middleOf(costs: ReadonlyMap<TurnTaker, readonly TurnCost[]>, taker: TurnTaker): TurnCost {
  const measured = (costs.get(taker) ?? []).slice(unmeasured);
  return {
    millis: median(measured.map(({ millis }) => millis)),
    cpuMicros: median(measured.map(({ cpuMicros }) => cpuMicros)),
  };
}

function findingsOf(compared: readonly Turns[], floods: readonly Flood[]): Findings {
  const millis = (of: keyof Turns): number[] => compared.map((each) => each[of].millis);
  const cpu = (of: keyof Turns): number[] => compared.map((each) => each[of].cpuMicros);
  const flooded = (of: keyof Flood): string[] => {
    const values = floods.map((each) => each[of]);
    return [figure(median(values)), range(spread(values))];
  };
  return {
    tables: [
      {
        title: 'A turn: the bot decides and queues its answer; medians (range)',
        columns: ['rules', 'ms', 'range', 'PostgreSQL CPU µs', 'range'],
        rows: (
          [
            ['few', few],
            ['many', many],
          ] as const
        ).map(([of, rules]) => [
          figure(rules),
          figure(median(millis(of))),
          range(spread(millis(of))),
          figure(median(cpu(of))),
          range(spread(cpu(of))),
        ]),
      },
      {
        title: `${figure(messages)} messages of ${figure(chats)} chats, all answered, in order for each chat; medians (range)`,
        columns: ['', 'median', 'range'],
        rows: [
          ['taken in/s', ...flooded('takenPerSecond')],
          ['answered/s', ...flooded('answeredPerSecond')],
          ['from the webhook to the provider, p50 ms', ...flooded('p50')],
          ['from the webhook to the provider, p99 ms', ...flooded('p99')],
        ],
      },
      {
        title: `${figure(many)} rules against ${figure(few)}, ratios of each repetition`,
        columns: ['', 'median', 'range'],
        rows: [
          ['time', ...ratioOf(millis('many'), millis('few'))],
          ['PostgreSQL CPU', ...ratioOf(cpu('many'), cpu('few'))],
        ],
      },
    ],
    verdicts: [
      {
        target: `a turn with ${figure(many)} rules takes at most 2 × one with ${figure(few)}`,
        bound: { atMost: 2 },
        measured: median(ratios(millis('many'), millis('few'))),
      },
    ],
    raw: { turns: compared, floods },
    contenders: { outrider: { roles: 'ingest, bot and upkeep in one process' } },
    stores: ['postgres'],
  };
}

function ratioOf(ours: readonly number[], theirs: readonly number[]): [string, string] {
  const all = ratios(ours, theirs);
  return [times(median(all)), range(spread(all))];
}
