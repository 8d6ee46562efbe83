import { z } from 'zod';
import type { Queryable } from '../pool.ts';
import { queryRow, queryRows } from '../query-rows.ts';
import { refusal } from './faults.ts';
import type { Migration, SqlFile } from './files.ts';

// What was applied. applied_at is for people; the checksums decide.
const tables = `
create table if not exists outrider.schema_migrations (
  number integer not null,
  name text not null,
  checksum text not null,
  applied_at timestamptz not null,
  constraint schema_migrations_pkey primary key (number)
);
create table if not exists outrider.schema_functions (
  name text not null,
  checksum text not null,
  triggers text[] not null,
  applied_at timestamptz not null,
  constraint schema_functions_pkey primary key (name)
);
create table if not exists outrider.schema_views (
  name text not null,
  checksum text not null,
  applied_at timestamptz not null,
  constraint schema_views_pkey primary key (name)
);
`;

export async function ensureLedger(client: Queryable): Promise<void> {
  const found = await queryRow(
    client,
    z.object({ count: z.number() }),
    `select count(*)::int as count from pg_catalog.pg_class
     where relnamespace = 'outrider'::regnamespace
       and relname in ('schema_migrations', 'schema_functions', 'schema_views')`,
  );
  // "if not exists" sends a notice for each table that exists. When there is nothing to do, nothing should be said.
  if (found.count !== 3) await client.query(tables);
}

const appliedMigration = z.object({ number: z.number(), name: z.string(), checksum: z.string() });

/** The migrations still to be applied. Refuses a database with a migration that the folder lacks or has changed. */
export async function pendingMigrations(
  client: Queryable,
  migrations: readonly Migration[],
): Promise<Migration[]> {
  const applied = await queryRows(
    client,
    appliedMigration,
    'select number, name, checksum from outrider.schema_migrations order by number',
  );
  const known = new Map(migrations.map((migration) => [migration.number, migration]));
  for (const row of applied) {
    const file = known.get(row.number);
    if (file === undefined) {
      throw refusal(
        `the database is newer than this program: ${row.name} was applied, and there is no such file`,
        'run the newer version of Outrider',
      );
    }
    if (file.name !== row.name || file.checksum !== row.checksum) {
      throw refusal(
        `${file.path} was edited after it was applied (as ${row.name})`,
        'restore the file, and write the change as a new migration',
      );
    }
  }
  const done = new Set(applied.map((row) => row.number));
  return migrations.filter((migration) => !done.has(migration.number));
}

export async function recordMigration(client: Queryable, migration: Migration): Promise<void> {
  await client.query(
    `insert into outrider.schema_migrations (number, name, checksum, applied_at)
     values ($1, $2, $3, clock_timestamp())`,
    [migration.number, migration.name, migration.checksum],
  );
}

export interface AppliedFunction {
  readonly name: string;
  readonly checksum: string;
  /** The triggers that the function's file created, as "trigger on table". */
  readonly triggers: readonly string[];
}

const appliedFunction = z.object({
  name: z.string(),
  checksum: z.string(),
  triggers: z.array(z.string()),
});

export async function appliedFunctions(client: Queryable): Promise<Map<string, AppliedFunction>> {
  const text = 'select name, checksum, triggers from outrider.schema_functions';
  const rows = await queryRows(client, appliedFunction, text);
  return new Map(rows.map((row) => [row.name, row]));
}

export async function recordFunction(
  client: Queryable,
  file: SqlFile,
  triggers: readonly string[],
): Promise<void> {
  await client.query(
    `insert into outrider.schema_functions as f (name, checksum, triggers, applied_at)
     values ($1, $2, $3, clock_timestamp())
     on conflict (name) do update
     set checksum = excluded.checksum, triggers = excluded.triggers, applied_at = excluded.applied_at`,
    [file.name, file.checksum, triggers],
  );
}

export async function forgetFunction(client: Queryable, name: string): Promise<void> {
  await client.query('delete from outrider.schema_functions where name = $1', [name]);
}

const appliedView = z.object({ name: z.string(), checksum: z.string() });

export async function appliedViews(client: Queryable): Promise<Map<string, string>> {
  const text = 'select name, checksum from outrider.schema_views';
  const rows = await queryRows(client, appliedView, text);
  return new Map(rows.map((row) => [row.name, row.checksum]));
}

export async function recordView(client: Queryable, file: SqlFile): Promise<void> {
  await client.query(
    `insert into outrider.schema_views as v (name, checksum, applied_at)
     values ($1, $2, clock_timestamp())
     on conflict (name) do update
     set checksum = excluded.checksum, applied_at = excluded.applied_at`,
    [file.name, file.checksum],
  );
}

export async function forgetView(client: Queryable, name: string): Promise<void> {
  await client.query('delete from outrider.schema_views where name = $1', [name]);
}
