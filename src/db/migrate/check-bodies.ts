import { z } from 'zod';
import type { Queryable } from '../pool.ts';
import { queryRows } from '../query-rows.ts';
import { fileFault } from './faults.ts';
import type { SqlFile } from './files.ts';

const body = z.object({ oid: z.number(), validator: z.string(), search_path: z.string() });

/**
 * Lets the languages check the bodies of the changed functions. Files are applied unchecked, so that
 * they may come in any order. Once all are there, a body with a fault must not get through.
 */
export async function checkBodies(client: Queryable, files: readonly SqlFile[]): Promise<void> {
  if (files.length === 0) return;
  await client.query('set local check_function_bodies = on');
  for (const file of files) {
    const rows = await queryRows(
      client,
      body,
      `select p.oid, l.lanvalidator::regproc::text as validator,
              coalesce((select substr(c, 13) from unnest(p.proconfig) c where c like 'search_path=%'),
                       'pg_catalog, pg_temp') as search_path
       from pg_catalog.pg_proc p
       join pg_catalog.pg_language l on l.oid = p.prolang
       where p.pronamespace = 'outrider'::regnamespace and p.proname = $1 and l.lanvalidator <> 0`,
      [file.name],
    );
    for (const each of rows) {
      // The languages look names up along the function's own path only when they create it.
      await client.query(`set local search_path = ${each.search_path}`);
      await client.query(`select ${each.validator}($1)`, [each.oid]).catch((error: unknown) => {
        throw fileFault(file, error);
      });
    }
  }
}
