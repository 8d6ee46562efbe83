// Starts and stops PostgreSQL's server process.

import { type ChildProcess, spawn } from 'node:child_process';
import { open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Account } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Cluster } from './cluster.ts';
import { readPidFile } from './pid-file.ts';
import { asAccount, programEnvironment, runProgram, serverFault } from './program.ts';

export type Settings = Readonly<Record<string, string | number | boolean>>;

// ready: it runs. occupied: another server has the folder, or its last processes are still ending. port_taken: another
// program took the port after we had found it free.
export type Launch = 'ready' | 'occupied' | 'port_taken';

/** Starts the server and waits until it is ready or has ended. */
export async function launch(
  cluster: Cluster,
  binaries: Binaries,
  account: Account | undefined,
  port: number,
  settings: Settings,
): Promise<Launch> {
  await rotateLog(cluster);
  const log = await open(cluster.log, 'a', 0o600);
  try {
    const from = (await log.stat()).size;
    const child = spawn(
      path.join(binaries.binDir, 'postgres'),
      serverArguments(cluster, port, settings),
      {
        ...asAccount(account),
        cwd: '/',
        env: programEnvironment,
        // A session of its own: neither our end nor a Ctrl-C in our terminal ends it.
        detached: true,
        stdio: ['ignore', log.fd, log.fd],
      },
    );
    const failure = await untilReady(cluster, child);
    child.unref();
    if (failure === undefined) {
      await writeFile(cluster.portFile, `${port}\n`);
      return 'ready';
    }
    const said = (await readFile(cluster.log)).subarray(from).toString().trim();
    return explain(cluster, said || failure);
  } finally {
    await log.close();
  }
}

/** Stops the server that runs now. */
export async function shutDown(
  cluster: Cluster,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> {
  const running = await readPidFile(cluster);
  if (running === undefined) return;
  const args = ['--pgdata', cluster.data, '--mode=fast', '--no-wait', 'stop'];
  const end = await runProgram(path.join(binaries.binDir, 'pg_ctl'), args, account);
  // pg_ctl's own wait would also wait for the next server, if one starts at once.
  const patience = AbortSignal.timeout(60_000);
  while (!patience.aborted) {
    if ((await readPidFile(cluster))?.pid !== running.pid) return;
    await delay(15);
  }
  throw serverFault(
    `PostgreSQL (process ${running.pid}) did not stop: ${end.output}`,
    `see ${cluster.log}`,
  );
}

/** The port of the last run if it is free, so that addresses stay valid; else any free port. */
export async function choosePort(cluster: Cluster, fresh: boolean): Promise<number> {
  const kept = Number.parseInt(await readFile(cluster.portFile, 'utf8').catch(() => ''), 10);
  if (!fresh && !Number.isNaN(kept) && (await freePort(kept)) === kept) return kept;
  const port = await freePort(0);
  if (port !== undefined) return port;
  throw serverFault('no free port was found on the loopback interface', 'set DATABASE_URL');
}

function serverArguments(cluster: Cluster, port: number, settings: Settings): string[] {
  const all: Settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    timezone: 'UTC',
    log_timezone: 'UTC',
    log_checkpoints: false,
    // Statements and details quote rows, which may hold secrets.
    log_error_verbosity: 'terse',
    log_min_error_statement: 'panic',
    ...settings,
    port,
  };
  const flags = Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return ['-D', cluster.data, ...flags];
}

/** Why the server ended; undefined: it is ready. */
async function untilReady(cluster: Cluster, child: ChildProcess): Promise<string | undefined> {
  const over = new AbortController();
  child.on('error', (error) => over.abort(error.message));
  child.on('exit', (code, signal) => over.abort(`it ended at once (${signal ?? code})`));
  while (!over.signal.aborted) {
    const file = await readPidFile(cluster);
    if (file?.ready && file.pid === child.pid) return undefined;
    await delay(15, undefined, { signal: over.signal }).catch(() => undefined);
  }
  return String(over.signal.reason);
}

function explain(cluster: Cluster, said: string): Launch {
  if (
    /lock file "postmaster.pid" already exists|shared memory block|lock file .* is empty/.test(said)
  ) {
    return 'occupied';
  }
  if (/could not (bind|create any TCP)/.test(said)) return 'port_taken';
  const lines = said.split('\n').slice(-6);
  const faults = lines.map((line) => line.replace(/^.*?\b(?=[A-Z]+: {2})/, ''));
  throw serverFault(
    `PostgreSQL did not start: ${faults.join(' ')}`,
    `see ${cluster.log}; OUTRIDER_DATA_DIR names another folder, DATABASE_URL another server`,
  );
}

async function rotateLog(cluster: Cluster): Promise<void> {
  const size = await stat(cluster.log).then(
    (found) => found.size,
    () => 0,
  );
  if (size > 10_000_000) await rename(cluster.log, `${cluster.log}.1`).catch(() => undefined);
}

function freePort(wanted: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const probe = net.createServer();
    probe.on('error', () => resolve(undefined));
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      const port = typeof address === 'object' && address !== null ? address.port : undefined;
      probe.close(() => resolve(port));
    });
  });
}
