import { createHash } from 'node:crypto';
import { access, chmod, constants, lstat, mkdir, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { Account } from './account.ts';
import { runProgram, serverFault } from './program.ts';

// A clone under a private home cannot be reached by the account that runs the server. What that
// account needs then lives in one of these places, under a name derived from the original path, so
// that every process finds the same one.
export function standInPlaces(): string[] {
  const isRoot = process.getuid?.() === 0;
  const lasting = isRoot
    ? '/var/lib/outrider'
    : path.join(os.homedir(), '.local', 'share', 'outrider');
  return [lasting, temporaryPlace()];
}

/** Those that data may begin in: a copy of the programs can be made again after a restart, data cannot. */
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

/** Whether the account can use the path. The kernel answers, not a reading of mode bits. */
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

/** Whether we can make a folder in `parent`; makes the parents that are missing. */
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

/** Whether nobody else could have put things there: the temporary folder is open to all. */
export async function isOurs(folder: string): Promise<boolean> {
  const found = await lstat(folder).catch(() => undefined);
  if (found === undefined || !found.isDirectory()) return false;
  if (process.getuid === undefined) return true;
  return found.uid === process.getuid() && (found.mode & 0o022) === 0;
}

// A strict umask would shut the server's account out of the folders that we make for it. One folder at a time: Node's
// recursive mkdir never ends below a folder that lets none be made in it, such as /proc.
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
