import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Terminal } from '../../src/cli/command.ts';
import { up } from '../../src/cli/up.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';

const database = await useDatabase();
const folder = await useFolder();

beforeAll(() => {
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('OUTRIDER_DATA_DIR', folder);
  vi.stubEnv('OUTRIDER_PORT', '0');
});

afterAll(() => vi.unstubAllEnvs());

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
