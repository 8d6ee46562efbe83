// What the database tells: counters that outlive every process, and how things stand now.

import { type MetricSample, readMetrics } from '../db/metrics.ts';
import type { Queryable } from '../db/pool.ts';
import { metrics } from './catalogue.ts';
import type { Family } from './text-format.ts';

/** More series than these are a burden to Prometheus, and no help to those who look at them. */
const limits = { workspaceLimit: 100, channelLimit: 500 } as const;

export interface DatabaseMetrics {
  /** Undefined when the database does not answer in time. Scrapes at the same time share one answer. */
  families(): Promise<readonly Family[] | undefined>;
}

/** How long a scrape waits for the database: less than Prometheus waits for a scrape. */
const patienceMs = 5000;

export function readDatabase(client: () => Queryable): DatabaseMetrics {
  let asking: Promise<readonly MetricSample[]> | undefined;

  function ask(): Promise<readonly MetricSample[]> {
    asking ??= readMetrics(client(), limits).finally(() => (asking = undefined));
    return asking;
  }

  return {
    async families() {
      const { promise: late, resolve } = Promise.withResolvers<undefined>();
      const timer = setTimeout(() => resolve(undefined), patienceMs);
      const samples = await Promise.race([ask().catch(() => undefined), late]);
      clearTimeout(timer);
      return samples === undefined ? undefined : familiesOf(samples);
    },
  };
}

function familiesOf(samples: readonly MetricSample[]): readonly Family[] {
  const byName = Map.groupBy(samples, ({ metric }) => metric);
  return metrics
    .filter(({ source }) => source === 'database')
    .map(({ name, type, help }) => ({ name, type, help, samples: byName.get(name) ?? [] }));
}
