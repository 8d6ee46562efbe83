// Runs every `check:*` script of package.json, also after one has failed: a line for each that
// passes, its whole output for each that does not.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

for (const script of Object.keys(scripts).filter((name) => name.startsWith('check:'))) {
  const run = spawnSync('npm', ['run', '--silent', script], { cwd: root, encoding: 'utf8' });
  const output = `${run.stdout}${run.stderr}`.trim();
  if (run.status === 0) {
    console.log(`ok    ${script}  ${output.split('\n').at(-1)}`.trimEnd());
  } else {
    console.log(`FAIL  ${script}\n${output}\n`);
    process.exitCode = 1;
  }
}
