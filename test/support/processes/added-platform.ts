// A copy of the program with one more platform, added by the steps of docs/adapters.md and by nothing else.

import { cp, mkdir, mkdtemp, readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runPrefix } from '../runner/run-folders.ts';

const root = path.join(import.meta.dirname, '../../..');

export interface AddedPlatform {
  /** The folder of the copy. */
  readonly folder: string;
  /** The lines that were added to existing files. */
  readonly lines: readonly string[];
}

/** `own` is a folder with `adapter/`, `simulator/` and `platform.sql`. */
export async function addPlatform(name: string, own: string): Promise<AddedPlatform> {
  const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  for (const part of ['src', 'sandbox', 'db', 'presets', 'package.json']) {
    await cp(path.join(root, part), path.join(folder, part), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));

  await copyCode(path.join(own, 'adapter'), path.join(folder, 'src/adapters', name));
  await copyCode(path.join(own, 'simulator'), path.join(folder, 'sandbox', name));
  const migrations = path.join(folder, 'db/migrations');
  const number = String((await readdir(migrations)).length + 1).padStart(4, '0');
  await cp(path.join(own, 'platform.sql'), path.join(migrations, `${number}_${name}.sql`));

  const lists = ['src/adapters/platforms.ts', 'sandbox/platforms.ts'];
  const lines = await Promise.all(lists.map((list) => enlist(path.join(folder, list), name)));
  return { folder, lines: lines.flat() };
}

/** In the folder of the tests the code imports the program by longer paths than in its final place. */
async function copyCode(from: string, to: string): Promise<void> {
  await mkdir(to);
  for (const file of await readdir(from)) {
    const code = await readFile(path.join(from, file), 'utf8');
    const near = code.replaceAll(/(?:\.\.\/){3}(?:src\/adapters|sandbox)\//g, '../');
    await writeFile(path.join(to, file), near);
  }
}

async function enlist(file: string, name: string): Promise<string[]> {
  const before = (await readFile(file, 'utf8')).split('\n');
  const first = before.findIndex((line) => line.startsWith('import '));
  const after = before
    .toSpliced(first, 0, `import { ${name} } from './${name}/index.ts';`)
    .map((line) => line.replace(/^(export const .* = \[.*\w)\]/, `$1, ${name}]`));
  await writeFile(file, after.join('\n'));
  return after.filter((line) => !before.includes(line));
}
