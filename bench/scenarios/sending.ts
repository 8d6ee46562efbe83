import type { Contender, Work } from '../contender.ts';
import { bullMqSending, bullMqSendingSweep } from '../contenders/bullmq.ts';
import {
  graphileWorkerSending,
  graphileWorkerSendingSweep,
} from '../contenders/graphile-worker.ts';
import {
  outriderLimitedSending,
  outriderPacedSending,
  outriderSending,
  outriderSendingSweep,
} from '../contenders/outrider-sending.ts';
import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { measureSending, type SendingCost } from '../measure-sending.ts';
import { isChosen } from '../options.ts';
import { type Caller, openCaller } from '../provider/call.ts';
import { type Provider, startProvider } from '../provider/provider.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Table } from '../table.ts';

const deliveries = 48_000;

type Series = ReadonlyMap<string, readonly SendingCost[]>;

export const sending: Scenario = {
  name: 'sending',
  question: 'How fast does a backlog reach a provider over HTTP, until every outcome is recorded?',
  contenders: contendersWith('', async () => undefined).map(({ name }) => name),
  run: (bench) =>
    withProvider(async (provider, { send }) => {
      const chosen = choose(contendersWith(provider.url, send), bench);
      // Not measured: a first round costs more, because the contender's code is compiled in it.
      for (const each of chosen) {
        bench.progress(`warming up ${each.name}`);
        await measureSending(each, bench.stores, provider, deliveries);
      }
      const series = await measureAll(chosen, bench, provider, ({ name }) => name);
      const contenders = Object.fromEntries(chosen.map((each) => [each.name, each.settings]));
      return { ...findingsOf(series), contenders };
    }),
};

function contendersWith(url: string, send: Work): readonly Contender[] {
  return [
    outriderSending(url),
    outriderLimitedSending(url),
    outriderPacedSending(url),
    graphileWorkerSending(send),
    bullMqSending(send),
  ];
}

/** How the settings were found; run it again on a machine of another kind. */
export const sendingSweep: Scenario = {
  name: 'sending-sweep',
  question: 'With which settings does each contender send fastest?',
  run: (bench) =>
    withProvider(async (provider, { send }) => {
      const all = [
        ...outriderSendingSweep(provider.url),
        ...graphileWorkerSendingSweep(send),
        ...bullMqSendingSweep(send),
      ];
      const series = await measureAll(choose(all, bench), bench, provider, nameWithSettings);
      return { tables: [costs(series)], verdicts: [], raw: Object.fromEntries(series) };
    }),
};

function nameWithSettings({ name, settings }: Contender): string {
  return `${name} ${JSON.stringify(settings)}`;
}

async function withProvider(
  work: (provider: Provider, caller: Caller) => Promise<Findings>,
): Promise<Findings> {
  const provider = await startProvider('answerer');
  const caller = openCaller(provider.url);
  try {
    return await work(provider, caller);
  } finally {
    await caller.close();
    await provider.close();
  }
}

function choose(all: readonly Contender[], { options: { only } }: Bench): readonly Contender[] {
  return all.filter(({ name }) => isChosen(name, only));
}

async function measureAll(
  contenders: readonly Contender[],
  bench: Bench,
  provider: Provider,
  nameOf: (contender: Contender) => string,
): Promise<Series> {
  const { repetitions } = bench.options;
  const measured = await interleave(contenders, repetitions, async (each, repetition) => {
    const cost = await measureSending(each, bench.stores, provider, deliveries);
    const rate = figure(cost.jobsPerSecond);
    bench.progress(`${repetition + 1}/${repetitions} ${nameOf(each)}: ${rate} deliveries/s`);
    return cost;
  });
  return new Map([...measured].map(([each, found]) => [nameOf(each), found]));
}

function findingsOf(series: Series): Findings {
  const others = [...series.keys()].filter((name) => name !== 'outrider');
  return {
    tables: [
      costs(series),
      {
        title: 'outrider against each, median of the ratios of each repetition',
        columns: ['against', 'deliveries/s', 'range', 'CPU of store and worker'],
        rows: others.map((other) => {
          const rate = spread(against(series, 'outrider', other, rateOf));
          const cpu = median(against(series, 'outrider', other, cpuOf));
          return [other, times(rate.median), range(rate), times(cpu)];
        }),
      },
    ],
    verdicts: [
      {
        target: 'sends ≥ 0.85 × graphile-worker',
        bound: { atLeast: 0.85 },
        measured: median(against(series, 'outrider', 'graphile-worker', rateOf)),
      },
      {
        target: 'sends ≥ 1.5 × BullMQ at the same durability',
        bound: { atLeast: 1.5 },
        measured: median(against(series, 'outrider', 'bullmq-durable', rateOf)),
      },
      {
        target: 'sends ≥ 0.95 × as fast with declared limits that do not bind',
        bound: { atLeast: 0.95 },
        measured: median(against(series, 'outrider-limited', 'outrider', rateOf)),
      },
    ],
    raw: Object.fromEntries(series),
  };
}

function costs(series: Series): Table {
  return {
    title: 'Medians (range); CPU in µs for one delivery',
    columns: ['contender', 'deliveries/s', 'range', 'store', 'worker', 'provider', 'log B'],
    rows: [...series].map(([name, found]) => [
      name,
      middle(found, rateOf),
      range(spread(found.map(rateOf))),
      middle(found, (cost) => cost.storeCpuMicros),
      middle(found, (cost) => cost.nodeCpuMicros),
      middle(found, (cost) => cost.providerCpuMicros),
      middle(found, (cost) => cost.logBytes),
    ]),
  };
}

function middle(found: readonly SendingCost[], of: (cost: SendingCost) => number): string {
  return figure(median(found.map(of)));
}

function rateOf(cost: SendingCost): number {
  return cost.jobsPerSecond;
}

function cpuOf(cost: SendingCost): number {
  return cost.storeCpuMicros + cost.nodeCpuMicros;
}

function against(
  series: Series,
  name: string,
  other: string,
  of: (cost: SendingCost) => number,
): number[] {
  return ratios((series.get(name) ?? []).map(of), (series.get(other) ?? []).map(of));
}
