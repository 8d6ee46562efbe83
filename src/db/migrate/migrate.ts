// Brings a database to what the folder says: roles, then numbered migrations, then functions, then
// views. One transaction under one lock: either all of it is there, or nothing changed.

import type pg from 'pg';
import { DatabaseBusyError, fromPostgres } from '../../errors.ts';
import { openClient, type Queryable } from '../pool.ts';
import { checkBodies } from './check-bodies.ts';
import { fileFault, hasState, lockTimedOut } from './faults.ts';
import { type Migration, readSchemaFiles, type SchemaFiles } from './files.ts';
import { applyFunctions } from './functions.ts';
import { ensureLedger, pendingMigrations, recordMigration } from './ledger.ts';
import { ensureRoles, ensureSchema, owner } from './roles.ts';
import { assertSuitable } from './suitable.ts';
import { applyViews } from './views.ts';
import { migrating, watchWaits } from './waits.ts';

export interface MigrateOptions {
  /** The folder with roles.sql, migrations/, functions/ and views/. */
  readonly dir: string;
  /** Called with words for the session that the migration has waited for, after a second. */
  readonly onWait?: ((words: string) => void) | undefined;
  /** Called when a file has been applied: how many of a kind are done, of how many. */
  readonly onStep?: MigrationStep | undefined;
  /** How long it waits for any one lock. */
  readonly lockTimeoutMs?: number | undefined;
  /** Breaks the migration off; nothing of it has happened then. */
  readonly signal?: AbortSignal | undefined;
}

export type MigrationStep = (what: 'migrations' | 'functions', done: number, total: number) => void;

export interface MigrationReport {
  readonly migrations: readonly string[];
  readonly functionsChanged: readonly string[];
  readonly functionsDropped: readonly string[];
  readonly viewsChanged: readonly string[];
  readonly viewsDropped: readonly string[];
}

export const nothingMigrated: MigrationReport = {
  migrations: [],
  functionsChanged: [],
  functionsDropped: [],
  viewsChanged: [],
  viewsDropped: [],
};

export async function migrate(url: string, options: MigrateOptions): Promise<MigrationReport> {
  const { lockTimeoutMs = 60_000, onWait = () => undefined, signal } = options;
  const files = await readSchemaFiles(options.dir);
  const client = await openClient({
    url,
    applicationName: migrating,
    statementTimeoutMs: 0,
    signal,
  });
  const waits = watchWaits({ url, client, onWait });
  try {
    await assertSuitable(client);
    return await migrateOnce(client, files, { lockTimeoutMs, onStep: options.onStep });
  } catch (error) {
    const fault = fromPostgres(error);
    if (fault.sqlstate !== lockTimedOut) throw fault;
    const seconds = Math.round(lockTimeoutMs / 1000);
    throw new DatabaseBusyError(`the migration gave up after ${seconds} s: ${waits.words()}`, {
      hint: 'wait until that session ends, or end it with pg_terminate_backend, and start again',
      sqlstate: lockTimedOut,
    });
  } finally {
    await waits.stop();
    await client.end();
  }
}

interface Terms extends Pick<MigrateOptions, 'onStep'> {
  readonly lockTimeoutMs: number;
}

const schemaMadeByAnother = ['42P06', '23505'];

/** When two migrators of an empty database make the schema at once, the second one starts over. */
async function migrateOnce(
  client: pg.Client,
  files: SchemaFiles,
  terms: Terms,
): Promise<MigrationReport> {
  try {
    return await migrateInTransaction(client, files, terms);
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    if (!hasState(error, ...schemaMadeByAnother)) throw error;
    return migrateInTransaction(client, files, terms);
  }
}

async function migrateInTransaction(
  client: Queryable,
  files: SchemaFiles,
  { lockTimeoutMs, onStep }: Terms,
): Promise<MigrationReport> {
  await client.query('begin');
  await client.query(`set local lock_timeout = ${lockTimeoutMs}`);
  await ensureRoles(client, files.roles);
  await ensureSchema(client);
  await actAsOwner(client);
  await ensureLedger(client);
  // One migrator at a time. The table is the owner's, so nobody else can take this lock.
  await client.query('lock table outrider.schema_migrations in share row exclusive mode');
  const pending = await pendingMigrations(client, files.migrations);
  for (const [n, migration] of pending.entries()) {
    await applyMigration(client, migration);
    onStep?.('migrations', n + 1, pending.length);
  }
  const viewNames = files.views.map((file) => file.name);
  const functions = await applyFunctions(client, files.functions, viewNames, (done, total) =>
    onStep?.('functions', done, total),
  );
  const views = await applyViews(client, files.views);
  await checkBodies(client, functions.changed);
  await client.query('commit');
  return {
    migrations: pending.map((migration) => migration.name),
    functionsChanged: functions.changed.map((file) => file.name),
    functionsDropped: functions.dropped,
    viewsChanged: views.changed,
    viewsDropped: views.dropped,
  };
}

// For this transaction only. Every file qualifies its names, so no other schema can come between.
async function actAsOwner(client: Queryable): Promise<void> {
  await client.query(
    `set local role ${owner};
     set local search_path = pg_catalog, pg_temp;
     set local check_function_bodies = off;
     set local client_min_messages = warning;
     set local statement_timeout = 0`,
  );
}

async function applyMigration(client: Queryable, migration: Migration): Promise<void> {
  await client.query(migration.text).catch((error: unknown) => {
    throw fileFault(migration, error);
  });
  await recordMigration(client, migration);
}
