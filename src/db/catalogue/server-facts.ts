// What the catalogue of a PostgreSQL server says to any login. It needs no schema of ours: the database may have none, or
// one of another version.

import { z } from 'zod';
import { fromPostgres } from '../../errors.ts';
import { time } from '../columns.ts';
import type { Queryable } from '../pool.ts';
import { queryRow, queryRows } from '../query-rows.ts';

const Identity = z.object({
  number: z.coerce.number(),
  version: z.string(),
  encoding: z.string(),
  login: z.string(),
  database: z.string(),
  is_standby: z.boolean(),
  now: time,
});

const Capacity = z.object({
  in_use: z.number(),
  of_database: z.number(),
  of_login: z.number(),
  is_superuser: z.boolean(),
  transaction_age: z.coerce.number(),
});

const Slot = z.object({
  name: z.string(),
  active: z.boolean(),
  state: z.string().nullable(),
  held_bytes: z.coerce.number().nullable(),
});

const Table = z.object({
  name: z.string(),
  live: z.coerce.number(),
  dead: z.coerce.number(),
  autovacuum: z.boolean(),
});

const Rights = z.object({
  missing_roles: z.array(z.string()),
  is_service: z.boolean(),
  missing_memberships: z.array(z.string()),
  sees_transactions: z.boolean(),
});

const Prepared = z.object({ name: z.string(), since: time });

export interface ServerFacts extends z.output<typeof Identity>, z.output<typeof Capacity> {
  /** In force for a session of this login in this database; undefined for one that this version does not have. */
  readonly settings: Readonly<Record<string, string | undefined>>;
  readonly rights: z.output<typeof Rights>;
  readonly slots: readonly z.output<typeof Slot>[];
  readonly tables: readonly z.output<typeof Table>[];
  /** Transactions that were prepared for a commit in two phases and never ended. */
  readonly prepared: readonly z.output<typeof Prepared>[];
}

const settingNames = [
  'autovacuum',
  'data_checksums',
  'default_transaction_read_only',
  'fsync',
  'full_page_writes',
  'idle_in_transaction_session_timeout',
  'idle_session_timeout',
  'max_connections',
  'reserved_connections',
  'superuser_reserved_connections',
  'synchronous_commit',
  'track_counts',
  'transaction_timeout',
];

const Setting = z.object({ name: z.string(), setting: z.string() });

export async function readServerFacts(client: Queryable): Promise<ServerFacts> {
  try {
    const identity = await queryRow(client, Identity, identityText);
    const settings = await queryRows(
      client,
      Setting,
      'select name, setting from pg_catalog.pg_settings where name = any ($1)',
      [settingNames],
    );
    return {
      ...identity,
      ...(await queryRow(client, Capacity, capacityText)),
      settings: Object.fromEntries(settings.map(({ name, setting }) => [name, setting])),
      rights: await queryRow(client, Rights, rightsText),
      // Before 13 a slot does not say in what state its WAL is.
      slots: identity.number < 130_000 ? [] : await queryRows(client, Slot, slotsText),
      tables: await queryRows(client, Table, tablesText),
      prepared: await queryRows(client, Prepared, preparedText),
    };
  } catch (error) {
    throw fromPostgres(error);
  }
}

const identityText = `
  select current_setting('server_version_num') as number, current_setting('server_version') as version,
    current_setting('server_encoding') as encoding, current_user::text as login, current_database()::text as database,
    pg_catalog.pg_is_in_recovery() as is_standby, clock_timestamp() as now`;

const capacityText = `
  select (select count(*)::int from pg_catalog.pg_stat_activity where datid is not null) as in_use,
    d.datconnlimit as of_database, r.rolconnlimit as of_login, r.rolsuper as is_superuser,
    age(d.datfrozenxid)::text as transaction_age
  from pg_catalog.pg_database d
  join pg_catalog.pg_roles r on r.rolname = session_user
  where d.datname = current_database()`;

const rightsText = `
  with wanted (role, of_service) as (
    values ('outrider_owner', false), ('outrider_service', false), ('outrider_ingest', true), ('outrider_worker', true),
      ('outrider_reader', true), ('outrider_emitter', true), ('outrider_publisher', true), ('outrider_consumer', true),
      ('outrider_retention', false), ('outrider_privileged', false)
  ),
  known as (
    select w.role, w.of_service, r.oid from wanted w left join pg_catalog.pg_roles r on r.rolname = w.role
  ),
  service as (select oid from known where role = 'outrider_service')
  select
    array(select k.role from known k where k.oid is null order by k.role) as missing_roles,
    coalesce((select pg_catalog.pg_has_role(session_user, s.oid, 'member') from service s where s.oid is not null), false) as is_service,
    array(
      select k.role from known k, service s
      where k.of_service and k.oid is not null and s.oid is not null and not pg_catalog.pg_has_role(s.oid, k.oid, 'member')
      order by k.role) as missing_memberships,
    coalesce((
      select pg_catalog.pg_has_role(k.oid, 'pg_read_all_stats', 'usage') from known k
      where k.role = 'outrider_owner' and k.oid is not null), false) as sees_transactions`;

const slotsText = `
  select s.slot_name::text as name, s.active, s.wal_status as state, pg_catalog.pg_wal_lsn_diff(
    case when pg_catalog.pg_is_in_recovery() then pg_catalog.pg_last_wal_replay_lsn() else pg_catalog.pg_current_wal_lsn() end,
    s.restart_lsn)::text as held_bytes
  from pg_catalog.pg_replication_slots s
  where not s.temporary
  order by s.slot_name`;

const tablesText = `
  select s.relname::text as name, s.n_live_tup::text as live, s.n_dead_tup::text as dead,
    coalesce((
      select o.option_value::boolean from pg_catalog.pg_options_to_table(c.reloptions) o
      where o.option_name = 'autovacuum_enabled'), true) as autovacuum
  from pg_catalog.pg_stat_all_tables s
  join pg_catalog.pg_class c on c.oid = s.relid
  where s.schemaname = 'outrider'
  order by s.relname`;

const preparedText = `
  select p.gid as name, p.prepared as since
  from pg_catalog.pg_prepared_xacts p
  where p.database = current_database()
  order by p.prepared`;
