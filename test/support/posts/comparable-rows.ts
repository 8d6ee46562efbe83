// Makes the answers and rows of several workspaces comparable. Each id becomes a number, in the order in which answers
// name the ids; each time of this century becomes the mark `(time)`.

import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';

const anId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const aTime = /20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;

/** A name for each id, numbered in the order in which answers mention the ids. */
export type Names = Map<string, string>;

/** An answer as text. An id that no earlier answer mentioned gets the next name. */
export function comparableAnswer(answer: unknown, names: Names): string {
  return JSON.stringify(answer)
    .replace(anId, (id) => {
      const name = names.get(id) ?? `id ${names.size + 1}`;
      names.set(id, name);
      return name;
    })
    .replace(aTime, '(time)');
}

/** The order of the rows of a table; undefined means that they are compared as a set. */
const orders = {
  messages: undefined,
  deliveries: 'channel_id, seq',
  delivery_queue: 'channel_id, available_at, seq',
  events: undefined,
  media_origin: undefined,
  ingress_receipts: undefined,
  ingest_runs: undefined,
} as const;

/** The rows of a workspace as texts. Ids that no answer has mentioned all become `(id)`. */
export async function comparableRows(
  client: Queryable,
  table: keyof typeof orders,
  workspaceId: string,
  names: Names,
): Promise<string[]> {
  const order = orders[table];
  const rows = await queryRows(
    client,
    z.object({ row: z.string() }),
    `select (to_jsonb(t) - '{workspace_id,seq,receipt_id}'::text[])::text as row from outrider.${table} t
     where workspace_id = $1 ${order === undefined ? '' : `order by ${order}`}`,
    [workspaceId],
  );
  const texts = rows.map(({ row }) =>
    row.replace(anId, (id) => names.get(id) ?? '(id)').replace(aTime, '(time)'),
  );
  return order === undefined ? texts.toSorted() : texts;
}

/** The first place at which two lists differ; undefined if they are equal. */
export function firstDifference(
  one: readonly string[],
  other: readonly string[],
): { at: number; one: string | undefined; other: string | undefined } | undefined {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    if (one[at] !== other[at]) return { at, one: one[at], other: other[at] };
  }
  return undefined;
}
