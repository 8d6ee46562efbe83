import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, readdir, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, inject, it, vi } from 'vitest';
import { type Sandbox, startSandbox } from '../../sandbox/start.ts';
import { doctor } from '../../src/cli/doctor.ts';
import { type Server, startServer } from '../../src/db/embedded/server.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { beat } from '../../src/db/monitor.ts';
import { schemaDir } from '../../src/db/open.ts';
import { openClient } from '../../src/db/pool.ts';
import type { Report } from '../../src/doctor/examine.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { addressOf } from '../support/database/test-database.ts';
import { foundBy, inWords, lookedAt } from '../support/doctor/doctor-look.ts';
import { addHealthyWorkspace, environmentOf } from '../support/doctor/healthy-workspace.ts';
import { faultsOf } from '../support/doctor/planted-faults.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { runPrefix } from '../support/runner/run-folders.ts';
import { sandboxTokens } from '../support/sandbox/sandbox-channels.ts';

// A server of its own: the settings of the tests' server are those of data that may be lost.

const name = 'outrider';
const faults = faultsOf(name);
const rss =
  '<rss version="2.0"><channel><title>News</title><link>http://x</link><description/></channel></rss>';

let parent: string;
let server: Server;
let admin: pg.Client;
let sandbox: Sandbox;
let feed: Awaited<ReturnType<typeof startOrigin>>;
let env: Record<string, string>;

beforeAll(async () => {
  parent = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  await chmod(parent, 0o755); // PostgreSQL's own user passes through
  server = await startServer({
    dataDir: path.join(parent, 'postgres'),
    binDir: inject('postgres').binDir ?? undefined,
    settings: { max_prepared_transactions: 5 },
    initdbFlags: ['--no-sync', '--data-checksums'],
  });
  const first = await openClient({ url: server.url(), applicationName: 'outrider test' });
  await first.query(`create database ${name}`);
  await first.end();
  await migrate(server.url(name), { dir: schemaDir });
  admin = await openClient({ url: server.url(name), applicationName: 'outrider test' });
  sandbox = await startSandbox();
  feed = await startOrigin((_, response) => response.end(rss));
  await addHealthyWorkspace(admin, sandbox, feed.url);
  const places = { dataDir: path.join(parent, 'data'), feedUrl: feed.url };
  env = environmentOf(server.url(name), sandbox, places);
});

afterAll(async () => {
  await feed[Symbol.asyncDispose]();
  await sandbox.close();
  await admin.end();
  await server.stop();
  await rm(parent, { recursive: true, force: true });
});

/** Settings are read again before the next statement of a session, and by a new session at once. */
async function run(statements: readonly string[]): Promise<void> {
  for (const statement of statements) await admin.query(statement);
}

describe('outrider doctor on a healthy system', () => {
  it('finds nothing, says what it has looked at, and leaves nothing behind', async () => {
    const report = await lookedAt({ env });
    expect(inWords(report)).toEqual([]);
    expect(report.checks.map(({ status }) => status)).not.toContain('not_made');

    vi.stubEnv('OUTRIDER_WORKSPACE', '');
    for (const [variable, value] of Object.entries(env)) vi.stubEnv(variable, value);
    const terminal = recordingTerminal();
    const code = await doctor.run([], terminal);
    vi.unstubAllEnvs();
    const printed = terminal.printed();
    expect({ code, errors: terminal.printedErrors() }).toEqual({ code: 0, errors: '' });
    expect(printed).toMatch(/^Nothing found\.\n/);
    expect(printed).toContain(
      'Looked at 1 workspace, 3 credentials, 3 channels, 1 source, 1 alert target.',
    );
    for (const token of Object.values(sandboxTokens)) expect(printed).not.toContain(token);
    expect(await readdir(parent)).toEqual(['postgres']);
  });
});

describe('outrider doctor on a system in which much is wrong', () => {
  let report: Report;

  beforeAll(async () => {
    for (const { plant } of Object.values(faults)) await run(plant);
    report = await lookedAt({ env, workspaces: [] });
    for (const { undo } of Object.values(faults)) await run(undo);
  });

  it.each(Object.entries(faults))('finds %s', (_, { check, finding }) => {
    expect(foundBy(report, check)).toContainEqual(expect.stringMatching(finding));
  });
});

