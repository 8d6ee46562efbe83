import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { tables } from '../support/database/catalogue.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// Every key of a tenant table holds workspace_id: no row can refer to another tenant's, and the
// tables can be distributed by workspace.

/** Tables that belong to no workspace. */
const shared: Readonly<Record<string, string>> = {
  platforms: 'a catalogue: what the providers are like is the same for all',
  platform_media: 'a catalogue: what the providers take is the same for all',
  dispatcher_state: 'the round of a dispatcher goes over all workspaces',
  outbox_events: 'the outbox is the application’s, whose events belong to no workspace',
  outbox_backoff: 'of the outbox',
  outbox_parked: 'of the outbox',
  outbox_replays: 'of the outbox',
  outbox_skips: 'of the outbox',
  processed_events: 'of the consumers of the outbox',
  service_heartbeats: 'processes serve all workspaces',
  metrics_counted: 'how far has been counted is the same for all',
  run_guards: 'what one process does at a time it does for all workspaces',
  schema_migrations: "the migrator's ledger",
  schema_functions: "the migrator's ledger",
  schema_views: "the migrator's ledger",
};

/** Keys of tenant tables without a workspace. */
const exempt: Readonly<Record<string, string>> = {
  workspace_endpoints_by_secret_idx: 'ingress look-up: the secret alone tells the workspace',
  credential_is_for_a_known_platform: 'refers to a catalogue',
  channel_is_on_a_known_platform: 'refers to a catalogue',
  platform_limit_is_for_a_known_platform: 'refers to a catalogue',
  a_reply_goes_to_a_known_platform: 'refers to a catalogue',
};

const database = await useDatabase();
const everyTable = await tables(database.admin);
const tenantTables = everyTable.filter((table) => table.tenant && !table.partition);

const Key = z.object({
  table: z.string(),
  name: z.string(),
  columns: z.array(z.string()),
  refers_to: z.array(z.string()).nullable(),
});

// Constraints, and the unique indexes that stand behind none. A foreign key pairs its columns.
const keys = await queryRows(
  database.admin,
  Key,
  `select
     c.relname as table, k.conname as name,
     array(
       select a.attname::text from unnest(k.conkey) with ordinality x (attnum, place)
       join pg_attribute a on a.attrelid = k.conrelid and a.attnum = x.attnum
       order by x.place
     ) as columns,
     case k.contype when 'f' then array(
       select a.attname::text from unnest(k.confkey) with ordinality x (attnum, place)
       join pg_attribute a on a.attrelid = k.confrelid and a.attnum = x.attnum
       order by x.place
     ) end as refers_to
   from pg_constraint k
   join pg_class c on c.oid = k.conrelid
   where c.relnamespace = 'outrider'::regnamespace and k.contype in ('p', 'u', 'f', 'x')
     and not c.relispartition
   union all
   select
     c.relname, i.relname,
     array(
       select a.attname::text from pg_attribute a
       where a.attrelid = x.indexrelid and a.attnum <= x.indnkeyatts
       order by a.attnum
     ),
     null
   from pg_index x
   join pg_class i on i.oid = x.indexrelid
   join pg_class c on c.oid = x.indrelid
   where c.relnamespace = 'outrider'::regnamespace and x.indisunique and not c.relispartition
     and not exists (select from pg_constraint k where k.conindid = x.indexrelid)
   order by 1, 2`,
);
const tenantKeys = keys.filter((key) => tenantTables.some((table) => table.name === key.table));

describe('the tables', () => {
  it('belong to a workspace, or are named here with the reason why not', () => {
    const rest = everyTable.filter((table) => !table.tenant);
    expect(rest.map((table) => table.name).toSorted()).toEqual(Object.keys(shared).toSorted());
  });

  it('of a workspace name it first and always', async () => {
    const lax = await queryRows(
      database.admin,
      z.object({ name: z.string() }),
      `select c.relname as name
       from pg_attribute a
       join pg_class c on c.oid = a.attrelid
       where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('r', 'p')
         and a.attname = 'workspace_id' and (a.attnum <> 1 or not a.attnotnull)`,
    );
    expect(lax).toEqual([]);
  });

  it.each(tenantTables)('have a primary key: $name', async ({ name }) => {
    const found = await queryRows(
      database.admin,
      z.object({ primary: z.boolean() }),
      'select indisprimary as primary from pg_index where indrelid = $1::regclass and indisprimary',
      [`outrider.${name}`],
    );
    expect(found).toEqual([{ primary: true }]);
  });
});

describe('a key of a tenant table', () => {
  const lawful = tenantKeys.filter((key) => !(key.name in exempt));

  it.each(lawful)('holds workspace_id: $name of $table', ({ columns }) => {
    expect(columns).toContain('workspace_id');
  });

  const pairs = lawful.flatMap(({ refers_to, ...key }) =>
    refers_to === null ? [] : [{ ...key, refers_to }],
  );

  it.each(pairs)('refers within its workspace: $name of $table', ({ columns, refers_to }) => {
    expect(refers_to[columns.indexOf('workspace_id')]).toBe('workspace_id');
  });

  it('is exempt only if it is there and has no workspace_id', () => {
    const without = tenantKeys.filter((key) => !key.columns.includes('workspace_id'));
    expect(without.map((key) => key.name).toSorted()).toEqual(Object.keys(exempt).toSorted());
  });

  it('refers to a table without a workspace only if that is a catalogue', async () => {
    const targets = await queryRows(
      database.admin,
      z.object({ name: z.string() }),
      `select distinct f.relname as name
       from pg_constraint k
       join pg_class c on c.oid = k.conrelid
       join pg_class f on f.oid = k.confrelid
       where c.relnamespace = 'outrider'::regnamespace and k.contype = 'f'
         and not exists (
           select from pg_attribute a where a.attrelid = f.oid and a.attname = 'workspace_id'
         )`,
    );
    expect(targets).toEqual([{ name: 'platforms' }]);
  });
});

describe('a constraint', () => {
  it('reads as a sentence: it has no name that PostgreSQL made up', async () => {
    const constraints = await queryRows(
      database.admin,
      z.object({ table: z.string(), name: z.string(), type: z.string() }),
      `select c.relname as table, k.conname as name, k.contype::text as type
       from pg_constraint k
       join pg_class c on c.oid = k.conrelid
       where c.relnamespace = 'outrider'::regnamespace and k.contype in ('p', 'u', 'f', 'c', 'x')
         and not c.relispartition
       order by 1, 2`,
    );
    const madeUp = constraints.filter(({ table, name, type }) =>
      type === 'p'
        ? name !== `${table}_pkey`
        : /_(check|fkey|key|excl)\d*$/.test(name) || name.split('_').length < 3,
    );
    expect(madeUp).toEqual([]);
  });
});

describe('an index', () => {
  it('says which question it answers, and has no number', async () => {
    const numbered = await queryRows(
      database.admin,
      z.object({ name: z.string() }),
      `select i.relname as name
       from pg_index x
       join pg_class i on i.oid = x.indexrelid
       join pg_class c on c.oid = x.indrelid
       where c.relnamespace = 'outrider'::regnamespace and not c.relispartition
         and not exists (select from pg_constraint k where k.conindid = x.indexrelid)
         and i.relname !~ ('^' || c.relname || '_[a-z_]+_idx$')`,
    );
    expect(numbered).toEqual([]);
  });
});
