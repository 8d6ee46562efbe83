import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type Server, startServer } from '../../src/db/embedded/server.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { openClient } from '../../src/db/pool.ts';
import { type SchemaFolder, schemaFolder } from '../support/database/schema-folder.ts';
import { addressOf } from '../support/database/test-database.ts';
import { runPrefix } from '../support/runner/run-folders.ts';

// Roles belong to the whole server, so these tests have one of their own, told in order.

let parent: string;
let server: Server;
let admin: pg.Client;
let folder: SchemaFolder;

beforeAll(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  await chmod(parent, 0o755);
  server = await startServer({
    dataDir: path.join(parent, 'postgres'),
    binDir: inject('postgres').binDir ?? undefined,
    settings: { fsync: 'off' },
    initdbFlags: ['--no-sync'],
  });
  admin = await openClient({ url: server.url(), applicationName: 'outrider test' });
  folder = await schemaFolder({ 'migrations/0001_t.sql': 'create table outrider.t (id integer);' });
  await admin.query("create role plain login password 'p'");
  await admin.query('create database plain_db owner plain');
});

afterAll(async () => {
  await admin.end();
  await server.stop();
  await folder.remove();
  await rm(parent, { recursive: true, force: true });
});

const asPlain = () =>
  migrate(addressOf(server.url(), 'plain_db', 'plain', 'p'), { dir: folder.dir });

describe('a login that may not create roles', () => {
  it('is told which file an administrator must run', async () => {
    await expect(asPlain()).rejects.toMatchObject({
      code: 'migration_refused',
      message: expect.stringMatching(
        /roles outrider_.*, outrider_owner, .* are missing and plain may not create/,
      ),
      hint: expect.stringContaining('db/roles.sql'),
    });
  });

  it('is told when it may not act as the owner', async () => {
    await admin.query(await readFile(path.join(folder.dir, 'roles.sql'), 'utf8'));
    await expect(asPlain()).rejects.toMatchObject({
      code: 'migration_refused',
      message: 'plain may not act as outrider_owner, which owns the schema',
      hint: expect.stringMatching(
        /^let an administrator run outrider migrate; .* outrider_service will do$/,
      ),
    });
  });

  it('migrates once the roles are there and the owner’s is granted', async () => {
    await admin.query('grant outrider_owner to plain');
    expect((await asPlain()).migrations).toEqual(['0001_t']);
    expect((await asPlain()).migrations).toEqual([]);
  });
});

describe('migrators of several databases', () => {
  it('create the server’s roles at once without hindering each other', async () => {
    const names = ['one', 'two', 'three'];
    await admin.query('drop database plain_db with (force)');
    await admin.query(`
      do $$ declare v_role text; begin
        for v_role in select rolname from pg_roles where rolname ~ '^outrider_'
        loop execute format('drop role %I', v_role); end loop;
      end $$`);
    for (const name of names) await admin.query(`create database ${name}`);
    const reports = await Promise.all(
      names.map((name) => migrate(server.url(name), { dir: folder.dir })),
    );
    expect(reports.map((report) => report.migrations)).toEqual(names.map(() => ['0001_t']));
  });
});