describe('outrider doctor', () => {
  it('finds transactions that were left open or prepared, and services that fell silent', async () => {
    await using left = await sessionOf();
    await left.client.query('begin');
    await left.client.query('select 1');
    await admin.query("begin; create table public.prepared (n int); prepare transaction 'half'");
    const at = new Date(Date.now() + 2 * 3_600_000).toISOString();
    const report = await lookedAt({ env, workspaces: ['city'], at });
    await admin.query("rollback prepared 'half'");
    expect(foundBy(report, 'database_transactions')).toEqual([
      expect.stringMatching(/critical: .* open for 2 h .* application left open\)/),
    ]);
    expect(foundBy(report, 'prepared_transactions')).toEqual([
      expect.stringMatching(/critical: prepared transaction half: .* 2 h ago/),
    ]);
    expect(foundBy(report, 'signs_of_life')).toEqual([
      expect.stringMatching(/critical: service .* on one \(process 42\): .* no sign of life/),
    ]);
    expect(foundBy(report, 'missing_roles')).toEqual([
      expect.stringContaining('no process of Outrider runs'),
    ]);
  });

  it('finds a process that is not ready, cannot keep media and is of another version', async () => {
    const service = { host: 'two', pid: 7, version: '0.0.1', roles: ['dispatch'] };
    const serviceId = randomUUID();
    const facts = { store_refuses: 'the disk of /data has 3 MB left' };
    await beat(admin, { ...service, serviceId, ready: false, facts });
    const report = await lookedAt({ env, workspaces: [] });
    await admin.query('delete from outrider.service_heartbeats where service_id = $1', [serviceId]);
    expect(foundBy(report, 'signs_of_life')).toEqual([
      expect.stringContaining('is not ready'),
      expect.stringContaining('the disk of /data has 3 MB left'),
      expect.stringContaining('it is version 0.0.1'),
    ]);
  });

  it('finds that the clocks of the machine and of PostgreSQL differ', async () => {
    const machine = { now: () => Date.now() + 30_000 };
    const report = await lookedAt({ env, workspaces: [], machine });
    expect(foundBy(report, 'clock_database')).toEqual([
      // Less by what the answer took: so much it is at least.
      expect.stringMatching(/warning: .* this machine is (2\d|30) s ahead of that of PostgreSQL/),
    ]);
  });

  it('finds that the database cannot be reached, and makes the checks that need none', async () => {
    const report = await lookedAt({
      env: { ...env, DATABASE_URL: 'postgres://a:b@127.0.0.1:1/x' },
    });
    expect(inWords(report)).toEqual([
      expect.stringMatching(/^database_reachable critical: database 127\.0\.0\.1:1: /),
    ]);
    const made = report.checks.filter(({ status }) => status === 'nothing_found');
    expect(made.map(({ name: check }) => check)).toEqual(
      expect.arrayContaining(['media_store', 'disk_space', 'payload_keys']),
    );
  });

  it.each([
    ['that has nothing of Outrider', '', /database_schema critical: .* nothing of Outrider/],
    [
      'of another encoding',
      "encoding 'SQL_ASCII' locale 'C' template template0",
      /database_encoding critical: .* is SQL_ASCII/,
    ],
  ])('finds a database %s', async (_, options, finding) => {
    await admin.query(`create database other ${options}`);
    const report = await lookedAt({ env: { ...env, DATABASE_URL: server.url('other') } });
    await admin.query('drop database other with (force)');
    expect(inWords(report)).toEqual([expect.stringMatching(finding)]);
  });

  it('finds a schema of another version', async () => {
    await admin.query("update outrider.schema_views set checksum = checksum || 'x'");
    const report = await lookedAt({ env });
    await admin.query("update outrider.schema_views set checksum = rtrim(checksum, 'x')");
    expect(inWords(report)).toEqual([
      expect.stringMatching(/^database_schema critical: .* another version of Outrider/),
    ]);
  });

  it('finds a login that may not have the connections that a process opens', async () => {
    await admin.query(
      "create role narrow login password 'narrow' connection limit 15 in role outrider_service",
    );
    const url = addressOf(server.url(name), name, 'narrow', 'narrow');
    const report = await lookedAt({ env: { ...env, DATABASE_URL: url }, workspaces: [] });
    await admin.query('drop role narrow');
    expect(foundBy(report, 'database_connections')).toEqual([
      expect.stringMatching(
        /critical: connections: login narrow admits 15 connections, .* up to 24/,
      ),
    ]);
  });

  it('finds a login that may not work with the database', async () => {
    await admin.query("create role stranger login password 'strange'");
    const url = addressOf(server.url(name), name, 'stranger', 'strange');
    const report = await lookedAt({ env: { ...env, DATABASE_URL: url } });
    await admin.query('drop role stranger');
    expect(inWords(report)).toEqual([
      expect.stringMatching(/database_rights critical: login stranger: .* outrider_service/),
      expect.stringMatching(/database_schema critical: .*stranger may not do this/),
    ]);
  });
});

describe('outrider doctor on a system that was mended', () => {
  it('finds nothing any more', async () => {
    expect(inWords(await lookedAt({ env }))).toEqual([]);
  });
});

/** A session that others can see. */
async function sessionOf(): Promise<{ client: pg.Client } & AsyncDisposable> {
  const client = await openClient({ url: server.url(name), applicationName: 'left open' });
  return { client, [Symbol.asyncDispose]: () => client.end() };
}
