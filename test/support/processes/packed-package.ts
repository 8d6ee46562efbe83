// The package as npm publishes it, installed in an empty folder: what somebody has who wrote `npm install outrider`.

import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { runPrefix } from '../runner/run-folders.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../../..');
const built = ['src', 'sandbox', 'db', 'presets', 'tsconfig.json', 'tsconfig.build.json'];
const published = ['package.json', 'README.md', 'LICENSE'];

export interface Consumer {
  /** It has node_modules and what npm writes beside it, and nothing else. */
  readonly folder: string;
  close(): Promise<void>;
}

/** Installs the package with further ones beside it, from npm's cache where that has them. */
export async function installPacked(...others: readonly string[]): Promise<Consumer> {
  const place = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  const folder = path.join(place, 'consumer');
  const close = (): Promise<void> => rm(place, { recursive: true, force: true });
  try {
    const tarball = await pack(path.join(place, 'clone'), place);
    await mkdir(folder);
    await writeFile(path.join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    // npm may itself run on a Node that is older than the one that the package asks for: then it warns.
    const quick = ['--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund'];
    await run('npm', ['install', ...quick, tarball, ...others], { cwd: folder });
    return { folder, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Packs a copy of the sources, so that whoever uses `dist` of this clone meanwhile finds it whole. */
async function pack(clone: string, to: string): Promise<string> {
  for (const part of [...built, ...published]) {
    await cp(path.join(root, part), path.join(clone, part), { recursive: true });
  }
  await symlink(path.join(root, 'node_modules'), path.join(clone, 'node_modules'));
  const { stdout } = await run('npm', ['pack', '--silent', '--pack-destination', to], {
    cwd: clone,
  });
  return path.join(to, stdout.trim().split('\n').at(-1) ?? '');
}
