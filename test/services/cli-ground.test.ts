import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../src/db/embedded/pid-file.ts';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { addWorkspace } from '../support/database/seed.ts';
import { openEmptyDatabase, type Role } from '../support/database/test-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';
import { runPrefix } from '../support/runner/run-folders.ts';

// What every command stands on: a database of the right version, and an end that leaves nothing behind.

const root = path.resolve(import.meta.dirname, '../..');
const database = await useDatabase();
const undo = useUndo();

beforeAll(async () => {
  await addWorkspace(database.admin, 'city');
});

/** As if another version of Outrider had made the database. */
async function withOtherFunction<Result>(work: () => Promise<Result>): Promise<Result> {
  const change = `update outrider.schema_functions set checksum = $1 where name = 'show_workspace'`;
  const { rows } = await database.admin.query<{ checksum: string }>(
    `select checksum from outrider.schema_functions where name = 'show_workspace'`,
  );
  await database.admin.query(change, ['other']);
  try {
    return await work();
  } finally {
    await database.admin.query(change, [rows[0]?.checksum]);
  }
}

async function functionVersions(): Promise<object[]> {
  const { rows } = await database.admin.query<object>(
    `select p.proname, p.xmin::text from pg_proc p where p.pronamespace = 'outrider'::regnamespace order by 1`,
  );
  return rows;
}

describe('a command that only looks', () => {
  it.each([['status'], ['channels', 'list'], ['deliveries', 'list'], ['outbox', 'status']])(
    'changes no function of a database of another version: %s',
    async (...args) => {
      const before = await functionVersions();
      const { code, err } = await withOtherFunction(() =>
        runOutrider(args, { databaseUrl: database.url }),
      );
      expect({ code, err }).toEqual({
        code: 1,
        err: expect.stringContaining('the database was made by another version of Outrider'),
      });
      expect(await functionVersions()).toEqual(before);
    },
  );

  it('says that there is nothing yet in an empty database', async () => {
    const empty = await openEmptyDatabase();
    undo.push(() => empty.drop());
    const { code, err } = await runOutrider(['status'], { databaseUrl: empty.url });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('there is nothing of Outrider in this database yet'),
    });
  });

  it('waits for nobody: neither for a reader of the events nor for an advisory lock', async () => {
    const reader = await database.admin.connect();
    undo.push(() => reader.release(true));
    await reader.query('begin');
    await reader.query('select count(*) from outrider.events');
    await reader.query(
      `select pg_advisory_lock(7170131002), pg_advisory_lock(hashtext('outrider.ensure_event_partitions'))`,
    );
    const { code } = await runOutrider(['status'], { databaseUrl: database.url });
    expect(code).toBe(0);
  });
});

describe('a data folder with nothing in it', () => {
  it.each([
    [['status']],
    [['channels']],
    [['deliveries']],
    [['deliveries', 'show', '0198c0de']],
    [['channels', 'pause', 'a', '--reason', 'w']],
    [['outbox', 'list']],
    [['outbox', 'status']],
    [['auth', 'check']],
    [['send', '--text', 'Hello']],
  ])('is named to whoever looks or gives an order there, and nothing is made: %j', async (args) => {
    const parent = await mkdtemp(path.join(os.tmpdir(), runPrefix));
    undo.push(() => rm(parent, { recursive: true, force: true }));
    await chmod(parent, 0o755); // PostgreSQL's own user could begin here
    const folder = path.join(parent, 'misspelt');
    const env = { OUTRIDER_DATA_DIR: folder };
    const { code, out, err } = await runOutrider(args, { databaseUrl: '', env });
    expect({ code, out }).toEqual({ code: 1, out: '' });
    expect(err).toContain(`outrider ${args[0]}: there is no data of Outrider in ${folder}\n`);
    expect(err).toContain('set OUTRIDER_DATA_DIR to its data folder');
    expect(await readdir(parent)).toEqual([]);
  });
});

describe('a login that may not look', () => {
  it.each<{ title: string; roles: Role[] }>([
    { title: 'has no role', roles: [] },
    { title: 'is a tenant’s', roles: ['outrider_reader'] },
    { title: 'only publishes', roles: ['outrider_publisher'] },
  ])('is told so, and what it needs, when it $title', async ({ roles }) => {
    const url = await database.addLogin({ workspaces: ['city'], roles });
    const { code, err } = await runOutrider(['status'], { databaseUrl: url });
    const login = new URL(url).username;
    expect({ code, err }).toEqual({
      code: 1,
      err: `outrider status: the login ${login} may not do this: it is no member of outrider_service
  use a login that is; a tenant's login asks in SQL, such as select outrider.show_workspace('shop')
`,
    });
  });
});

describe('a login of a tenant', () => {
  it('is not offered to become the owner of everything', async () => {
    const url = await database.addLogin({ workspaces: ['city'], roles: ['outrider_reader'] });
    const { code, err } = await runOutrider(['migrate'], { databaseUrl: url });
    expect(code).toBe(1);
    expect(err).toContain('let an administrator run outrider migrate');
    expect(err).not.toContain('grant');
  });
});

describe('a data folder that was chosen', () => {
  it('and is none is refused: nothing is kept anywhere else', async () => {
    const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
    undo.push(() => rm(folder, { recursive: true }));
    const file = path.join(folder, 'data');
    await writeFile(file, 'not a folder');
    const env = { OUTRIDER_DATA_DIR: file };
    const { code, err } = await runOutrider(['migrate'], { databaseUrl: '', env });
    expect(code).toBe(1);
    expect(err).toContain(`PostgreSQL's data cannot be kept in ${file}`);
    expect(err).toContain('set OUTRIDER_DATA_DIR to a folder that it can write to');
  });

  it.runIf(process.platform === 'linux')(
    'and in which nothing can be made is refused',
    async () => {
      const env = { OUTRIDER_DATA_DIR: '/proc/outrider' };
      const { code, err } = await runOutrider(['migrate'], { databaseUrl: '', env });
      expect(code).toBe(1);
      expect(err).toContain("PostgreSQL's data cannot be kept in /proc/outrider/postgres");
    },
  );
});

describe('a command that is interrupted', () => {
  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)(
    'by %s ends with %i and leaves no PostgreSQL running that it has started',
    async (signal, code) => {
      const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
      undo.push(() => rm(folder, { recursive: true, force: true }));
      await chmod(folder, 0o755); // PostgreSQL's own user passes through
      const child = spawn(process.execPath, ['src/cli/outrider.ts', 'migrate'], {
        cwd: root,
        env: { PATH: process.env['PATH'], OUTRIDER_DATA_DIR: folder, ...compiledSources },
        stdio: 'ignore',
      });
      undo.push(() => child.kill('SIGKILL'));
      const ended = once(child, 'exit');
      const cluster = clusterIn(path.join(folder, 'postgres'));
      const pidFile = () => readPidFile(cluster);
      await vi.waitFor(async () => expect(await pidFile()).toBeDefined(), 30_000);
      child.kill(signal);
      expect(await ended).toEqual([code, null]);
      expect(await pidFile()).toBeUndefined();
    },
  );
});
