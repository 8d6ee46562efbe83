// Writes docs/sql.md: the reference of every public function, from what a migrated database says of it.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readSchemaFiles } from '../src/db/migrate/files.ts';
import { schemaFolder, withMigratedDatabase } from './migrated-database.ts';
import { publicFunctions } from './sql-reference/functions.ts';
import { sqlReference } from './sql-reference/page.ts';

await withMigratedDatabase(async (client) => {
  const { functions: files } = await readSchemaFiles(schemaFolder);
  const functions = await publicFunctions(client);
  const file = path.resolve(import.meta.dirname, '../docs/sql.md');
  await writeFile(file, sqlReference(functions, files));
  console.log(`${path.relative(process.cwd(), file)}: ${functions.length} functions`);
});
