// Writes db/schema.sql: what a migrated database holds, in one file that psql can load.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openClient } from '../src/db/pool.ts';
import { schemaFolder, withMigratedDatabase } from './migrated-database.ts';
import { settleSnapshot } from './snapshot/settle.ts';
import { snapshotSchema } from './snapshot/snapshot.ts';

await withMigratedDatabase(async (migrated, server) => {
  await migrated.query('create database empty');
  const empty = await openClient({ url: server.url('empty'), applicationName: 'outrider script' });
  const text = await settleSnapshot(empty, await snapshotSchema(migrated));
  await empty.end();
  const file = path.join(schemaFolder, 'schema.sql');
  await writeFile(file, text);
  console.log(`${path.relative(process.cwd(), file)}: ${text.split('\n').length - 1} lines`);
});
