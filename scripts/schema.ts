// Writes docs/outrider.schema.json: the JSON Schema of a configuration file, for editors.

import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { documentSchema } from '../src/cli/apply/document.ts';

const root = join(import.meta.dirname, '..');
const file = join(root, 'docs/outrider.schema.json');
writeFileSync(file, `${JSON.stringify(documentSchema(), null, 2)}\n`);
const { status } = spawnSync('biome', ['format', '--write', file], { cwd: root, stdio: 'inherit' });
process.exitCode = status ?? 1;
