// Writes what is said of the environment variables, from src/environment.ts: the table of docs/operations.md and
// .env.example.

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { variables } from '../src/config.ts';
import { envExample } from './environment/env-example.ts';
import { withTable } from './environment/table.ts';

const root = path.resolve(import.meta.dirname, '..');
const page = path.join(root, 'docs/operations.md');

await writeFile(page, withTable(await readFile(page, 'utf8'), variables));
await writeFile(path.join(root, '.env.example'), envExample(variables));
console.log(`docs/operations.md, .env.example: ${variables.length} variables`);
