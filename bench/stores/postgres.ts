import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { QueryResultRow } from 'pg';
import { clusterIn } from '../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../src/db/embedded/pid-file.ts';
import { type Server, startServer } from '../../src/db/embedded/server.ts';
import { openClient } from '../../src/db/pool.ts';
import { cpuMicrosOfFamily } from '../process-cpu.ts';
import type { Store } from './store.ts';

// Durability as in production. Checkpoints happen only when the harness asks for one, so none falls into the round of
// a contender.
const settings = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  autovacuum: 'on',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  min_wal_size: '4GB',
  checkpoint_timeout: '30min',
} as const;

/** Starts a private PostgreSQL with durable settings. */
export async function startPostgres(): Promise<Store> {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-bench-'));
  await chmod(folder, 0o755); // if we are root, PostgreSQL runs as another user
  const server = await startServer({ dataDir: path.join(folder, 'postgres'), settings });
  const postmaster = await readPidFile(clusterIn(server.home));
  if (postmaster === undefined) throw new Error('PostgreSQL runs without a pid file');
  let databases = 0;

  return {
    name: 'postgres',
    description: { version: `PostgreSQL ${server.version}`, ...settings },
    async createDatabase(template) {
      databases += 1;
      const database = `bench_${databases}`;
      const from =
        template === undefined ? '' : `template ${databaseOf(template)} strategy file_copy`;
      await query(server.url(), `create database ${database} ${from}`);
      return server.url(database);
    },
    // The checkpoint writes the dirty pages of the seed, so no round pays for them.
    async settle(databaseUrl, statistics) {
      if (statistics) await query(databaseUrl, 'analyze');
      await query(databaseUrl, 'checkpoint');
    },
    dropDatabase: async (databaseUrl) =>
      void (await query(server.url(), `drop database ${databaseOf(databaseUrl)} with (force)`)),
    cpuMicros: () => cpuMicrosOfFamily(postmaster.pid),
    logBytes: () => walBytes(server),
    async stop() {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function walBytes(server: Server): Promise<number> {
  const [row] = await query<{ bytes: string }>(
    server.url(),
    "select pg_current_wal_insert_lsn() - '0/0'::pg_lsn as bytes",
  );
  return Number(row?.bytes);
}

function databaseOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

async function query<Row extends QueryResultRow>(url: string, sql: string): Promise<Row[]> {
  const client = await openClient({ url, applicationName: 'bench', statementTimeoutMs: 0 });
  try {
    return (await client.query<Row>(sql)).rows;
  } finally {
    await client.end();
  }
}
