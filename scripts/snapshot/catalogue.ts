import { z } from 'zod';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';

const row = z.object({ statement: z.string() });

/** Runs a catalogue query whose rows are the statements to print. */
export async function statements(client: Queryable, text: string): Promise<string[]> {
  const rows = await queryRows(client, row, text);
  return rows.map((each) => each.statement);
}

/** The schema's relations, without the partitions that are named for a date. */
export const relations = `(
  select c.* from pg_class c
  where c.relnamespace = 'outrider'::regnamespace
    and not (c.relispartition and c.relname ~ '_[0-9]{4}_?[0-9]{2}(_?[0-9]{2})?$')
)`;

/** Whether an object calls a function of the schema, and so has to come after it. */
export function callsFunction(classId: string, objectId: string): string {
  return `exists (
    select from pg_depend d join pg_proc p on d.refclassid = 'pg_proc'::regclass and p.oid = d.refobjid
    where d.classid = '${classId}'::regclass and d.objid = ${objectId}
      and p.pronamespace = 'outrider'::regnamespace
  )`;
}
