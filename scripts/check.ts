// Runs every `check:*` script of package.json, all at the same time, also after one has failed: a line for each that
// passes, its whole output for each that does not.
import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { z } from 'zod';

const root = join(import.meta.dirname, '..');
const Manifest = z.object({ scripts: z.record(z.string(), z.string()) });
const { scripts } = Manifest.parse(JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')));

interface Checked {
  readonly script: string;
  readonly code: number | null;
  readonly output: string;
}

async function check(script: string): Promise<Checked> {
  const run = spawn('npm', ['run', '--silent', script], { cwd: root });
  const code = new Promise<number | null>((resolve) => run.once('close', resolve));
  const [out, err] = await Promise.all([text(run.stdout), text(run.stderr)]);
  return { script, code: await code, output: `${out}${err}`.trim() };
}

const names = Object.keys(scripts).filter((name) => name.startsWith('check:'));
for (const { script, code, output } of await Promise.all(names.map(check))) {
  if (code === 0) {
    console.log(`ok    ${script}  ${output.split('\n').at(-1)}`.trimEnd());
  } else {
    console.log(`FAIL  ${script}\n${output}\n`);
    process.exitCode = 1;
  }
}
