import { figure, range, times } from '../figures.ts';
import { interleave } from '../interleave.ts';
import {
  batchSize as backlogBatch,
  type Ground,
  type MakeGround,
  measureGrounds,
  outriderGround,
  peerGround,
} from '../outbox/backlog.ts';
import { measureLatency, type PublishLatency } from '../outbox/latency.ts';
import type { Outbox } from '../outbox/outbox.ts';
import { bestBatch, outriderOutbox } from '../outbox/outrider.ts';
import { bestSettings, pgTransactionalOutbox } from '../outbox/pg-transactional-outbox.ts';
import { measureThroughput, type Throughput } from '../outbox/throughput.ts';
import { type TopicKind, topicKinds } from '../outbox/topic.ts';
import type { Bench, Scenario } from '../scenario.ts';
import { median, ratios, spread } from '../statistics.ts';
import type { Table } from '../table.ts';
import type { Verdict } from '../verdict.ts';

/** One outbox on one broker. */
export interface Pairing {
  readonly outbox: Outbox;
  readonly kind: TopicKind;
}

type Series<Measured> = ReadonlyMap<Pairing, readonly Measured[]>;

const mostEvents = 20_000;
const warmUpEvents = 3000;
const shortBacklog = 1000;
const longBacklog = 1_000_000;
const ours = 'outrider';
const peer = 'pg-transactional-outbox';

export const publish: Scenario = {
  name: 'publish',
  question: 'How fast do events get from the outbox to a broker, one by one and as a backlog?',
  async run(bench) {
    const throughput = await compareThroughput(bench);
    const latency = await compareLatency(bench);
    const backlog = await compareBacklogs(bench);
    return {
      tables: [
        ...topicKinds.map((kind) => throughputTable(throughput, kind)),
        latencyTable(latency),
        backlog.table,
      ],
      verdicts: [
        ...topicKinds.map((kind) => throughputVerdict(throughput, kind)),
        ...topicKinds.map((kind) => latencyVerdict(latency, kind)),
        backlog.verdict,
      ],
      raw: { throughput: named(throughput), latency: named(latency), backlog: backlog.raw },
      stores: ['postgres', ...topicKinds],
      contenders: {
        ...settingsOf('throughput', throughputOutboxes(bench)),
        ...settingsOf('latency', latencyOutboxes),
      },
    };
  },
};

function settingsOf(of: string, outboxes: readonly Outbox[]): Record<string, Outbox['settings']> {
  return Object.fromEntries(outboxes.map(({ name, settings }) => [`${of}: ${name}`, settings]));
}

function throughputOutboxes({ options: { batch } }: Bench): Outbox[] {
  const batchSize = batch ?? bestBatch;
  return [
    outriderOutbox({ batchSize, order: 'none' }),
    outriderOutbox({ batchSize, order: 'aggregate' }),
    pgTransactionalOutbox({ ...bestSettings, batchSize: batch ?? bestSettings.batchSize }),
  ];
}

async function compareThroughput(bench: Bench): Promise<Series<Throughput>> {
  const pairings = pairingsOf(throughputOutboxes(bench));
  const { jobs, repetitions } = bench.options;
  for (const { outbox, kind } of pairings) {
    bench.progress(`warming up ${outbox.name} on ${kind}`);
    await measureThroughput(outbox, bench.stores, kind, Math.min(jobs, warmUpEvents));
  }
  return interleave(pairings, repetitions, async ({ outbox, kind }, repetition) => {
    const events = Math.min(jobs, mostEvents);
    const found = await measureThroughput(outbox, bench.stores, kind, events);
    const rate = figure(found.eventsPerSecond);
    bench.progress(`${repetition + 1}/${repetitions} ${outbox.name} on ${kind}: ${rate} events/s`);
    return found;
  });
}

// The polling interval is a choice between latency and CPU, so both ends are measured.
const latencyOutboxes: readonly Outbox[] = [
  outriderOutbox({ batchSize: 50, order: 'none' }),
  ...[1, 10].map((pollMs) => {
    const settings = { batchSize: 50, connections: 10, pollMs };
    return { ...pgTransactionalOutbox(settings), name: `${peer}, polls every ${pollMs} ms` };
  }),
];

async function compareLatency(bench: Bench): Promise<Series<PublishLatency>> {
  const { repetitions } = bench.options;
  const pairings = pairingsOf(latencyOutboxes);
  return interleave(pairings, repetitions, async ({ outbox, kind }, repetition) => {
    const found = await measureLatency(outbox, bench.stores, kind);
    const figures = `p50 ${figure(found.p50)} ms, p99 ${figure(found.p99)} ms`;
    bench.progress(`${repetition + 1}/${repetitions} ${outbox.name} on ${kind}: ${figures}`);
    return found;
  });
}

function pairingsOf(outboxes: readonly Outbox[]): Pairing[] {
  return topicKinds.flatMap((kind) => outboxes.map((outbox) => ({ outbox, kind })));
}

