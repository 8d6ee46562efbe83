// What /metrics shows of the database.

import { z } from 'zod';
import { at, callForRow, callFunction } from './call.ts';
import { time } from './columns.ts';
import type { Queryable } from './pool.ts';

const Counted = z
  .object({ counted_to: time.nullable(), is_behind: z.boolean() })
  .transform((row) => ({ countedTo: row.counted_to, isBehind: row.is_behind }));

/** How far the counters have come; `countedTo` is null when another process counts. */
export type Counted = z.output<typeof Counted>;

/** Adds what has happened since the last call to the counters. */
export async function countMetrics(client: Queryable, now?: string): Promise<Counted> {
  return callForRow(client, { name: 'count_metrics', args: at(now, []), row: Counted });
}

const MetricSample = z.object({
  metric: z.string(),
  labels: z.record(z.string(), z.string()),
  value: z.number(),
});

/** One value of one metric. */
export type MetricSample = z.output<typeof MetricSample>;

export interface MetricLimits {
  /** How many workspaces have values of their own; the counters of the others are summed up. */
  readonly workspaceLimit: number;
  /** How many channels, and how many pull sources, have values of their own. */
  readonly channelLimit: number;
}

/** All counters, and how things stand now. */
export async function readMetrics(
  client: Queryable,
  limits: MetricLimits,
  now?: string,
): Promise<MetricSample[]> {
  return callFunction(client, {
    name: 'read_metrics',
    args: at(now, [limits.workspaceLimit, limits.channelLimit]),
    row: MetricSample,
  });
}
