// What one process measures of its own work. Counts begin anew with the process.

import type { Watcher } from '../observer.ts';
import { metricNamed } from './catalogue.ts';
import {
  type Counter,
  createCounter,
  createGauge,
  createHistogram,
  type Histogram,
  type Instrument,
  type Sample,
} from './instruments.ts';
import { readNode } from './node-metrics.ts';
import type { Family } from './text-format.ts';

/** A pool of connections, as the driver counts them. */
export interface PoolUse {
  readonly totalCount: number;
  readonly idleCount: number;
  readonly waitingCount: number;
}

export interface ProcessMetrics extends Watcher {
  /** Counts the connections of a pool. */
  watchPool(purpose: string, pool: PoolUse): void;
  /** Counts spans that left, or that were dropped. */
  countSpans(outcome: 'exported' | 'dropped', spans: number): void;
  families(): readonly Family[];
  /** Ends what measures by itself. */
  stop(): void;
}

const calls = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;
const sends = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60] as const;
const waits = [
  0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600, 14_400, 86_400,
] as const;

export function createProcessMetrics(version: string): ProcessMetrics {
  const instruments = new Map<string, Instrument>();
  const pools = new Map<string, PoolUse>();
  const node = readNode();

  function histogram(name: string, bounds: readonly number[]): Histogram {
    const made = createHistogram(bounds, metricNamed(name).labels);
    instruments.set(name, made);
    return made;
  }
  function counter(name: string): Counter {
    const made = createCounter(metricNamed(name).labels);
    instruments.set(name, made);
    return made;
  }
  function gauge(name: string, read: () => readonly Sample[] | number): void {
    instruments.set(name, createGauge(read));
  }

  gauge('outrider_build_info', () => [{ labels: { version }, value: 1 }]);
  const intake = histogram('outrider_intake_duration_seconds', calls);
  const claim = histogram('outrider_claim_duration_seconds', calls);
  const claimed = counter('outrider_claimed_deliveries_total');
  const send = histogram('outrider_send_duration_seconds', sends);
  const commit = histogram('outrider_commit_duration_seconds', calls);
  const delivery = histogram('outrider_delivery_duration_seconds', waits);
  const reply = histogram('outrider_bot_reply_duration_seconds', sends);
  const publish = histogram('outrider_outbox_publish_duration_seconds', sends);
  const publishFailures = counter('outrider_outbox_publish_failures_total');
  const request = histogram('outrider_http_request_duration_seconds', calls);
  const spans = counter('outrider_trace_spans_total');
  // From the start, so that the first one that is dropped can be seen.
  for (const outcome of ['exported', 'dropped']) spans.add(0, outcome);
  let underWay = 0;
  gauge('outrider_sends_in_progress', () => underWay);
  gauge('outrider_pool_connections', () =>
    [...pools].flatMap(([purpose, { totalCount, idleCount }]) => [
      { labels: { purpose, state: 'idle' }, value: idleCount },
      { labels: { purpose, state: 'busy' }, value: totalCount - idleCount },
    ]),
  );
  gauge('outrider_pool_waiting', () =>
    [...pools].map(([purpose, pool]) => ({ labels: { purpose }, value: pool.waitingCount })),
  );
  for (const [name, read] of Object.entries(node.gauges)) gauge(name, read);

  return {
    request({ method, route, status, durationMs }) {
      request.observe(durationMs / 1000, method, route ?? 'none', String(status));
    },
    post({ way, startedAt, endedAt, kept }) {
      if (way !== 'push') return;
      intake.observe((endedAt - startedAt) / 1000, kept === undefined ? 'refused' : 'kept');
    },
    claim({ startedAt, deliveries }) {
      claim.observe(since(startedAt));
      claimed.add(deliveries);
    },
    sendStarted() {
      underWay += 1;
    },
    sendEnded() {
      underWay -= 1;
    },
    send({ startedAt, platform, result }) {
      send.observe(since(startedAt), platform, result);
    },
    attempt({ platform, result, sendStartedAt, sendEndedAt, became, notBefore }) {
      send.observe((sendEndedAt - sendStartedAt) / 1000, platform, result);
      if (became === 'sent') delivery.observe(secondsSince(notBefore), platform);
    },
    commit({ startedAt }) {
      commit.observe(since(startedAt));
    },
    reply({ startedAt, platform, result }) {
      reply.observe(since(startedAt), platform, result);
    },
    publish({ startedAt, failed }) {
      publish.observe(since(startedAt));
      publishFailures.add(failed);
    },
    watchPool: (purpose, pool) => void pools.set(purpose, pool),
    countSpans: (outcome, count) => spans.add(count, outcome),
    families: () =>
      [...instruments].map(([name, instrument]) => {
        const { type, help } = metricNamed(name);
        return { name, type, help, samples: instrument.samples() };
      }),
    stop: () => node.stop(),
  };
}

function since(startedAt: number): number {
  return (performance.now() - startedAt) / 1000;
}

let lastRead = { text: '', ms: 0 };

/** Two clocks are compared, that of the database and ours: they may differ by a moment. */
function secondsSince(text: string): number {
  // All deliveries of a post have the same time: most are read once.
  if (lastRead.text !== text) {
    const iso = text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00');
    lastRead = { text, ms: Date.parse(iso) };
  }
  return Math.max(0, Date.now() - lastRead.ms) / 1000;
}
