// What PostgreSQL's catalogue says about schema outrider, for tests that must cover everything that is added to it.

import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRows } from '../../../src/db/query-rows.ts';

const Argument = z.object({ name: z.string(), type: z.string(), mode: z.string() });

const Routine = z
  .object({
    name: z.string(),
    owner: z.string(),
    definer: z.boolean(),
    settings: z.array(z.string()),
    grantees: z.array(z.string()),
    defaults: z.number(),
    args: z.array(Argument),
  })
  .transform(({ args, ...row }) => {
    const given = args.filter((arg) => arg.mode !== 't' && arg.mode !== 'o');
    const columns = args.filter((arg) => arg.mode === 't' || arg.mode === 'o');
    return {
      ...row,
      args: given,
      /** A function that returns a single value has one column, named like the function. */
      columns: columns.length === 0 ? [row.name] : columns.map((column) => column.name),
      returnsValue: columns.length === 0,
      isPublic: row.grantees.some((grantee) => outriderRoles.includes(grantee)),
      /** Whether Outrider's own processes may call it. */
      isForServices: row.grantees.some(
        (grantee) => outriderRoles.includes(grantee) && !notOfServices.includes(grantee),
      ),
    };
  });

export type Routine = z.output<typeof Routine>;

/** Granted to logins by name. */
const notOfServices = ['outrider_retention', 'outrider_privileged'];

const outriderRoles = [
  'outrider_ingest',
  'outrider_worker',
  'outrider_reader',
  'outrider_service',
  'outrider_emitter',
  'outrider_publisher',
  'outrider_consumer',
  'outrider_retention',
  'outrider_privileged',
];

/** Every function of the schema; `grantees` are the roles that may execute it, PUBLIC included. */
export async function routines(client: Queryable): Promise<Routine[]> {
  return queryRows(
    client,
    Routine,
    `select
       p.proname as name,
       pg_get_userbyid(p.proowner) as owner,
       p.prosecdef as definer,
       coalesce(p.proconfig, '{}') as settings,
       array(
         select case g.grantee when 0 then 'PUBLIC' else pg_get_userbyid(g.grantee)::text end
         from aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
         order by 1
       ) as grantees,
       p.pronargdefaults::integer as defaults,
       (
         select coalesce(jsonb_agg(jsonb_build_object(
           'name', coalesce(a.name, ''), 'type', format_type(a.type, null), 'mode', coalesce(a.mode, 'i')
         ) order by a.place), '[]')
         from unnest(p.proargnames, coalesce(p.proallargtypes, p.proargtypes::oid[]), p.proargmodes::text[])
           with ordinality as a (name, type, mode, place)
       ) as args
     from pg_proc p
     where p.pronamespace = 'outrider'::regnamespace
     order by p.proname, p.oid`,
  );
}

/** The functions that one of Outrider's roles may call. */
export async function publicFunctions(client: Queryable): Promise<Routine[]> {
  return (await routines(client)).filter((routine) => routine.isPublic);
}

const Table = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  tenant: z.boolean(),
  partition: z.boolean(),
  owner: z.string(),
  enabled: z.boolean(),
  forced: z.boolean(),
});

export type Table = z.output<typeof Table>;

/** Every table and partition. `tenant`: it has a workspace_id. `enabled` and `forced`: of row level security. */
export async function tables(client: Queryable): Promise<Table[]> {
  return queryRows(
    client,
    Table,
    `select
       c.relname as name,
       a.columns,
       'workspace_id' = any (a.columns) as tenant,
       c.relispartition as partition,
       pg_get_userbyid(c.relowner) as owner,
       c.relrowsecurity as enabled,
       c.relforcerowsecurity as forced
     from pg_class c
     cross join lateral (
       select array_agg(x.attname::text order by x.attnum) as columns
       from pg_attribute x
       where x.attrelid = c.oid and x.attnum > 0 and not x.attisdropped
     ) a
     where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('r', 'p')
     order by c.relname`,
  );
}

const Checksum = z.object({ name: z.string(), checksum: z.string() });

/** A checksum of the rows of each table. If it is the same before and after, nothing changed. */
export async function checksums(client: Queryable): Promise<Record<string, string>> {
  const each = (await tables(client)).map(
    ({ name }) => `
      select '${name}' as name, md5(coalesce(string_agg(t::text, chr(10) order by t::text), '')) as checksum
      from outrider.${name} t`,
  );
  const rows = await queryRows(client, Checksum, each.join(' union all '));
  return Object.fromEntries(rows.map((row) => [row.name, row.checksum]));
}
