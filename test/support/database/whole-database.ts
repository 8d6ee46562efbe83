// Everything that schema outrider holds, in one value: equal before and after means that nothing was written.

import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';

/** For each table the number and the hash of its rows, and for each sequence where it stands. */
export async function wholeDatabase(admin: Queryable): Promise<Record<string, string>> {
  const names = await queryRows(
    admin,
    z.object({ name: z.string(), kind: z.string() }),
    `select c.relname as name, c.relkind as kind from pg_catalog.pg_class c
     where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('r', 'p', 'S') order by 1`,
  );
  const held: Record<string, string> = {};
  for (const { name, kind } of names) {
    const [row] = await queryRows(
      admin,
      z.object({ held: z.string() }),
      kind === 'S'
        ? `select last_value || ' ' || is_called as held from outrider."${name}"`
        : `select count(*) || ' ' || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as held from outrider."${name}" t`,
    );
    held[name] = row?.held ?? '';
  }
  return held;
}
