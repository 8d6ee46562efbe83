// Writes db/citus.sql: the calls that distribute the tables of a migrated database over Citus.

import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { readCatalogue } from './citus/catalogue.ts';
import { faultsOf } from './citus/plan.ts';
import { citusScript } from './citus/script.ts';
import { schemaFolder, withMigratedDatabase } from './migrated-database.ts';

await withMigratedDatabase(async (client) => {
  const catalogue = await readCatalogue(client);
  const faults = faultsOf(catalogue);
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) {
    process.exitCode = 1;
    return;
  }
  const file = path.join(schemaFolder, 'citus.sql');
  const text = citusScript(catalogue);
  await writeFile(file, text);
  console.log(`${path.relative(process.cwd(), file)}: ${text.split('\n').length - 1} lines`);
});
