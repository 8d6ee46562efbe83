// A database with the schema of db/, for scripts that read its catalogue. Its server is removed afterwards.

import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type Server, startServer } from '../src/db/embedded/server.ts';
import { migrate } from '../src/db/migrate/migrate.ts';
import { openClient, type Queryable } from '../src/db/pool.ts';

export const schemaFolder = path.resolve(import.meta.dirname, '../db');

/** Calls `work` with a superuser's connection to the migrated database. */
export async function withMigratedDatabase(
  work: (client: Queryable, server: Server) => Promise<void>,
  settings: Readonly<Record<string, string>> = {},
): Promise<void> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-script-'));
  await chmod(folder, 0o755); // PostgreSQL's own user has to pass through
  const server = await startServer({
    dataDir: path.join(folder, 'postgres'),
    settings: { fsync: 'off', ...settings },
    initdbFlags: ['--no-sync'],
  });
  try {
    await migrate(server.url(), { dir: schemaFolder });
    const client = await openClient({ url: server.url(), applicationName: 'outrider script' });
    await work(client, server);
    await client.end();
  } finally {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
