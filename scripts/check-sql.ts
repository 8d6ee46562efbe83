// Checks the files of db/: by the migrator's rules, by the house rules and by plpgsql_check.
import { join } from 'node:path';
import { readSchemaFiles } from '../src/db/migrate/files.ts';
import { OutriderError } from '../src/errors.ts';
import { plpgsqlFindings } from './plpgsql-check.ts';
import { functionFaults, migrationFaults } from './sql-rules.ts';

const dir = join(import.meta.dirname, '../db');

function report(findings: readonly string[]): void {
  for (const finding of findings) console.error(finding);
  if (findings.length > 0) process.exitCode = 1;
}

try {
  const { functions, migrations } = await readSchemaFiles(dir);
  for (const file of functions) {
    report(functionFaults(file).map((fault) => `${file.path} ${fault}`));
  }
  for (const { path, text } of migrations) {
    report(migrationFaults(text).map((fault) => `${path} ${fault}`));
  }
  const judged = await plpgsqlFindings(dir);
  report(judged ?? []);
  const by = judged ? '' : ', without plpgsql_check: it is not installed and could not be';
  console.log(`${functions.length} functions, ${migrations.length} migrations${by}`);
} catch (error) {
  if (!(error instanceof OutriderError)) throw error;
  report([error.message]); // the schema does not apply
}
