// Writes db/schema.sql: migrates an empty database on a server of its own and prints what came out.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startServer } from '../src/db/embedded/server.ts';
import { migrate } from '../src/db/migrate/migrate.ts';
import { openClient } from '../src/db/pool.ts';
import { settleSnapshot } from '../src/db/snapshot/settle.ts';
import { snapshotSchema } from '../src/db/snapshot/snapshot.ts';

const dir = path.resolve(import.meta.dirname, '../db');
const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-snapshot-'));
await chmod(folder, 0o755); // PostgreSQL's own user passes through
const server = await startServer({
  dataDir: path.join(folder, 'postgres'),
  settings: { fsync: 'off' },
  initdbFlags: ['--no-sync'],
});

try {
  const [migrated, empty] = await Promise.all(['migrated', 'empty'].map(createDatabase));
  if (migrated === undefined || empty === undefined) throw new Error('the databases are missing');
  await migrate(migrated.url, { dir });
  const file = path.join(dir, 'schema.sql');
  const text = await settleSnapshot(empty.client, await snapshotSchema(migrated.client));
  await writeFile(file, text);
  await Promise.all([migrated.client.end(), empty.client.end()]);
  console.log(`${path.relative(process.cwd(), file)}: ${text.split('\n').length - 1} lines`);
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}

async function createDatabase(name: string) {
  const admin = await openClient({ url: server.url(), applicationName: 'outrider snapshot' });
  await admin.query(`create database ${name}`);
  await admin.end();
  const url = server.url(name);
  return { url, client: await openClient({ url, applicationName: 'outrider snapshot' }) };
}
