import type { Contender } from '../contender.ts';
import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import { type Measurement, measureDrain } from '../measure.ts';
import type { Bench, Findings, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Table } from '../table.ts';
import type { Verdict } from '../verdict.ts';

type Series = ReadonlyMap<string, readonly Measurement[]>;

const ours = 'outrider';
const warmUpJobs = 10_000;

export const drain: Scenario = {
  name: 'drain',
  question: 'How fast does one worker finish a backlog of jobs that do nothing, and at what cost?',
  run: (bench) => compare(bench, true),
};

export const burst: Scenario = {
  name: 'burst',
  question: 'The same when the backlog came too fast for autovacuum: no table has statistics yet.',
  run: (bench) => compare(bench, false),
};

async function compare(bench: Bench, statistics: boolean): Promise<Findings> {
  for (const contender of bench.contenders) await warmUp(contender, bench, statistics);
  const { repetitions, jobs } = bench.options;
  const measured = await interleave(bench.contenders, repetitions, async (each, repetition) => {
    const store = await bench.stores.get(each.store);
    const measurement = await measureDrain(each, store, jobs, statistics);
    const rate = figure(measurement.jobsPerSecond);
    bench.progress(`${repetition + 1}/${repetitions} ${each.name}: ${rate} jobs/s`);
    return measurement;
  });
  return findingsOf(new Map([...measured].map(([each, series]) => [each.name, series])));
}

/** Unmeasured: compiles the contender's code and fills PostgreSQL's log with segments to recycle. */
async function warmUp(contender: Contender, bench: Bench, statistics: boolean): Promise<void> {
  bench.progress(`warming up ${contender.name}`);
  const jobs = Math.min(warmUpJobs, bench.options.jobs);
  await measureDrain(contender, await bench.stores.get(contender.store), jobs, statistics);
}

function findingsOf(series: Series): Findings {
  return {
    tables: [costs(series), ...(series.has(ours) ? [comparison(series)] : [])],
    verdicts: [
      verdict(series, 'drain rate ≥ 1.0 × graphile-worker', 1, ['graphile-worker']),
      verdict(series, "drain rate ≥ 1.1 × pg-boss's better mode", 1.1, [
        'pg-boss-work',
        'pg-boss-fetch',
      ]),
      verdict(series, 'drain rate ≥ 2 × BullMQ at the same durability', 2, ['bullmq-durable']),
    ],
    raw: Object.fromEntries(series),
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

/** Judged against the peer that we compare worst with. */
function verdict(series: Series, target: string, atLeast: number, peers: string[]): Verdict {
  const medians = peers.map((peer) => median(against(series, peer, (each) => each.jobsPerSecond)));
  return { target, bound: { atLeast }, measured: Math.min(...medians) };
}

function against(series: Series, peer: string, of: (each: Measurement) => number): number[] {
  return ratios((series.get(ours) ?? []).map(of), (series.get(peer) ?? []).map(of));
}
