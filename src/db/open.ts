// Opens the database that the configuration names, on the given server or the embedded one, with the
// schema that this program needs.

import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { NotAllowedError, NotFoundError, OutriderError } from '../errors.ts';
import { isUnused } from './embedded/cluster.ts';
import { type ServerStage, startServer } from './embedded/server.ts';
import { hasState } from './migrate/faults.ts';
import { readSchemaFiles } from './migrate/files.ts';
import {
  type MigrationReport,
  type MigrationStep,
  migrate,
  nothingMigrated,
} from './migrate/migrate.ts';
import { assertSuitable } from './migrate/suitable.ts';
import { isUpToDate } from './migrate/up-to-date.ts';
import { openClient, type Queryable } from './pool.ts';

export interface Database {
  /** For an administrator's work: migrating, configuring. */
  readonly url: string;
  /** The same in the role that the process works as, which may only call functions. */
  readonly serviceUrl: string;
  readonly migrated: MigrationReport;
  /** Leaves the embedded server; the last process to leave stops it. A given server is not touched. */
  close(): Promise<void>;
}

/** The folder with roles, migrations and functions, beside the program. */
export const schemaDir = fileURLToPath(new URL('../../db', import.meta.url));

/** Publishers of the outbox have a role of their own: they need no rights to deliveries or workspaces. */
export type WorkingRole = 'outrider_service' | 'outrider_publisher';

/** The steps of opening a database that may take long, in their order. */
export type OpeningStage = ServerStage | 'connecting' | 'migrating';

export interface OpenOptions {
  /** Called with one line that a user should know: where data is, or for whom it waits. */
  readonly notice?: ((line: string) => void) | undefined;
  /** Called when a step begins. */
  readonly onStage?: ((stage: OpeningStage) => void) | undefined;
  /** Called for each file that a migration has applied. */
  readonly onStep?: MigrationStep | undefined;
  readonly role?: WorkingRole | undefined;
  /**
   * `if_needed`, the default: migrate a schema that is not this program's. `always`: migrate in any case. `never`:
   * refuse such a schema. A command that only looks changes nothing, and makes no data folder.
   */
  readonly migration?: 'always' | 'if_needed' | 'never' | undefined;
  /** Breaks the opening off while it waits. */
  readonly signal?: AbortSignal | undefined;
}

const embeddedDatabase = 'outrider';

export async function openDatabase(config: Config, options: OpenOptions = {}): Promise<Database> {
  const { notice, onStage, signal, role = 'outrider_service' } = options;
  if (config.databaseUrl !== undefined) {
    const { databaseUrl: url } = config;
    const migrated = await prepare(url, options);
    return { url, serviceUrl: inRole(url, role), migrated, close: async () => undefined };
  }

  if (options.migration === 'never' && (await isUnused(config.postgresDir))) {
    throw nothingIn(config.dataDir);
  }
  const server = await startServer({
    dataDir: config.postgresDir,
    mayMove: !config.isDataDirChosen,
    notice,
    onStage,
    signal,
  });
  try {
    await ensureDatabase(server.url());
    const url = server.url(embeddedDatabase);
    const migrated = await prepare(url, options);
    return { url, serviceUrl: inRole(url, role), migrated, close: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

async function prepare(url: string, options: OpenOptions): Promise<MigrationReport> {
  const { migration = 'if_needed', role = 'outrider_service' } = options;
  const { notice, onStage, onStep, signal } = options;
  signal?.throwIfAborted();
  onStage?.('connecting');
  try {
    const found = migration === 'always' ? 'other' : await schemaIn(url, role, signal);
    if (found === 'ours') return nothingMigrated;
    if (migration === 'never') throw found === 'forbidden' ? notAllowed(url, role) : notOurs(found);
    onStage?.('migrating');
    return await migrate(url, { dir: schemaDir, onWait: notice, onStep, signal });
  } catch (error) {
    signal?.throwIfAborted(); // then the error is only that of a connection that was broken off
    throw error;
  }
}

/** Whether the schema is what this program needs, and the login may work with it. Waits for no other session. */
async function schemaIn(
  url: string,
  role: WorkingRole,
  signal: AbortSignal | undefined,
): Promise<'ours' | 'other' | 'none' | 'forbidden'> {
  const client = await openClient({ url, applicationName: 'outrider', signal });
  try {
    await assertSuitable(client);
    const { rows } = await client.query("select from pg_namespace where nspname = 'outrider'");
    if (rows.length === 0) return 'none';
    const found = await isUpToDate(client, await readSchemaFiles(schemaDir));
    if (found === 'forbidden') return 'forbidden';
    if (!found) return 'other';
    return (await mayWorkAs(client, role)) ? 'ours' : 'forbidden';
  } finally {
    await client.end();
  }
}

async function mayWorkAs(client: Queryable, role: WorkingRole): Promise<boolean> {
  try {
    await client.query(`set role ${role}`);
    return true;
  } catch (error) {
    if (!hasState(error, '42501')) throw error;
    return false;
  }
}

function notAllowed(url: string, role: WorkingRole): OutriderError {
  const login = decodeURIComponent(new URL(url).username);
  const who = login === '' ? 'this login' : `the login ${login}`;
  const tenants =
    role === 'outrider_service'
      ? "; a tenant's login asks in SQL, such as select outrider.show_workspace('shop')"
      : '';
  return new NotAllowedError(`${who} may not do this: it is no member of ${role}`, {
    hint: `use a login that is${tenants}`,
  });
}

/** A command that only looks makes no new server to look into: the folder may be misspelt. */
function nothingIn(dataDir: string): OutriderError {
  return new NotFoundError(`there is no data of Outrider in ${dataDir}`, {
    hint:
      'run this where outrider up runs, or set OUTRIDER_DATA_DIR to its data folder (DATABASE_URL to its database); ' +
      'outrider apply <file> and outrider up begin in a new folder',
  });
}

function notOurs(found: 'other' | 'none'): OutriderError {
  if (found === 'none') {
    return new OutriderError(
      'migration_refused',
      'there is nothing of Outrider in this database yet',
      {
        hint: 'outrider apply <file> makes a workspace, outrider up runs; both make what they need',
      },
    );
  }
  return new OutriderError(
    'migration_refused',
    'the database was made by another version of Outrider, and this command changes no schema',
    { hint: 'run it with that version, or bring the database to this one with outrider migrate' },
  );
}

/** The same address for a session that works in a role. */
export function inRole(url: string, role: WorkingRole): string {
  const address = new URL(url);
  const own = address.searchParams.get('options');
  const setting = `-c role=${role}`;
  address.searchParams.set('options', own === null ? setting : `${own} ${setting}`);
  return address.toString();
}

async function ensureDatabase(url: string): Promise<void> {
  const client = await openClient({ url, applicationName: 'outrider' });
  try {
    const { rows } = await client.query('select from pg_database where datname = $1', [
      embeddedDatabase,
    ]);
    if (rows.length === 0) await client.query(`create database ${embeddedDatabase}`);
  } catch (error) {
    // Two processes started at once, and the other one was first.
    if (!isDuplicateDatabase(error)) throw error;
  } finally {
    await client.end();
  }
}

function isDuplicateDatabase(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '42P04' || code === '23505';
}
