// Taking the items of pull sources in.

import { z } from 'zod';
import { at, callForValue, json } from './call.ts';
import { AcceptedItem, RejectedItem } from './intake.ts';
import type { Queryable } from './pool.ts';

const TakenItem = z.intersection(
  z.object({ item_ref: z.string() }).transform((row) => ({ itemRef: row.item_ref })),
  z.discriminatedUnion('verdict', [
    AcceptedItem,
    RejectedItem,
    z.object({ verdict: z.literal('already_taken') }),
  ]),
);

const PulledChunk = z
  .object({ run_id: z.string(), items: z.array(TakenItem) })
  .transform((row) => ({ runId: row.run_id, items: row.items }));

export type PulledChunk = z.output<typeof PulledChunk>;

/** One thing that a source had; `itemRef` is the source's own name for it. */
export interface PulledItem {
  readonly itemRef: string;
  readonly payload: unknown;
}

/** Takes a chunk of a source in and moves its cursor: both or neither. */
export async function ingestPullChunk(
  client: Queryable,
  chunk: {
    workspaceId: string;
    sourceId: string;
    items: readonly PulledItem[];
    cursorTo: Readonly<Record<string, unknown>> | null;
  },
  now?: string,
): Promise<PulledChunk> {
  const items = chunk.items.map((item) => ({ item_ref: item.itemRef, payload: item.payload }));
  const cursorTo = chunk.cursorTo === null ? null : json(chunk.cursorTo);
  return callForValue(client, {
    name: 'ingest_pull_chunk',
    args: at(now, [chunk.workspaceId, chunk.sourceId, json(items), cursorTo]),
    row: PulledChunk,
  });
}
