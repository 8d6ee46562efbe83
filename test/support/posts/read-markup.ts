import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';
import type { Reading } from '../oracles/markup-reading.ts';

const reading = z.object({
  visible: z.string().nullable(),
  flat: z.string().nullable(),
  fault: z.string().nullable(),
  firstEntity: z
    .number()
    .nullable()
    .transform((byte) => byte ?? undefined),
});

/** What the database makes of each text. */
export async function readMarkup(
  client: Queryable,
  dialect: string | null,
  texts: readonly (string | null)[],
): Promise<Reading[]> {
  return queryRows(
    client,
    reading,
    `select r.visible, r.flat, r.fault, r.first_entity as "firstEntity"
     from unnest($1::text[]) with ordinality as t (text, place)
     cross join lateral outrider.read_markup(t.text, $2) as r
     order by t.place`,
    [texts, dialect],
  );
}
