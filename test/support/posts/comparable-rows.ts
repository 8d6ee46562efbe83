// Answers and rows of several workspaces in a form in which they can be compared: an id is replaced by its place in
// the order in which answers name them, a time of this century by a mark.

import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';

const anId = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;
const aTime = /20\d\d-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)/g;

/** The names of ids, in the order in which answers have named them. */
export type Names = Map<string, string>;

/** An answer as text. Ids that it is the first to name get their names. */
export function answerAlike(answer: unknown, names: Names): string {
  return JSON.stringify(answer)
    .replace(anId, (id) => {
      const name = names.get(id) ?? `id ${names.size + 1}`;
      names.set(id, name);
      return name;
    })
    .replace(aTime, '(time)');
}

/** Rows that have an order of their own; all others are compared as a set. */
const orders = {
  messages: undefined,
  deliveries: 'channel_id, seq',
  delivery_queue: 'channel_id, available_at, seq',
  events: undefined,
  media_origin: undefined,
  ingress_receipts: undefined,
  ingest_runs: undefined,
} as const;

/** The rows of a workspace as texts. An id that no answer has named is the same as any other such id. */
export async function rowsAlike(
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

/** Where two lists part; undefined: nowhere. */
export function firstDifference(
  one: readonly string[],
  other: readonly string[],
): { at: number; one: string | undefined; other: string | undefined } | undefined {
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    if (one[at] !== other[at]) return { at, one: one[at], other: other[at] };
  }
  return undefined;
}
