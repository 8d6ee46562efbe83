import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import { up } from '../../src/cli/up.ts';
import { openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { runPrefix } from '../support/runner/run-folders.ts';
import { addWorkspace } from '../support/database/seed.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';

let database: TestDatabase;
let folder: string;

beforeAll(async () => {
  database = await openDatabase();
  folder = await mkdtemp(path.join(os.tmpdir(), runPrefix));
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('OUTRIDER_DATA_DIR', folder);
  vi.stubEnv('OUTRIDER_PORT', '0');
});

afterAll(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
  await database.close();
});

/** Runs `outrider up` until it has said where it is; answers with what it said. */
async function welcome(): Promise<string> {
  const told = Promise.withResolvers<string>();
  const terminal: Terminal = {
    ...recordingTerminal(),
    err: told.resolve,
    stopped: told.promise.then(() => undefined),
  };
  expect(await up.run([], terminal)).toBe(0);
  return told.promise;
}

describe('outrider up', () => {
  it('names outrider apply as the next step where there is no workspace, and only there', async () => {
    const words = 'There is no workspace yet';
    const first = await welcome();
    expect(first).toMatch(/^Outrider is running; .*\n\n {2}posts {3}http:/);
    expect(first).toContain(words);
    expect(first).toMatch(/\n\n {2}outrider apply \S+\.yaml\n$/);
    await addWorkspace(database.admin, 'city');
    const second = await welcome();
    expect(second).toMatch(/^Outrider is running; .*\n\n {2}posts {3}http:/);
    expect(second).not.toContain(words);
  });
});
