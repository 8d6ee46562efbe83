// Upkeep of the event log.

import { z } from 'zod';
import { at, callFunction } from './call.ts';
import type { Queryable } from './pool.ts';

const Partition = z.object({ ensure_event_partitions: z.string() });

/** Makes the partitions of the days ahead; answers with those that were missing. */
export async function ensureEventPartitions(
  client: Queryable,
  daysAhead: number,
  now?: string,
): Promise<string[]> {
  const rows = await callFunction(client, {
    name: 'ensure_event_partitions',
    args: at(now, [daysAhead]),
    row: Partition,
  });
  return rows.map((row) => row.ensure_event_partitions);
}
