// Drains a backlog with one worker of each contender, in turn, and compares rate, CPU and log.

import type { Contender } from '../contender.ts';
import { allContenders } from '../contenders/all.ts';
import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { type Measurement, measureDrain } from '../measure.ts';
import { isChosen } from '../options.ts';
import { proseOf } from '../post.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Table } from '../table.ts';
import type { Verdict } from '../verdict.ts';

type Series = ReadonlyMap<string, readonly Measurement[]>;

const ours = 'outrider';

/** What differs between the scenarios that drain a backlog. */
interface Variant {
  readonly statistics: boolean;
  readonly batch?: number;
  readonly text?: string;
  verdictsOf(series: Series): Verdict[];
}

export const drain: Scenario = {
  name: 'drain',
  question: 'How fast does one worker finish a backlog of jobs that do nothing, and at what cost?',
  run: (bench) =>
    compare(bench, {
      statistics: true,
      verdictsOf: (series) => [...againstEach(series), logVerdict(series)],
    }),
};

export const drain500: Scenario = {
  name: 'drain-500',
  question: 'The same in batches of 500 for everybody who batches.',
  run: (bench) =>
    compare(bench, {
      statistics: true,
      batch: 500,
      verdictsOf: (series) => [
        rateVerdict(series, 'graphile-worker, both in batches of 500', 1, ['graphile-worker']),
        logVerdict(series),
      ],
    }),
};

export const drainText: Scenario = {
  name: 'drain-text',
  question: 'The same with posts whose text has 1,500 characters.',
  run: (bench) =>
    compare(bench, { statistics: true, text: proseOf(1_500), verdictsOf: againstEach }),
};

export const burst: Scenario = {
  name: 'burst',
  question: 'The same when the backlog came too fast for autovacuum: no table has statistics yet.',
  run: (bench) => compare(bench, { statistics: false, verdictsOf: againstEach }),
};

async function compare(bench: Bench, variant: Variant): Promise<Findings> {
  const { repetitions, jobs, only } = bench.options;
  const { statistics, batch, text } = variant;
  const contenders =
    batch === undefined
      ? bench.contenders
      : allContenders(batch).filter(({ name }) => isChosen(name, only));
  const measure = async (each: Contender): Promise<Measurement> =>
    measureDrain(each, await bench.stores.get(each.store), { jobs, statistics, text });
  // A run that is not measured: Node compiles the code of all contenders, and PostgreSQL's log gets segments to recycle.
  for (const each of contenders) {
    bench.progress(`warming up ${each.name}`);
    await measure(each);
  }
  const measured = await interleave(contenders, repetitions, async (each, repetition) => {
    const measurement = await measure(each);
    const rate = figure(measurement.jobsPerSecond);
    bench.progress(`${repetition + 1}/${repetitions} ${each.name}: ${rate} jobs/s`);
    return measurement;
  });
  const series = new Map([...measured].map(([each, found]) => [each.name, found]));
  return {
    tables: [costs(series), ...(series.has(ours) ? [comparison(series)] : [])],
    verdicts: variant.verdictsOf(series),
    raw: Object.fromEntries(series),
    contenders: Object.fromEntries(contenders.map((each) => [each.name, each.settings])),
  };
}

export function costs(series: Series): Table {
  return {
    title: 'Medians (range)',
    columns: ['contender', 'jobs/s', 'range', 'store CPU µs/job', 'Node CPU µs/job', 'log B/job'],
    rows: [...series].map(([name, measurements]) => {
      const rate = spread(measurements.map((each) => each.jobsPerSecond));
      return [
        name,
        figure(rate.median),
        range(rate),
        figure(median(measurements.map((each) => each.storeCpuMicros))),
        figure(median(measurements.map((each) => each.nodeCpuMicros))),
        figure(median(measurements.map((each) => each.logBytes))),
      ];
    }),
  };
}

function comparison(series: Series): Table {
  const peers = [...series.keys()].filter((name) => name !== ours);
  return {
    title: 'outrider against each, median of the ratios of each repetition',
    columns: ['peer', 'jobs/s', 'range', 'store CPU per job', 'store and Node CPU per job'],
    rows: peers.map((peer) => {
      const rate = spread(against(series, peer, (each) => each.jobsPerSecond));
      return [
        peer,
        times(rate.median),
        range(rate),
        times(median(against(series, peer, (each) => each.storeCpuMicros))),
        times(median(against(series, peer, (each) => each.storeCpuMicros + each.nodeCpuMicros))),
      ];
    }),
  };
}

function againstEach(series: Series): Verdict[] {
  return [
    rateVerdict(series, 'graphile-worker', 0.9, ['graphile-worker']),
    rateVerdict(series, "pg-boss's better mode", 1.1, ['pg-boss-work', 'pg-boss-fetch']),
    rateVerdict(series, 'BullMQ at the same durability', 2, ['bullmq-durable']),
  ];
}

/** Of several peers, the one with which our ratio is worst decides. */
function rateVerdict(series: Series, whom: string, atLeast: number, peers: string[]): Verdict {
  const medians = peers.map((peer) => median(against(series, peer, (each) => each.jobsPerSecond)));
  return {
    target: `drain rate ≥ ${atLeast} × ${whom}`,
    bound: { atLeast },
    measured: Math.min(...medians),
  };
}

function logVerdict(series: Series): Verdict {
  return {
    target: 'log ≤ 1,400 B for each delivery',
    bound: { atMost: 1_400 },
    measured: median((series.get(ours) ?? []).map((each) => each.logBytes)),
    unit: 'B',
  };
}

function against(series: Series, peer: string, of: (each: Measurement) => number): number[] {
  return ratios((series.get(ours) ?? []).map(of), (series.get(peer) ?? []).map(of));
}
