// Installs n8n into a folder of its own: it brings more than two thousand packages, and Outrider needs none of them.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';

const wanted = path.join(import.meta.dirname, '../../tools/n8n/package.json');

/** Where n8n is installed unless OUTRIDER_N8N_DIR names another folder, such as one that a CI keeps. */
const usualFolder = path.join(import.meta.dirname, '../../.outrider/n8n');

/** The program of n8n, installed if it is missing or of another version. */
export async function installedN8n(say: (line: string) => void): Promise<string> {
  const folder = process.env['OUTRIDER_N8N_DIR'] ?? usualFolder;
  const program = path.join(folder, 'node_modules/n8n/bin/n8n');
  if (await isInstalled(folder)) return program;
  say(`Installing n8n into ${folder}; this takes 4 to 15 minutes…`);
  await mkdir(folder, { recursive: true });
  await copyFile(wanted, path.join(folder, 'package.json'));
  // Without its install scripts: they compile what only SQLite needs, and n8n keeps its data in PostgreSQL here.
  const flags = [
    '--ignore-scripts',
    '--legacy-peer-deps',
    '--no-fund',
    '--no-audit',
    '--loglevel=error',
  ];
  const patience = ['--fetch-retries=6', '--maxsockets=6'];
  const npm = spawn('npm', ['install', ...flags, ...patience], { cwd: folder, stdio: 'inherit' });
  await once(npm, 'exit');
  if (npm.exitCode !== 0) throw new Error(`npm could not install n8n (exit code ${npm.exitCode})`);
  return program;
}

async function isInstalled(folder: string): Promise<boolean> {
  const [given, ours] = await Promise.all([
    readFile(path.join(folder, 'package.json'), 'utf8').catch(() => undefined),
    readFile(wanted, 'utf8'),
  ]);
  // npm writes this file when everything is in its place.
  const lock = path.join(folder, 'node_modules/.package-lock.json');
  return (
    given === ours &&
    (await readFile(lock).then(
      () => true,
      () => false,
    ))
  );
}
