import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import {
  appendFile,
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  watch,
  writeFile,
} from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest';
import { serverAccount } from '../../src/db/embedded/account.ts';
import { findBinaries } from '../../src/db/embedded/binaries.ts';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../src/db/embedded/pid-file.ts';
import { runProgram } from '../../src/db/embedded/program.ts';
import { type Server, type ServerOptions, startServer } from '../../src/db/embedded/server.ts';
import { openClient } from '../../src/db/pool.ts';
import { neighbour, spawnNeighbour } from '../support/neighbour.ts';
import { runPrefix } from '../support/orphans.ts';

const asRoot = process.getuid?.() === 0;

let parent: string;
let shared: ServerOptions; // a folder that is initialised once; every test leaves it stopped
const leftovers: (() => unknown)[] = [];

beforeAll(async () => {
  parent = await openFolder();
  shared = optionsFor(path.join(parent, 'shared'));
  await (await startServer(shared)).stop();
});

afterEach(async () => {
  for (const undo of leftovers.splice(0).toReversed()) await undo();
});

afterAll(() => rm(parent, { recursive: true, force: true }));

/** A folder that PostgreSQL's own user may pass through; mkdtemp makes private ones. */
async function openFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  await chmod(folder, 0o755);
  return folder;
}

function optionsFor(dataDir: string, more: Partial<ServerOptions> = {}): ServerOptions {
  const settings = { fsync: 'off' };
  const binDir = inject('postgres').binDir ?? undefined;
  return { dataDir, binDir, settings, initdbFlags: ['--no-sync'], ...more };
}

async function start(options: ServerOptions): Promise<Server> {
  const server = await startServer(options);
  leftovers.push(() => server.stop());
  return server;
}

async function connect(server: Server): Promise<pg.Client> {
  const client = await openClient({ url: server.url(), applicationName: 'outrider test' });
  leftovers.push(() => client.end());
  return client;
}

async function serverPid(options: ServerOptions): Promise<number> {
  const file = await readPidFile(clusterIn(options.dataDir));
  if (file === undefined) throw new Error('there is no pid file');
  return file.pid;
}

describe('the embedded server', () => {
  it('runs as an unprivileged user, whoever starts it', async () => {
    await start(shared);
    const process = await stat(`/proc/${await serverPid(shared)}`);
    expect(process.uid).not.toBe(0);
  });

  it.runIf(asRoot)('runs for an ordinary user too', async () => {
    const account = await serverAccount('/nowhere');
    const own = path.join(parent, 'own');
    await mkdir(own);
    await chown(own, account?.uid ?? -1, account?.gid ?? -1);
    const user = await neighbour(optionsFor(path.join(own, 'postgres')), account);
    expect(user.startedHere).toBe(true);
    await user.leave();
  });

  it('knows Cyrillic letters and counts characters', async () => {
    const client = await connect(await start(shared));
    const { rows } = await client.query("select lower('ЁЛКА') as lower, length('ёж') as length");
    expect(rows).toEqual([{ lower: 'ёлка', length: 2 }]);
  });

  it('keeps its data and its port across runs', async () => {
    const first = await startServer(shared);
    const client = await openClient({ url: first.url(), applicationName: 'outrider test' });
    await client.query('create table kept as select 42 as answer');
    await client.end();
    await first.stop();
    const again = await connect(await start(shared));
    expect((await again.query('select answer from kept')).rows).toEqual([{ answer: 42 }]);
    expect((await start(shared)).port).toBe(first.port);
    await again.query('drop table kept');
  });

  it('listens on the loopback interface only, and only for those who know the password', async () => {
    const server = await start(shared);
    const client = await connect(server);
    expect((await client.query('show listen_addresses')).rows).toEqual([
      { listen_addresses: '127.0.0.1' },
    ]);
    const stranger = server.url().replace(server.password, 'guess');
    await expect(openClient({ url: stranger, applicationName: 'stranger' })).rejects.toThrow(
      /password authentication failed/,
    );
    const mode = (await stat(clusterIn(server.home).passwordFile)).mode & 0o777;
    expect(mode).toBe(0o600);
  });

  it('keeps statements and rows out of its log', async () => {
    const server = await start(shared);
    const client = await connect(server);
    await client.query('create temp table small (v text check (length(v) < 3))');
    await expect(client.query("insert into small values ('s3cret-value')")).rejects.toThrow(
      /check/,
    );
    expect(await readFile(clusterIn(server.home).log, 'utf8')).not.toContain('s3cret-value');
  });

  it('takes another port when somebody else sits on its own', async () => {
    const squatter = net.createServer();
    squatter.listen(0, '127.0.0.1');
    await once(squatter, 'listening');
    leftovers.push(() => squatter.close());
    const address = squatter.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    await writeFile(clusterIn(shared.dataDir).portFile, `${address.port}\n`);
    const server = await start(shared);
    expect(server.port).not.toBe(address.port);
  });
});

