// The folder of one PostgreSQL cluster: where it is, and how it is made.

import { randomBytes } from 'node:crypto';
import {
  chmod,
  chown,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import path from 'node:path';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import {
  canReach,
  canWrite,
  isOurs,
  lastingPlaces,
  standInName,
  standInPlaces,
  usablePlace,
} from './places.ts';
import { runProgram, serverFault } from './program.ts';

/** The files of one PostgreSQL cluster, and of those who run and join it. */
export interface Cluster {
  readonly home: string;
  readonly data: string;
  readonly passwordFile: string;
  readonly portFile: string;
  readonly log: string;
}

export const superuser = 'postgres';

export function clusterIn(home: string): Cluster {
  return {
    home,
    data: path.join(home, 'data'),
    passwordFile: path.join(home, 'password'),
    portFile: path.join(home, 'port'),
    log: path.join(home, 'postgres.log'),
  };
}

/** The major version of the cluster in a folder; undefined: there is none. */
export async function clusterMajor(cluster: Cluster): Promise<number | undefined> {
  const text = await readFile(path.join(cluster.data, 'PG_VERSION'), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : Number.parseInt(text, 10);
}

/** Whether there is no data for this folder yet, neither in it nor in a stand-in. Writes nothing. */
export async function isUnused(wanted: string, places = standInPlaces()): Promise<boolean> {
  const homes = [wanted, ...places.map((place) => path.join(place, standInName(wanted)))];
  const absent = await Promise.all(homes.map((home) => isAbsent(clusterIn(home).data)));
  return absent.every(Boolean);
}

export interface HomeOptions {
  readonly places: readonly string[];
  readonly mayMove: boolean;
  readonly notice: (line: string) => void;
}

/**
 * Chooses where the cluster lives: in the wanted folder, or in its stand-in if the server's account cannot reach the
 * wanted folder. A folder that we cannot write to has no stand-in: nobody would look for the data there.
 */
export async function chooseHome(
  wanted: string,
  account: Account | undefined,
  { places, mayMove, notice }: HomeOptions,
): Promise<string> {
  const here = clusterIn(wanted);
  if (await exists(here.data)) {
    if (await canReach(here.data, account)) return wanted;
    throw serverFault(
      `the data folder ${here.data} is there, but PostgreSQL's user cannot reach it`,
      `let it pass through every parent folder (chmod o+x), or set OUTRIDER_DATA_DIR`,
    );
  }
  // A stand-in that holds data stays in use, even if the account can reach the wanted folder now.
  for (const place of places) {
    const there = path.join(place, standInName(wanted));
    if ((await isOurs(place)) && (await exists(clusterIn(there).data))) {
      notice(`PostgreSQL's data for ${wanted} is in ${there}`);
      return there;
    }
  }
  const parent = path.dirname(wanted);
  if (!(await canWrite(parent))) {
    throw serverFault(
      `PostgreSQL's data cannot be kept in ${wanted}: ${parent} is no folder that the user of this process can write to`,
      'set OUTRIDER_DATA_DIR to a folder that it can write to, or DATABASE_URL to a server of your own',
    );
  }
  if (await canReach(parent, account)) return wanted;
  // In a stand-in, a typing error or a missing mount would become an empty database that nobody backs up.
  if (!mayMove) {
    throw serverFault(
      `PostgreSQL's data cannot be kept in ${wanted}: its user cannot reach ${parent}`,
      'correct OUTRIDER_DATA_DIR, or let every user pass through its parent folders (chmod o+x)',
    );
  }
  const there = path.join(await usablePlace(lastingPlaces(places), account), standInName(wanted));
  notice(`PostgreSQL's user cannot reach ${wanted}: its data goes to ${there}`);
  return there;
}

export interface Making {
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly initdbFlags: readonly string[];
  /** Stops it; nothing is left behind. */
  readonly signal: AbortSignal | undefined;
}

/** Makes the cluster. A second process that tries the same uses the cluster of the first. A crash leaves no cluster. */
export async function createCluster(cluster: Cluster, means: Making): Promise<void> {
  await refuseOtherContents(cluster.home);
  await removeAbandoned(cluster.home);
  const making = clusterIn(`${cluster.home}.making-${randomBytes(4).toString('hex')}`);
  try {
    await initialise(making, means);
    await rename(making.home, cluster.home);
  } catch (error) {
    const second = (await clusterMajor(cluster)) !== undefined;
    if (!second) throw error;
  } finally {
    await rm(making.home, { recursive: true, force: true });
  }
}

async function initialise(
  cluster: Cluster,
  { binaries, account, initdbFlags, signal }: Making,
): Promise<void> {
  await mkdir(cluster.home);
  await chmod(cluster.home, 0o755);
  await mkdir(cluster.data, { mode: 0o700 });
  await writeFile(cluster.passwordFile, `${randomBytes(24).toString('base64url')}\n`, {
    mode: 0o600,
  });
  if (account !== undefined) {
    await chown(cluster.data, account.uid, account.gid);
    await chown(cluster.passwordFile, account.uid, account.gid);
  }
  const end = await runProgram(
    path.join(binaries.binDir, 'initdb'),
    [
      `--pgdata=${cluster.data}`,
      `--username=${superuser}`,
      `--pwfile=${cluster.passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      ...localeFlags(binaries.major),
      ...initdbFlags,
    ],
    account,
    signal,
  );
  signal?.throwIfAborted();
  if (end.code !== 0) {
    throw serverFault(
      `initdb failed for ${cluster.home}: ${end.output.split('\n').slice(-3).join(' ')}`,
      'free disk space or set OUTRIDER_DATA_DIR to another folder, or set DATABASE_URL',
    );
  }
  // From now on those who connect read the password, and not the server.
  if (account !== undefined)
    await chown(cluster.passwordFile, process.getuid?.() ?? 0, process.getgid?.() ?? 0);
}

// Without a locale initdb makes SQL_ASCII, where lower() knows no Cyrillic and length() counts bytes.
function localeFlags(major: number): string[] {
  if (major >= 17) return ['--locale-provider=builtin', '--builtin-locale=C.UTF-8', '--no-locale'];
  return ['--locale=C.UTF-8'];
}

async function refuseOtherContents(home: string): Promise<void> {
  const inside: string[] = await readdir(home).catch(() => []);
  if (inside.length === 0 || inside.includes('data')) return;
  throw serverFault(
    `${home} is not empty and holds no PostgreSQL data`,
    'empty it, or set OUTRIDER_DATA_DIR to another folder',
  );
}

// Removes what a process has left that died while it made a cluster. A young folder may still be in use.
async function removeAbandoned(home: string): Promise<void> {
  const parent = path.dirname(home);
  const prefix = `${path.basename(home)}.making-`;
  for (const name of await readdir(parent).catch(() => [])) {
    if (!name.startsWith(prefix)) continue;
    const folder = path.join(parent, name);
    const made = await stat(folder).catch(() => undefined);
    if (made !== undefined && Date.now() - made.mtimeMs > 600_000) {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

/** False also when we may not look: then it may be there. */
async function isAbsent(target: string): Promise<boolean> {
  return stat(target).then(
    () => false,
    (error: NodeJS.ErrnoException) => error.code === 'ENOENT' || error.code === 'ENOTDIR',
  );
}

async function exists(target: string): Promise<boolean> {
  return stat(target).then(
    () => true,
    () => false,
  );
}
