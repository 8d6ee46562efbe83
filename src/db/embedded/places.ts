// Folders that PostgreSQL's user can reach, for what it cannot reach where it is.

import { createHash } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Account } from './account.ts';
import { runProgram, serverFault } from './program.ts';

// The account that runs the server cannot reach a clone in a private home folder. What it needs is then kept in one of
// these places, under a name that is derived from the original path: every process finds the same one.
export function standInPlaces(): string[] {
  const isRoot = process.getuid?.() === 0;
  const lasting = isRoot
    ? '/var/lib/outrider'
    : path.join(os.homedir(), '.local', 'share', 'outrider');
  return [lasting, temporaryPlace()];
}

/** The places where data may begin. A copy of the programs can be made again after a restart, data cannot. */
export function lastingPlaces(places: readonly string[]): string[] {
  return places.filter((place) => place !== temporaryPlace());
}

function temporaryPlace(): string {
  const uid = process.getuid?.() ?? 0;
  return path.join(os.tmpdir(), uid === 0 ? 'outrider' : `outrider-${uid}`);
}

export function standInName(original: string): string {
  return createHash('sha256').update(path.resolve(original)).digest('hex').slice(0, 12);
}

/** Whether the account can use the path. We ask the kernel instead of reading mode bits. */
export async function canReach(target: string, account: Account | undefined): Promise<boolean> {
  if (account === undefined) {
    return access(target, constants.X_OK).then(
      () => true,
      () => false,
    );
  }
  const end = await runProgram('/bin/sh', ['-c', 'test -x "$1"', 'sh', target], account);
  return end.code === 0;
}

/** Whether we can make a folder in `parent`. Makes `parent`, with its own parents, if it is missing. */
export async function canWrite(parent: string): Promise<boolean> {
  try {
    await makeOpenFolder(parent);
    await access(parent, constants.W_OK | constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** The first stand-in place that is ours and that the account can reach. */
export async function usablePlace(
  places: readonly string[],
  account: Account | undefined,
): Promise<string> {
  for (const place of places) {
    const isUsable = (await canWrite(place)) && (await canReach(place, account));
    if (isUsable && (await isOurs(place))) return place;
  }
  throw serverFault(
    `no folder was found that PostgreSQL's user can reach (tried ${places.join(', ')})`,
    'set OUTRIDER_DATA_DIR to a folder that every user may enter, or set DATABASE_URL',
  );
}

/**
 * Whether only we can write to the folder: others may write to the temporary folder, and make one of our name in it.
 */
export async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return false;
  if (process.getuid === undefined) return true;
  return found.uid === process.getuid() && (found.mode & 0o022) === 0;
}

// Sets the mode itself, since a strict umask would shut the server's account out. Makes one folder at a time: Node's
// recursive mkdir never ends below a folder that takes no new folders, such as /proc.
async function makeOpenFolder(folder: string): Promise<void> {
  if (await isFolder(folder)) return;
  await makeOpenFolder(path.dirname(folder));
  try {
    await mkdir(folder);
    await chmod(folder, 0o755);
  } catch (error) {
    if (!(await isFolder(folder))) throw error; // somebody else may have made it
  }
}

async function isFolder(target: string): Promise<boolean> {
  const found = await stat(target).catch(() => undefined);
  return found?.isDirectory() === true;
}
