import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, describe, expect, it } from 'vitest';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';
import { fromSources } from '../support/processes/from-sources.ts';

const run = promisify(execFile);
const root = path.resolve(import.meta.dirname, '../..');
const database = await useDatabase();
const folder = await useFolder();

beforeAll(async () => {
  await addWorkspace(database.admin, 'city');
  // Nothing is sent: the channel is paused.
  await addChannel(database.admin, 'city', 'news', {
    paused_until: new Date(Date.now() + 3_600_000),
  });
});

/** As README has it, but for a port that is free. */
async function programOfReadme(): Promise<string> {
  const readme = await readFile(path.join(root, 'README.md'), 'utf8');
  const block = /```ts\n(import \{ openOutrider \}.*?)```/s.exec(readme)?.[1] ?? '';
  return block
    .replace('port: 8080', 'port: 0')
    .replace('\n\n', `\n\nconst databaseUrl = ${JSON.stringify(database.url)};\n`);
}

describe('the program of README.md', () => {
  it('takes a post in, shows its delivery, and ends', async () => {
    const file = path.join(folder, 'program.ts');
    await writeFile(file, await programOfReadme());
    const env = { PATH: process.env['PATH'], OUTRIDER_DATA_DIR: folder, ...compiledSources };
    const { stdout, stderr } = await run(process.execPath, fromSources(file), { cwd: folder, env });
    expect(stderr).toBe('');
    const told = stdout.split('\n').filter((line) => !line.startsWith('{"')); // beside the log
    expect(told.join('\n')).toMatch(/verdict: 'queued'[\s\S]*status: 'queued'[\s\S]*ready: true/);
  });
});
