import { readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { clusterIn } from '../../../src/db/embedded/cluster.ts';
import { isServing, readPidFile } from '../../../src/db/embedded/pid-file.ts';

const marker = 'outrider-test-';

/** Folders of this run have its process id in their names: a later run can tell that their owner is gone. */
export const runPrefix = `${marker}${process.pid}-`;

/** Ends the servers of test runs that were killed before they could do so; such servers would pile up. */
export async function removeOrphans(): Promise<void> {
  for (const name of await readdir(os.tmpdir())) {
    const owner = name.startsWith(marker) ? Number.parseInt(name.slice(marker.length), 10) : 0;
    if (!(owner > 0) || isAlive(owner)) continue;
    const folder = path.join(os.tmpdir(), name);
    const cluster = clusterIn(path.join(folder, 'postgres'));
    const file = await readPidFile(cluster);
    if (file !== undefined && (await isServing(cluster, file.pid)))
      process.kill(file.pid, 'SIGQUIT');
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
