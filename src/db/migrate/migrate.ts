// Brings a database to what the folder says: roles, then numbered migrations, then functions, then
// views. One transaction under one lock: either all of it is there, or nothing changed. The
// exception is a migration that opts out with its first line.

import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { z } from 'zod';
import { fromPostgres } from '../../errors.ts';
import { openClient, type Queryable } from '../pool.ts';
import { queryRow } from '../query-rows.ts';
import { checkBodies } from './check-bodies.ts';
import { fileFault } from './faults.ts';
import { type Migration, readSchemaFiles, type SchemaFiles } from './files.ts';
import { applyFunctions } from './functions.ts';
import { ensureLedger, pendingMigrations, recordMigration } from './ledger.ts';
import { ensureRoles, ensureSchema, mayActAsOwner, owner } from './roles.ts';
import { splitStatements } from './statements.ts';
import { assertSuitable } from './suitable.ts';
import { isUpToDate } from './up-to-date.ts';
import { applyViews } from './views.ts';

export interface MigrateOptions {
  /** The folder with roles.sql, migrations/, functions/ and views/. */
  readonly dir: string;
}

export interface MigrationReport {
  readonly migrations: readonly string[];
  readonly functionsChanged: readonly string[];
  readonly functionsDropped: readonly string[];
  readonly viewsChanged: readonly string[];
  readonly viewsDropped: readonly string[];
}

const migrationLock = 7_170_131_002;

/** Migrates the database of an address, or the one that a client of the caller's is connected to. */
export async function migrate(
  target: string | pg.ClientBase,
  options: MigrateOptions,
): Promise<MigrationReport> {
  const files = await readSchemaFiles(options.dir);
  if (typeof target !== 'string') return migrateOn(target, files);
  const client = await openClient({
    url: target,
    applicationName: 'outrider migrate',
    statementTimeoutMs: 0,
  });
  try {
    return await migrateOn(client, files);
  } finally {
    await client.end();
  }
}

const nothing: MigrationReport = {
  migrations: [],
  functionsChanged: [],
  functionsDropped: [],
  viewsChanged: [],
  viewsDropped: [],
};

async function migrateOn(client: Queryable, files: SchemaFiles): Promise<MigrationReport> {
  await assertSuitable(client);
  if (!(await mayActAsOwner(client)) && (await isUpToDate(client, files))) return nothing;
  await takeLock(client);
  try {
    return await migrateLocked(client, files);
  } catch (error) {
    await client.query('rollback').catch(() => undefined);
    throw fromPostgres(error);
  } finally {
    await client.query('select pg_advisory_unlock($1)', [migrationLock]).catch(() => undefined);
  }
}

async function migrateLocked(client: Queryable, files: SchemaFiles): Promise<MigrationReport> {
  await client.query('begin');
  await ensureRoles(client, files.roles);
  await ensureSchema(client);
  await actAsOwner(client);
  await ensureLedger(client);
  const pending = await pendingMigrations(client, files.migrations);
  for (const migration of pending) {
    if (migration.inTransaction) await applyMigration(client, migration);
    else await applyOutsideTransaction(client, migration);
  }
  const viewNames = files.views.map((file) => file.name);
  const functions = await applyFunctions(client, files.functions, viewNames);
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

// For the transaction. Names are qualified in every file, so that nobody's schema can come between.
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

// What came before is committed first; a fault in the middle leaves the statements before it done,
// and the file is tried again as a whole.
async function applyOutsideTransaction(client: Queryable, migration: Migration): Promise<void> {
  await client.query('commit');
  await client.query(`set role ${owner}; set search_path = pg_catalog, pg_temp`);
  try {
    for (const statement of splitStatements(migration.text)) {
      await client.query(statement.text).catch((error: unknown) => {
        throw fileFault(migration, error, statement.offset);
      });
    }
  } finally {
    await client.query('reset role; reset search_path');
  }
  await client.query('begin');
  await actAsOwner(client);
  await recordMigration(client, migration);
}

// Asked again and again rather than waited for: a waiting query keeps a snapshot open, and
// "create index concurrently" in the lock's holder would wait for that snapshot in turn.
async function takeLock(client: Queryable): Promise<void> {
  for (;;) {
    const answer = await queryRow(
      client,
      z.object({ taken: z.boolean() }),
      'select pg_try_advisory_lock($1) as taken',
      [migrationLock],
    );
    if (answer.taken) return;
    await delay(50);
  }
}
