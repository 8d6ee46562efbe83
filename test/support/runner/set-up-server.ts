import { randomUUID } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type { TestProject } from 'vitest/node';
import { startServer } from '../../../src/db/embedded/server.ts';
import { migrate } from '../../../src/db/migrate/migrate.ts';
import { schemaDir } from '../../../src/db/open.ts';
import { openClient } from '../../../src/db/pool.ts';
import { removeOrphans, runPrefix } from './run-folders.ts';
import { servers, type TestServer } from './servers.ts';

/** What a test file needs to know about its server. */
export interface ServerCoordinates {
  readonly version: string;
  readonly major: number;
  /** Where the programs of the server are; null means those of the npm package. */
  readonly binDir: string | null;
  readonly adminUrl: string;
  readonly template: string;
  readonly serviceLogin: string;
  readonly servicePassword: string;
}

declare module 'vitest' {
  export interface ProvidedContext {
    postgres: ServerCoordinates;
  }
}

const template = 'outrider_template';
const serviceLogin = 'outrider_test_service';

// No data of a test server has to survive a crash of the machine.
const perishable = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: 200,
  // One test counts its statements. For all others tracking is off and costs nothing.
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'none',
};

interface Running {
  readonly coordinates: Promise<ServerCoordinates>;
  readonly undo: (() => Promise<void>)[];
  users: number;
}

/** Vitest loads this file once for each project: what the projects of a run share is kept outside of it. */
const shared: typeof globalThis & { outriderTestServers?: Map<string, Running> } = globalThis;

/** One server of a version for all projects of a run, with one migrated database for their files to clone. */
export function serverOf(name: TestServer['project']): {
  setup: (project: TestProject) => Promise<void>;
  teardown: () => Promise<void>;
} {
  shared.outriderTestServers ??= new Map();
  const running = shared.outriderTestServers;
  const teardown = async (): Promise<void> => {
    const server = running.get(name);
    if (server === undefined) return;
    server.users -= 1;
    if (server.users > 0) return;
    running.delete(name);
    for (const step of server.undo.toReversed()) await step();
  };
  return {
    teardown,
    setup: async (project) => {
      const server = running.get(name) ?? begin(name);
      running.set(name, server);
      server.users += 1;
      try {
        project.provide('postgres', await server.coordinates);
      } catch (error) {
        await teardown();
        throw error;
      }
    },
  };
}

function begin(name: string): Running {
  const undo: (() => Promise<void>)[] = [];
  return { coordinates: start(name, undo), undo, users: 0 };
}

async function start(name: string, undo: (() => Promise<void>)[]): Promise<ServerCoordinates> {
  const chosen = servers.find((server) => server.project === name);
  if (chosen === undefined) throw new Error(`${name} is not installed`);
  await removeOrphans();
  const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  undo.push(() => rm(folder, { recursive: true, force: true }));
  await chmod(folder, 0o755); // PostgreSQL's own user passes through
  const server = await startServer({
    dataDir: path.join(folder, 'postgres'),
    binDir: chosen.binDir,
    settings: perishable,
    initdbFlags: ['--no-sync'],
  });
  undo.push(() => server.stop());

  const servicePassword = randomUUID();
  const admin = await openClient({ url: server.url(), applicationName: 'outrider test set-up' });
  await admin.query(`create database ${template}`);
  await migrate(server.url(template), { dir: schemaDir });
  await connectOnce(server.url(template));
  await admin.query(
    `create role ${serviceLogin} login password '${servicePassword}' in role outrider_service`,
  );
  await admin.end();
  return {
    version: server.version,
    major: chosen.major,
    binDir: chosen.binDir ?? null,
    adminUrl: server.url(),
    template,
    serviceLogin,
    servicePassword,
  };
}

/** The first connection after a migration writes the file that later ones begin with. Clones get it as well. */
async function connectOnce(url: string): Promise<void> {
  const client = await openClient({ url, applicationName: 'outrider test set-up' });
  await client.end();
}
