import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { listDeliveries } from '../../src/db/inspect.ts';
import { type Ended, runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';

// `outrider up --sandbox` in one terminal, and other commands in another.

const program = path.join(import.meta.dirname, '../../src/cli/outrider.ts');
const database = await useDatabase();
const folder = await useFolder();
const undo = useUndo();

interface Up {
  readonly child: ChildProcess;
  readonly posts: string;
  readonly control: string;
}

async function up(): Promise<Up> {
  const child = spawn(process.execPath, [program, 'up', '--sandbox'], {
    cwd: folder,
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: database.url,
      OUTRIDER_DATA_DIR: folder,
      OUTRIDER_PORT: '0',
      ...compiledSources,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  // Told, not killed: the lease of a send under way would keep its channel from the next test.
  undo.push(async () => {
    if (child.kill('SIGTERM')) await once(child, 'exit');
  });
  let said = '';
  child.stderr.on('data', (data: Buffer) => void (said += data.toString()));
  await vi.waitFor(() => expect(said).toContain('"tags": ["lost"]'), 60_000);
  const [, posts = ''] = /curl (\S+)/.exec(said) ?? [];
  const [, control = ''] = /(http:\S+)\/\?token=/.exec(said) ?? [];
  return { child, posts, control };
}

function outrider(...args: string[]): Promise<Ended> {
  return outriderIn(folder, ...args);
}

function outriderIn(dataDir: string, ...args: string[]): Promise<Ended> {
  const env = { OUTRIDER_DATA_DIR: dataDir, OUTRIDER_PORT: '0' };
  return runOutrider(args, { databaseUrl: database.url, env });
}

/** Lets the sandbox refuse the token of Telegram once, for a post that waits from then on. */
async function loseToken({ posts, control }: Up, text: string): Promise<void> {
  const fault = { kind: 'revoked', platform: 'telegram', times: 1 };
  await json(`${control}/faults`, fault);
  await json(posts, { title: 'Lost dog', text, tags: ['lost'] });
  await vi.waitFor(async () => expect(await waitingForToken()).not.toEqual([]), 60_000);
}

async function json(url: string, body: unknown): Promise<void> {
  const headers = { 'content-type': 'application/json', authorization: 'Bearer demo-secret' };
  const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
  expect(answer.ok).toBe(true);
}

async function waitingForToken(): Promise<string[]> {
  const listed = await listDeliveries(database.service, { workspaceId: 'demo', limit: 100 });
  return listed
    .filter((each) => each.nextBecause === 'channel_credential_refused')
    .map((each) => each.channelId);
}

const Chats = z.record(z.string(), z.array(z.object({ posts: z.array(z.unknown()) })));

async function postsOnTelegram({ control }: Up): Promise<number> {
  const { telegram = [] } = Chats.parse(await (await fetch(`${control}/chats`)).json());
  return telegram.reduce((sum, each) => sum + each.posts.length, 0);
}

describe('a token that the sandbox has refused', () => {
  it('is looked at by outrider auth check in another terminal, and what waited is sent', async () => {
    const running = await up();
    await loseToken(running, 'Bim');
    const { code, out, err } = await outrider('auth', 'check');
    expect({ code, err }).toEqual({
      code: 0,
      err: 'outrider up --sandbox runs here: its simulators are asked, not the platforms\n',
    });
    expect(tabbed(out)).toContainEqual(
      expect.objectContaining({ verdict: 'good', opened: 'telegram/telegram-bot' }),
    );
    await vi.waitFor(async () => expect(await postsOnTelegram(running)).toBe(2), 60_000);
  });

  it('is good again for the next outrider up --sandbox', async () => {
    const first = await up();
    await loseToken(first, 'Bom');
    first.child.kill('SIGTERM');
    expect(await once(first.child, 'exit')).toEqual([0, null]);
    const waiting = await waitingForToken();
    const next = await up();
    await vi.waitFor(async () => expect(await postsOnTelegram(next)).toBe(waiting.length), 60_000);
  });
});

describe('a second outrider up --sandbox on the same data folder', () => {
  it('is refused in words that say where the chats of the first one are', async () => {
    const { child, control } = await up();
    const { code, err } = await outrider('up', '--sandbox');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining(
        `outrider up --sandbox runs on ${folder} already (process ${child.pid}); its chats are at ${control}/`,
      ),
    });
  });

  it('starts where the first one was killed and could not take its note away', async () => {
    const { child } = await up();
    child.kill('SIGKILL');
    await once(child, 'exit');
    const { posts } = await up();
    expect(posts).toMatch(/^http:/);
  });
});

describe('a second outrider up --sandbox on the same database', () => {
  it('is refused with another data folder, too, and leaves the posts to the first one', async () => {
    const { control } = await up();
    const { code, err } = await outriderIn(path.join(folder, 'another'), 'up', '--sandbox');
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringMatching(
        new RegExp(
          `^outrider up: outrider up --sandbox uses the database at \\S+ already; its chats are at ${control}/\n {2}use that one`,
        ),
      ),
    });
  });
});
