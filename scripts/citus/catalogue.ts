// What the catalogue of a migrated database says about schema outrider, as far as it matters to Citus.

import { z } from 'zod';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';

const Relation = z.object({
  name: z.string(),
  kind: z.enum(['table', 'view']),
  /** Type and collation of workspace_id; null where there is none. */
  workspace: z.string().nullable(),
  /** Identity columns that are not bigint. */
  small_identities: z.array(z.string()),
  triggers: z.array(z.string()),
  /** Policies whose condition has a subquery. */
  subquery_policies: z.array(z.string()),
});

const UniqueKey = z.object({
  table: z.string(),
  name: z.string(),
  columns: z.array(z.string()),
});

const ForeignKey = z.object({
  table: z.string(),
  name: z.string(),
  columns: z.array(z.string()),
  target: z.string(),
  target_columns: z.array(z.string()),
  /** Set to null or to a default when its target goes or changes, or changed along with its target. */
  is_reset: z.boolean(),
});

const Routine = z.object({
  name: z.string(),
  /** As create_distributed_function takes it: without output arguments. */
  signature: z.string(),
  arguments: z.array(z.string()),
  /** Granted to a role other than the owner. */
  is_public: z.boolean(),
  body: z.string(),
});

export interface Catalogue {
  /** Tables and views; partitions go with their table. */
  readonly relations: readonly z.output<typeof Relation>[];
  readonly uniqueKeys: readonly z.output<typeof UniqueKey>[];
  readonly foreignKeys: readonly z.output<typeof ForeignKey>[];
  readonly routines: readonly z.output<typeof Routine>[];
}

export type Routine = z.output<typeof Routine>;

export async function readCatalogue(client: Queryable): Promise<Catalogue> {
  return {
    relations: await queryRows(client, Relation, relations),
    uniqueKeys: await queryRows(client, UniqueKey, uniqueKeys),
    foreignKeys: await queryRows(client, ForeignKey, foreignKeys),
    routines: await queryRows(client, Routine, routines),
  };
}

const relations = `
  select
    c.relname as name,
    case when c.relkind in ('r', 'p') then 'table' else 'view' end as kind,
    (
      select concat_ws(' collate ', format_type(a.atttypid, a.atttypmod), l.collname)
      from pg_attribute a
      left join pg_collation l on l.oid = a.attcollation
      where a.attrelid = c.oid and a.attname = 'workspace_id' and not a.attisdropped
    ) as workspace,
    array(
      select a.attname::text from pg_attribute a
      where a.attrelid = c.oid and a.attidentity <> '' and a.atttypid <> 'bigint'::regtype
      order by a.attnum
    ) as small_identities,
    array(
      select t.tgname::text from pg_trigger t where t.tgrelid = c.oid and not t.tgisinternal order by 1
    ) as triggers,
    array(
      select p.polname::text from pg_policy p
      where p.polrelid = c.oid and concat(p.polqual, p.polwithcheck) like '%{SUBLINK%'
      order by 1
    ) as subquery_policies
  from pg_class c
  where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('r', 'p', 'v', 'm') and not c.relispartition
  order by c.relname`;

const uniqueKeys = `
  select
    c.relname as table, i.relname as name,
    array(
      select a.attname::text from pg_attribute a
      where a.attrelid = x.indexrelid and a.attnum <= x.indnkeyatts
      order by a.attnum
    ) as columns
  from pg_index x
  join pg_class i on i.oid = x.indexrelid
  join pg_class c on c.oid = x.indrelid
  where c.relnamespace = 'outrider'::regnamespace and (x.indisunique or x.indisexclusion) and not c.relispartition
  order by 1, 2`;

const foreignKeys = `
  select
    c.relname as table, k.conname as name,
    array(
      select a.attname::text from unnest(k.conkey) with ordinality x (attnum, place)
      join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.attnum
      order by x.place
    ) as columns,
    t.relname as target,
    array(
      select a.attname::text from unnest(k.confkey) with ordinality x (attnum, place)
      join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.attnum
      order by x.place
    ) as target_columns,
    k.confdeltype in ('n', 'd') or k.confupdtype in ('n', 'd', 'c') as is_reset
  from pg_constraint k
  join pg_class c on c.oid = k.conrelid
  join pg_class t on t.oid = k.confrelid
  where c.relnamespace = 'outrider'::regnamespace and k.contype = 'f' and not c.relispartition
  order by 1, 2`;

const routines = `
  select
    p.proname as name,
    format('outrider.%s(%s)', p.proname, oidvectortypes(p.proargtypes)) as signature,
    coalesce(p.proargnames[:p.pronargs], '{}') as arguments,
    exists (
      select from aclexplode(p.proacl) g
      where g.grantee not in (0, p.proowner)
    ) as is_public,
    pg_get_functiondef(p.oid) as body
  from pg_proc p
  where p.pronamespace = 'outrider'::regnamespace and p.prokind = 'f'
  order by 2`;
