// docs/bot.md: its first use is done as it stands, in a folder where nothing is configured.

import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { compiledSources } from '../support/processes/compiled-sources.ts';

const run = promisify(execFile);
const root = path.join(import.meta.dirname, '../..');
const page = await readFile(path.join(root, 'docs/bot.md'), 'utf8');
let folder: string;
let environment: NodeJS.ProcessEnv;
let child: ChildProcess;
let said = '';

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-bot-page-'));
  await chmod(folder, 0o755); // PostgreSQL's own user passes through
  for (const name of ['bin', 'presets']) await symlink(path.join(root, name), `${folder}/${name}`);
  environment = { ...process.env, ...compiledSources, OUTRIDER_PORT: '0', NO_COLOR: '1' };
  delete environment['DATABASE_URL'];
  const program = path.join(root, 'src/cli/outrider.ts');
  const options = { cwd: folder, env: environment };
  child = spawn(process.execPath, [program, 'up', '--sandbox'], options);
  child.stderr?.on('data', (data: Buffer) => void (said += data.toString()));
  while (!said.includes('"tags": ["lost"]')) await once(child.stderr ?? child, 'data');
});

afterAll(async () => {
  child.kill('SIGKILL');
  await rm(folder, { recursive: true, force: true });
});

/** The first block of commands below a heading. */
function commandsBelow(heading: string): string {
  const [, below = ''] = page.split(`## ${heading}\n`);
  return /```sh\n([^]*?)```/.exec(below)?.[1] ?? '';
}

/** Runs commands of the page, with the addresses of this sandbox in place of the page's. */
async function paste(commands: string): Promise<string> {
  const posts = /curl (\S+)\/v1\/ingest/.exec(said)?.[1] ?? '';
  const chats = /(http:\S+)\/\?token=/.exec(said)?.[1] ?? '';
  const lines = commands
    .replaceAll('http://127.0.0.1:8080', posts)
    .replaceAll('http://127.0.0.1:8081', chats);
  const options = { cwd: folder, env: environment };
  const { stdout } = await run('bash', ['--norc', '-euo', 'pipefail', '-c', lines], options);
  return stdout;
}

const firstUse = commandsBelow('First use: on the sandbox');
const [started = '', ...rest] = firstUse.split('\n');
const exported = rest.find((line) => line.startsWith('export ')) ?? '';

describe('the page of the bot', () => {
  it('begins with the target that runs the sandbox', async () => {
    expect(started).toBe('make up');
    const makefile = await readFile(path.join(root, 'Makefile'), 'utf8');
    expect(makefile).toMatch(/^up: .*\n\t.* up --sandbox$/m);
  });

  it('has a first use that ends with an answer in the chat, and with its rule in the log', async () => {
    const out = await paste(rest.join('\n'));
    expect(out).toContain('max-bot (max): subscribed http');
    await vi.waitFor(async () => {
      expect(await paste(`curl -sS http://127.0.0.1:8081/chats`)).toContain('Доставляем по всей');
    }, 60_000);
    const log = rest.find((line) => line.startsWith('outrider bot log')) ?? '';
    expect(await paste(`${exported}\n${log}`)).toMatch(/\tmatched\tСколько идёт доставка\?\tdeli/);
  });

  it('shows a conversation as it goes', async () => {
    const [tried = '', chat = ''] = commandsBelow('Try rules before customers do').split('\n');
    expect(await paste(`${exported}\n${tried}`)).toMatch(/\n\d+ dialogues, as expected\.\n$/);
    const [, shown = ''] = /```\n(> [^]*?)```/.exec(page) ?? [];
    const [asked = '', ...lines] = shown.trimEnd().split('\n');
    const out = await paste(`${exported}\necho '${asked.slice(2)}' | ${chat}`);
    for (const line of lines) expect(out).toContain(line.replace(/ …$/, ''));
  });
});