async function compareBacklogs(bench: Bench) {
  const { repetitions } = bench.options;
  const outrider = await measureBacklog(bench, outriderGround, repetitions);
  // Each takes seconds, and a few tell enough.
  const peers = await measureBacklog(bench, peerGround, 1, 3);
  const table: Table = {
    title: `ms for a batch of ${backlogBatch}, median`,
    columns: ['', `${figure(shortBacklog)} wait`, `${figure(longBacklog)} wait`, 'ratio'],
    rows: [backlogRow(ours, outrider), backlogRow(`${peer}, its fetch alone`, peers)],
  };
  const verdict: Verdict = {
    target: 'a batch with 1M unpublished events takes ≤ 1.10 × one with 1,000',
    bound: { atMost: 1.1 },
    measured: median(ratios(outrider.long, outrider.short)),
  };
  return { table, verdict, raw: { [ours]: outrider, [peer]: peers } };
}

interface Backlogs {
  readonly short: number[];
  readonly long: number[];
}

function backlogRow(name: string, { short, long }: Backlogs): string[] {
  const ratio = times(median(ratios(long, short)));
  return [name, figure(median(short)), figure(median(long)), ratio];
}

async function measureBacklog(
  bench: Bench,
  makeGround: MakeGround,
  repetitions: number,
  batches?: number,
): Promise<Backlogs> {
  const store = await bench.stores.get('postgres');
  const grounds: Ground[] = [];
  try {
    for (const waiting of [shortBacklog, longBacklog]) {
      bench.progress(`writing ${figure(waiting)} events that wait`);
      grounds.push(await makeGround(store, waiting));
    }
    await measureGrounds(grounds, batches); // unmeasured: to warm up
    const found: Backlogs = { short: [], long: [] };
    for (let repetition = 0; repetition < repetitions; repetition += 1) {
      const [short = Number.NaN, long = Number.NaN] = await measureGrounds(grounds, batches);
      bench.progress(`${repetition + 1}/${repetitions} ${figure(short)} ms, ${figure(long)} ms`);
      found.short.push(short);
      found.long.push(long);
    }
    return found;
  } finally {
    for (const ground of grounds) await ground.close();
  }
}

export function throughputTable(series: Series<Throughput>, kind: TopicKind): Table {
  const of = [...series].filter(([pairing]) => pairing.kind === kind);
  return {
    title: `A backlog to ${kind}: medians (range), CPU in µs per event`,
    columns: ['outbox', 'events/s', 'range', 'PostgreSQL', 'Node', 'broker', 'log B/event'],
    rows: of.map(([{ outbox }, found]) => [
      outbox.name,
      middle(found, 'eventsPerSecond'),
      range(spread(found.map((each) => each.eventsPerSecond))),
      middle(found, 'postgresMicros'),
      middle(found, 'nodeMicros'),
      middle(found, 'brokerMicros'),
      middle(found, 'logBytes'),
    ]),
  };
}

function middle(found: readonly Throughput[], key: keyof Throughput): string {
  return figure(median(found.map((each) => each[key])));
}

function latencyTable(series: Series<PublishLatency>): Table {
  return {
    title: 'From the commit to the confirmation, ms: medians (range)',
    columns: ['outbox', 'broker', 'p50', 'range', 'p99', 'range', 'CPU at rest'],
    rows: [...series].map(([{ outbox, kind }, found]) => [
      outbox.name,
      kind,
      figure(median(found.map((each) => each.p50))),
      range(spread(found.map((each) => each.p50))),
      figure(median(found.map((each) => each.p99))),
      range(spread(found.map((each) => each.p99))),
      `${figure(median(found.map((each) => each.idlePercent)))} %`,
    ]),
  };
}

function throughputVerdict(series: Series<Throughput>, kind: TopicKind): Verdict {
  const rates = (name: string): number[] =>
    measuredOf(series, kind, name).map((each) => each.eventsPerSecond);
  return {
    target: `events/s to ${kind} ≥ 3 × ${peer}`,
    bound: { atLeast: 3 },
    measured: median(ratios(rates(ours), rates(peer))),
  };
}

/** Judged against the settings of the peer with which our ratio is worst. */
function latencyVerdict(series: Series<PublishLatency>, kind: TopicKind): Verdict {
  const p50 = (name: string): number[] => measuredOf(series, kind, name).map((each) => each.p50);
  const peers = latencyOutboxes.map(({ name }) => name).filter((name) => name !== ours);
  return {
    target: `half of all events are at ${kind} sooner than with ${peer} (p50)`,
    bound: { atMost: 1 },
    measured: Math.max(...peers.map((name) => median(ratios(p50(ours), p50(name))))),
  };
}

function measuredOf<Measured>(
  series: Series<Measured>,
  kind: TopicKind,
  name: string,
): readonly Measured[] {
  for (const [pairing, measured] of series) {
    if (pairing.kind === kind && pairing.outbox.name === name) return measured;
  }
  return [];
}

function named<Measured>(series: Series<Measured>): Record<string, readonly Measured[]> {
  return Object.fromEntries(
    [...series].map(([{ outbox, kind }, measured]) => [`${outbox.name} ${kind}`, measured]),
  );
}
