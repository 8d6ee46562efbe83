import { chmod, mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, inject } from 'vitest';
import { clusterIn } from '../../../src/db/embedded/cluster.ts';
import { readPidFile } from '../../../src/db/embedded/pid-file.ts';
import { type Server, type ServerOptions, startServer } from '../../../src/db/embedded/server.ts';
import { openClient } from '../../../src/db/pool.ts';
import { runPrefix } from '../runner/run-folders.ts';

export const asRoot = process.getuid?.() === 0;

/** Folders for servers that a test starts itself. They are stopped after the test. */
export class EmbeddedFolders {
  #parent = '';
  readonly #leftovers: (() => unknown)[] = [];

  constructor() {
    beforeAll(async () => {
      this.#parent = await mkdtemp(path.join(os.tmpdir(), runPrefix));
      await chmod(this.#parent, 0o755); // PostgreSQL's own user passes through
      await (await startServer(this.shared)).stop();
    });
    afterEach(async () => {
      for (const undo of this.#leftovers.splice(0).toReversed()) await undo();
    });
    afterAll(() => rm(this.#parent, { recursive: true, force: true }));
  }

  /** The folder that holds the others; every user may enter it. */
  get parent(): string {
    return this.#parent;
  }

  /** A folder that is initialised once for all tests. Between tests no server runs in it. */
  get shared(): ServerOptions {
    return this.options('shared');
  }

  options(name: string, more: Partial<ServerOptions> = {}): ServerOptions {
    const settings = { fsync: 'off' };
    const binDir = inject('postgres').binDir ?? undefined;
    const dataDir = path.resolve(this.#parent, name);
    return { dataDir, binDir, settings, initdbFlags: ['--no-sync'], ...more };
  }

  later(undo: () => unknown): void {
    this.#leftovers.push(undo);
  }

  async start(options: ServerOptions = this.shared): Promise<Server> {
    const server = await startServer(options);
    this.later(() => server.stop());
    return server;
  }

  async connect(server: Server): Promise<pg.Client> {
    const client = await openClient({ url: server.url(), applicationName: 'outrider test' });
    this.later(() => client.end());
    return client;
  }

  /** A folder that only our own user may enter. */
  async secluded(): Promise<string> {
    const folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
    this.later(() => rm(folder, { recursive: true, force: true }));
    return folder;
  }
}

export async function serverPid(options: ServerOptions): Promise<number> {
  const file = await readPidFile(clusterIn(options.dataDir));
  if (file === undefined) throw new Error('there is no pid file');
  return file.pid;
}
