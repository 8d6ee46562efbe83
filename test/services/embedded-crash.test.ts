import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, watch, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { describe, expect, it } from 'vitest';
import { serverAccount } from '../../src/db/embedded/account.ts';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import type { Server } from '../../src/db/embedded/server.ts';
import { openClient } from '../../src/db/pool.ts';
import { EmbeddedFolders, serverPid } from '../support/database/embedded-folders.ts';
import { serverUser, spawnServerUser } from '../support/processes/server-user-child.ts';

const folders = new EmbeddedFolders();

describe('after a crash', () => {
  it('of the process that started it, the next one joins the server left running', async () => {
    const first = await serverUser(folders.shared);
    expect(first.startedHere).toBe(true);
    const pid = await serverPid(folders.shared);
    await first.kill();
    const server = await folders.start();
    expect(server.startedHere).toBe(false);
    expect(await serverPid(folders.shared)).toBe(pid);
  });

  it('of everything, it starts again with what was committed', async () => {
    const first = await serverUser(folders.shared);
    const client = await openClient({
      url: await urlOf(first.port),
      applicationName: 'outrider test',
    });
    await client.query('drop table if exists survivor; create table survivor as select 1 as one');
    await first.kill();
    process.kill(await serverPid(folders.shared), 'SIGKILL');
    const server = await folders.start();
    expect(server.startedHere).toBe(true);
    const again = await folders.connect(server);
    expect((await again.query('select one from survivor')).rows).toEqual([{ one: 1 }]);
  });

  it('of the server under a running process, it comes back on the same port', async () => {
    const server = await folders.start();
    const witness = await folders.connect(server);
    const gone = new Promise((resolve) => witness.once('end', resolve));
    process.kill(await serverPid(folders.shared), 'SIGKILL');
    await gone;
    const client = await connectWhenBack(server);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('starts over a pid file whose process is gone', async () => {
    const brief = spawn('true');
    await once(brief, 'exit');
    await leavePidFile(brief);
    expect((await folders.start()).startedHere).toBe(true);
  });

  it('starts over a pid file whose number now belongs to another program of the same user', async () => {
    const account = await serverAccount(clusterIn(folders.shared.dataDir).data);
    const other = spawn('cat', { ...account, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
    await once(other, 'spawn');
    folders.later(() => other.kill());
    await leavePidFile(other);
    expect((await folders.start()).startedHere).toBe(true);
    expect(other.exitCode).toBeNull();
  });

  it('in the middle of initdb leaves nothing half-made', async () => {
    const options = folders.options('interrupted');
    const seen = firstEntry(folders.parent, 'interrupted.making-');
    const child = spawnServerUser(options);
    const ended = once(child, 'exit');
    await seen;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // initdb included
    await ended;
    expect(existsSync(options.dataDir)).toBe(false);
    expect((await folders.start(options)).startedHere).toBe(true);
  });
});

/** The address of the folders.shared server for one who does not count as present. */
async function urlOf(port: number): Promise<string> {
  const password = (await readFile(clusterIn(folders.shared.dataDir).passwordFile, 'utf8')).trim();
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}

/** Leaves the pid file of a crash that names the given process. */
async function leavePidFile(named: ChildProcess): Promise<void> {
  const { data } = clusterIn(folders.shared.dataDir);
  const lines = [named.pid, data, 1, 5432, '', '127.0.0.1', '  12345    0', 'ready   ', ''];
  await writeFile(path.join(data, 'postmaster.pid'), lines.join('\n'));
}

/** Resolves when the folder gets an entry whose name starts so. */
async function firstEntry(folder: string, prefix: string): Promise<void> {
  for await (const event of watch(folder)) {
    if (event.filename?.startsWith(prefix)) return;
  }
}

/** Each refused attempt is the signal to try the next. */
async function connectWhenBack(server: Server): Promise<pg.Client> {
  for (;;) {
    try {
      return await folders.connect(server);
    } catch {
      // still coming up
    }
  }
}
