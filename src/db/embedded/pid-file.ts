// PostgreSQL's pid file: whether a server runs on a cluster, and where.

import { link, readFile, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isAlive } from '../../is-alive.ts';
import type { Cluster } from './cluster.ts';
import { runProgram } from './program.ts';

/** What postmaster.pid says. PostgreSQL writes and removes it; a crash leaves it behind. */
export interface PidFile {
  readonly text: string;
  readonly pid: number;
  readonly port: number | undefined;
  readonly ready: boolean;
  /** False: it was created a moment ago, and its lines are not written yet. */
  readonly complete: boolean;
}

export async function readPidFile(cluster: Cluster): Promise<PidFile | undefined> {
  const text = await readFile(pidFilePath(cluster), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const lines = text.split('\n');
  const pid = Number.parseInt(lines[0] ?? '', 10);
  const port = Number.parseInt(lines[3] ?? '', 10);
  return {
    text,
    pid: Number.isNaN(pid) ? 0 : pid,
    port: Number.isNaN(port) ? undefined : port,
    ready: lines[7]?.trim() === 'ready',
    complete: !Number.isNaN(pid) || !(await isFresh(cluster)),
  };
}

/**
 * Whether the process of the pid file is this cluster's server. Its number alone proves nothing: after a crash it may
 * belong to any program.
 */
export async function isServing(cluster: Cluster, pid: number): Promise<boolean> {
  if (pid <= 0 || !isAlive(pid)) return false;
  const data = await realpath(cluster.data);
  const folder = await readlink(`/proc/${pid}/cwd`).catch(() => undefined);
  if (folder !== undefined) return folder === data; // the server works inside its data folder
  const command = await runProgram('ps', ['-p', String(pid), '-o', 'command=']);
  return command.output.includes('postgres') && command.output.includes(cluster.data);
}

/**
 * Removes a pid file whose process is not ours; PostgreSQL would wait for that process for ever. If another process has
 * started the server meanwhile, its new file is put back. Until then the shared memory of the folder keeps a third
 * process from starting a second server.
 */
export async function removeStalePidFile(cluster: Cluster, stale: PidFile): Promise<void> {
  const aside = `${pidFilePath(cluster)}.stale-${process.pid}`;
  try {
    await rename(pidFilePath(cluster), aside);
  } catch {
    return; // somebody else removed it
  }
  const text = await readFile(aside, 'utf8');
  if (text !== stale.text) await link(aside, pidFilePath(cluster)).catch(() => undefined);
  await rm(aside, { force: true });
}

async function isFresh(cluster: Cluster): Promise<boolean> {
  const file = await stat(pidFilePath(cluster)).catch(() => undefined);
  return file !== undefined && Date.now() - file.mtimeMs < 2_000;
}

function pidFilePath(cluster: Cluster): string {
  return path.join(cluster.data, 'postmaster.pid');
}