describe('after a crash', () => {
  it('of the process that started it, the next one joins the server left running', async () => {
    const first = await neighbour(shared);
    expect(first.startedHere).toBe(true);
    const pid = await serverPid(shared);
    await first.kill();
    const server = await start(shared);
    expect(server.startedHere).toBe(false);
    expect(await serverPid(shared)).toBe(pid);
  });

  it('of everything, it starts again with what was committed', async () => {
    const first = await neighbour(shared);
    const client = await openClient({
      url: await urlOf(first.port),
      applicationName: 'outrider test',
    });
    await client.query('drop table if exists survivor; create table survivor as select 1 as one');
    await first.kill();
    process.kill(await serverPid(shared), 'SIGKILL');
    const server = await start(shared);
    expect(server.startedHere).toBe(true);
    const again = await connect(server);
    expect((await again.query('select one from survivor')).rows).toEqual([{ one: 1 }]);
  });

  it('of the server under a running process, it comes back on the same port', async () => {
    const server = await start(shared);
    const witness = await connect(server);
    const gone = new Promise((resolve) => witness.once('end', resolve));
    process.kill(await serverPid(shared), 'SIGKILL');
    await gone;
    const client = await connectWhenBack(server);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('starts over a pid file whose process is gone', async () => {
    const brief = spawn('true');
    await once(brief, 'exit');
    await leavePidFile(brief);
    expect((await start(shared)).startedHere).toBe(true);
  });

  it('starts over a pid file whose number now belongs to another program of the same user', async () => {
    const account = await serverAccount(clusterIn(shared.dataDir).data);
    const other = spawn('cat', { ...account, cwd: '/', stdio: ['pipe', 'ignore', 'ignore'] });
    await once(other, 'spawn');
    leftovers.push(() => other.kill());
    await leavePidFile(other);
    expect((await start(shared)).startedHere).toBe(true);
    expect(other.exitCode).toBeNull();
  });

  it('in the middle of initdb leaves nothing half-made', async () => {
    const options = optionsFor(path.join(parent, 'interrupted'));
    const seen = firstEntry(parent, 'interrupted.making-');
    const child = spawnNeighbour(options);
    const ended = once(child, 'exit');
    await seen;
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL'); // initdb included
    await ended;
    expect(existsSync(options.dataDir)).toBe(false);
    expect((await start(options)).startedHere).toBe(true);
  });
});

describe('several processes', () => {
  it('that start at once on a fresh folder share one server, which exactly one of them started', async () => {
    const options = optionsFor(path.join(parent, 'contested'));
    const all = await Promise.all([neighbour(options), neighbour(options), neighbour(options)]);
    leftovers.push(() => Promise.all(all.map((each) => each.leave())));
    expect(all.filter((each) => each.startedHere)).toHaveLength(1);
    expect(new Set(all.map((each) => each.port)).size).toBe(1);
    const traces = (await readdir(parent)).filter((name) => name.startsWith('contested.making'));
    expect(traces).toEqual([]);
  });

  it('keep the server until the last one leaves', async () => {
    const first = await neighbour(shared);
    const second = await startServer(shared);
    const client = await openClient({ url: second.url(), applicationName: 'outrider test' });
    await first.leave();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    await second.stop();
    expect(await readPidFile(clusterIn(shared.dataDir))).toBeUndefined();
    await expect(openClient({ url: second.url(), applicationName: 'late' })).rejects.toMatchObject({
      code: 'database_away',
    });
  });

  it('that come while the last one leaves find a server', async () => {
    const first = await startServer(shared);
    const [, second] = await Promise.all([first.stop(), start(shared)]);
    const client = await connect(second);
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });
});

describe('the programs of the package', () => {
  it('get their links when its install script did not run', async () => {
    const options = await copyOfPackage(0o755);
    const found = await findBinaries(options);
    expect(found).toEqual({ binDir: path.join(options.packaged, 'bin'), major: 18 });
  });

  it.runIf(asRoot)('are copied once to where the server’s user can run them', async () => {
    const options = await copyOfPackage(0o700);
    const found = await findBinaries(options);
    expect(found.binDir).toContain(options.places[0]);
    expect(await findBinaries(options)).toEqual(found);
    expect(options.notices).toHaveLength(1);
  });
});

describe('a folder', () => {
  it.runIf(asRoot)(
    'that the server’s user cannot reach gets a stand-in, always the same',
    async () => {
      const secluded = await mkdtemp(path.join(os.tmpdir(), runPrefix)); // private to us
      leftovers.push(() => rm(secluded, { recursive: true, force: true }));
      const notices: string[] = [];
      const options = optionsFor(path.join(secluded, 'postgres'), {
        standInPlaces: [path.join(parent, 'stand-ins')],
        notice: (line) => notices.push(line),
      });
      const first = await startServer(options);
      expect(path.dirname(first.home)).toBe(path.join(parent, 'stand-ins'));
      expect(notices).toEqual([
        `PostgreSQL's user cannot reach ${options.dataDir}: its data goes to ${first.home}`,
      ]);
      await first.stop();
      await chmod(secluded, 0o755); // by now it could be reached, but the data is elsewhere
      const again = await start(options);
      expect(again.home).toBe(first.home);
      expect(existsSync(options.dataDir)).toBe(false);
    },
  );

  it('with an encoding other than UTF-8 is refused, and its server does not stay', async () => {
    const options = optionsFor(path.join(parent, 'ascii'));
    await makeAsciiCluster(options.dataDir);
    await expect(startServer(options)).rejects.toMatchObject({
      code: 'database_unsuitable',
      message: expect.stringContaining('SQL_ASCII'),
    });
    expect(await readPidFile(clusterIn(options.dataDir))).toBeUndefined();
  });

  it('of another major version is refused', async () => {
    const options = optionsFor(path.join(parent, 'older'));
    await mkdir(path.join(options.dataDir, 'data'), { recursive: true });
    await writeFile(path.join(options.dataDir, 'data', 'PG_VERSION'), '12\n');
    await expect(startServer(options)).rejects.toMatchObject({
      code: 'embedded_server',
      message: expect.stringContaining('is of PostgreSQL 12'),
    });
  });

  it('that holds something else is refused and left alone', async () => {
    const options = optionsFor(path.join(parent, 'photos'));
    await mkdir(options.dataDir);
    await writeFile(path.join(options.dataDir, 'cat.jpg'), 'meow');
    await expect(startServer(options)).rejects.toThrow(/is not empty and holds no PostgreSQL data/);
    expect(await readdir(options.dataDir)).toEqual(['cat.jpg']);
  });

  it('with a broken configuration yields an error that names the fault and the log', async () => {
    const conf = path.join(clusterIn(shared.dataDir).data, 'postgresql.conf');
    const before = await readFile(conf, 'utf8');
    leftovers.push(() => writeFile(conf, before));
    await appendFile(conf, '\nno_such_setting = 1\n');
    await expect(startServer(shared)).rejects.toMatchObject({
      code: 'embedded_server',
      message: expect.stringContaining('no_such_setting'),
      hint: expect.stringContaining(clusterIn(shared.dataDir).log),
    });
  });
});

/** The address of the shared server for one who does not count as present. */
async function urlOf(port: number): Promise<string> {
  const password = (await readFile(clusterIn(shared.dataDir).passwordFile, 'utf8')).trim();
  return `postgresql://postgres:${password}@127.0.0.1:${port}/postgres`;
}

/** What initdb makes in an environment without a locale. */
async function makeAsciiCluster(home: string): Promise<void> {
  const account = await serverAccount(home);
  const { data, passwordFile } = clusterIn(home);
  await mkdir(data, { recursive: true });
  await writeFile(passwordFile, 'known');
  for (const each of [data, passwordFile])
    await chown(each, account?.uid ?? -1, account?.gid ?? -1);
  const { binDir } = await findBinaries({
    binDir: inject('postgres').binDir ?? undefined,
    account,
    places: [],
    notice: () => undefined,
  });
  const flags = [
    data,
    '--no-sync',
    '--no-locale',
    '--username=postgres',
    `--pwfile=${passwordFile}`,
  ];
  expect(await runProgram(path.join(binDir, 'initdb'), flags, account)).toMatchObject({ code: 0 });
}

/** The package as it lies there before its install script ran. */
async function copyOfPackage(mode: number) {
  const account = await serverAccount('/nowhere');
  const places = [path.join(parent, 'programs')];
  const notices: string[] = [];
  const notice = (line: string): number => notices.push(line);
  const installed = await findBinaries({ binDir: undefined, account, places, notice });
  const copy = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  leftovers.push(() => rm(copy, { recursive: true, force: true }));
  await cp(path.join(installed.binDir, '../..'), copy, { recursive: true, verbatimSymlinks: true });
  await chmod(copy, mode);
  const lib = path.join(copy, 'native', 'lib');
  for (const entry of await readdir(lib, { withFileTypes: true })) {
    if (entry.isSymbolicLink()) await rm(path.join(lib, entry.name));
  }
  const packaged = path.join(copy, 'native');
  return { binDir: undefined, packaged, account, places, notice, notices };
}

/** Leaves the pid file of a crash that names the given process. */
async function leavePidFile(named: ChildProcess): Promise<void> {
  const { data } = clusterIn(shared.dataDir);
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
      return await connect(server);
    } catch {
      // still coming up
    }
  }
}
