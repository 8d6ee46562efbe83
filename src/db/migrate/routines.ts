// What the catalogue says about the schema's functions, and how they are dropped.

import { z } from 'zod';
import type { Queryable } from '../pool.ts';
import { queryRows } from '../query-rows.ts';
import { fileFault } from './faults.ts';
import type { SqlFile } from './files.ts';
import { dropViews } from './views.ts';

const routine = z.object({
  oid: z.number(),
  name: z.string(),
  signature: z.string(),
  /** Which version of the catalogue row this is: any create or replace makes a new one. */
  version: z.string(),
});
export type Routine = z.output<typeof routine>;

/** Every function of the schema, except those that an extension brought along; or only those of some ids, or of a name. */
export function listRoutines(
  client: Queryable,
  { oids, name }: { readonly oids?: readonly number[]; readonly name?: string } = {},
): Promise<Routine[]> {
  return queryRows(
    client,
    routine,
    `select p.oid, p.proname::text as name, p.oid::regprocedure::text as signature,
            p.ctid::text as version
     from pg_catalog.pg_proc p
     where p.pronamespace = 'outrider'::regnamespace
       ${oids === undefined ? '' : 'and p.oid = any ($1)'} ${name === undefined ? '' : 'and p.proname = $1'}
       and not exists (select from pg_catalog.pg_depend d
                       where d.classid = 'pg_proc'::regclass and d.objid = p.oid and d.deptype = 'e')
     order by p.oid`,
    [oids, name].filter((each) => each !== undefined),
  );
}

/** By the id of each function, which version of its row there is. One text: this is asked after every file. */
export async function routineVersions(client: Queryable): Promise<ReadonlyMap<number, string>> {
  const [row] = await queryRows(
    client,
    z.object({ versions: z.string().nullable() }),
    `select string_agg(p.oid || ' ' || p.ctid, ';') as versions
     from pg_catalog.pg_proc p where p.pronamespace = 'outrider'::regnamespace`,
  );
  const entries = row?.versions?.split(';') ?? [];
  return new Map(
    entries.map((entry) => {
      const [oid = '', version = ''] = entry.split(' ');
      return [Number(oid), version];
    }),
  );
}

const trigger = z.object({
  label: z.string(),
  name: z.string(),
  table: z.string(),
  version: z.string(),
});
export type Trigger = z.output<typeof trigger>;

/** The triggers that call any overload of a function; copies on partitions follow their parent. */
export function listTriggers(client: Queryable, functionName: string): Promise<Trigger[]> {
  return queryRows(
    client,
    trigger,
    `select t.tgname || ' on ' || t.tgrelid::regclass as label, quote_ident(t.tgname) as name,
            t.tgrelid::regclass::text as table, t.ctid::text as version
     from pg_catalog.pg_trigger t
     join pg_catalog.pg_proc p on p.oid = t.tgfoid
     where p.pronamespace = 'outrider'::regnamespace and p.proname = $1
       and not t.tgisinternal and t.tgparentid = 0
     order by label`,
    [functionName],
  );
}

export async function dropTriggers(client: Queryable, triggers: readonly Trigger[]): Promise<void> {
  for (const each of triggers) await client.query(`drop trigger ${each.name} on ${each.table}`);
}

/**
 * Drops one function. Views of ours that use it go with it and are created again by their files;
 * anything else that depends on it is an error, since nothing would bring it back.
 */
export async function dropRoutine(
  client: Queryable,
  each: Pick<Routine, 'oid' | 'signature'>,
  file: SqlFile,
  viewNames: readonly string[],
): Promise<void> {
  const using = await queryRows(
    client,
    z.object({ name: z.string() }),
    `select distinct v.relname::text as name
     from pg_catalog.pg_depend d
     join pg_catalog.pg_rewrite r on d.classid = 'pg_rewrite'::regclass and r.oid = d.objid
     join pg_catalog.pg_class v on v.oid = r.ev_class
     where d.refclassid = 'pg_proc'::regclass and d.refobjid = $1 and v.relnamespace = 'outrider'::regnamespace`,
    [each.oid],
  );
  try {
    if (using.some((view) => viewNames.includes(view.name))) await dropViews(client, viewNames);
    await client.query(`drop routine ${each.signature}`);
  } catch (error) {
    throw fileFault(file, error);
  }
}
