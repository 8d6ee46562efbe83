// The database that the configuration means, ready to use: the given server or the embedded one, with
// the schema brought up to date.

import { fileURLToPath } from 'node:url';
import type { Config } from '../config.ts';
import { startServer } from './embedded/server.ts';
import { type MigrationReport, migrate } from './migrate/migrate.ts';
import { openClient } from './pool.ts';

export interface Database {
  /** For an administrator's work: migrating, configuring. */
  readonly url: string;
  /** The same in the role that the process works in, which may only call functions. */
  readonly serviceUrl: string;
  readonly migrated: MigrationReport;
  /** Leaves the embedded server, which the last one to leave stops; a given server is not touched. */
  close(): Promise<void>;
}

/** Roles, migrations and functions, as they lie beside the program. */
export const schemaDir = fileURLToPath(new URL('../../db', import.meta.url));

/** The publisher of the outbox has nothing to do with deliveries, nor with any workspace. */
export type WorkingRole = 'outrider_service' | 'outrider_publisher';

const embeddedDatabase = 'outrider';

export async function openDatabase(
  config: Config,
  notice?: (line: string) => void,
  role: WorkingRole = 'outrider_service',
): Promise<Database> {
  if (config.databaseUrl !== undefined) {
    const { databaseUrl: url } = config;
    const migrated = await migrate(url, { dir: schemaDir });
    return { url, serviceUrl: inRole(url, role), migrated, close: async () => undefined };
  }

  const server = await startServer({ dataDir: config.postgresDir, notice });
  try {
    await ensureDatabase(server.url());
    const url = server.url(embeddedDatabase);
    const migrated = await migrate(url, { dir: schemaDir });
    return { url, serviceUrl: inRole(url, role), migrated, close: () => server.stop() };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

function inRole(url: string, role: WorkingRole): string {
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
    // Two processes starting at once: the other one was first.
    if (!isDuplicateDatabase(error)) throw error;
  } finally {
    await client.end();
  }
}

function isDuplicateDatabase(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === '42P04' || code === '23505';
}
