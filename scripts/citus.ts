// Writes db/citus.sql: migrates an empty database on a server of its own and asks its catalogue.

import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { startServer } from '../src/db/embedded/server.ts';
import { migrate } from '../src/db/migrate/migrate.ts';
import { openClient } from '../src/db/pool.ts';
import { readCatalogue } from './citus/catalogue.ts';
import { faultsOf } from './citus/plan.ts';
import { citusScript } from './citus/script.ts';

const dir = path.resolve(import.meta.dirname, '../db');
const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-citus-'));
await chmod(folder, 0o755); // PostgreSQL's own user passes through
const server = await startServer({
  dataDir: path.join(folder, 'postgres'),
  settings: { fsync: 'off' },
  initdbFlags: ['--no-sync'],
});

try {
  await migrate(server.url(), { dir });
  const client = await openClient({ url: server.url(), applicationName: 'outrider citus' });
  const catalogue = await readCatalogue(client);
  await client.end();
  const faults = faultsOf(catalogue);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
  else {
    const file = path.join(dir, 'citus.sql');
    const text = citusScript(catalogue);
    await writeFile(file, text);
    console.log(`${path.relative(process.cwd(), file)}: ${text.split('\n').length - 1} lines`);
  }
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
