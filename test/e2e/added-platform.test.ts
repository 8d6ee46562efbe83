import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type Ended, runOutrider } from '../support/cli/run-outrider.ts';
import { openEmptyDatabase } from '../support/database/test-database.ts';
import { type AddedPlatform, addPlatform } from '../support/processes/added-platform.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';

// A fourth platform, added by the documented steps. test/unit/platform-names.test.ts shows from the other side that
// nothing else names a platform.

const configuration = (room: string, settings: object): string =>
  JSON.stringify({
    workspace: 'city',
    credentials: { 'echo-bot': { platform: 'echo', secret_ref: 'env:ECHO_TOKEN' } },
    channels: {
      hall: { platform: 'echo', target_id: room, auth_ref: 'echo-bot', settings },
    },
  });

const Facts = z.object({
  urls: z.object({ echo: z.string(), control: z.string() }),
  tokens: z.object({ echo: z.string() }),
  chats: z.object({ echo: z.tuple([z.object({ id: z.string() })]) }),
});
const Chat = z.object({ posts: z.array(z.object({ text: z.string() })) });

let added: AddedPlatform;
let database: Awaited<ReturnType<typeof openEmptyDatabase>>;
let facts: z.output<typeof Facts>;
const children: ChildProcess[] = [];

function environment(): Record<string, string> {
  return {
    OUTRIDER_DATA_DIR: added.folder,
    ECHO_API_URL: facts.urls.echo,
    ECHO_TOKEN: facts.tokens.echo,
  };
}

function outrider(...args: string[]): Promise<Ended> {
  return runOutrider(args, { databaseUrl: database.url, folder: added.folder, env: environment() });
}

/** Starts a command that runs until it is told to stop. */
function start(args: readonly string[], env: Readonly<Record<string, string>>): ChildProcess {
  const child = spawn(process.execPath, ['src/cli/outrider.ts', ...args], {
    cwd: added.folder,
    env: { PATH: process.env['PATH'], ...compiledSources, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  return child;
}

beforeAll(async () => {
  added = await addPlatform('echo', path.join(import.meta.dirname, '../echo'));
  database = await openEmptyDatabase();
  const sandbox = start(['sandbox', '--echo-port', '0', '--json'], {});
  if (sandbox.stdout === null) throw new Error('the sandbox says nothing');
  const [line]: unknown[] = await once(createInterface({ input: sandbox.stdout }), 'line');
  facts = Facts.parse(JSON.parse(String(line)));
});

afterAll(async () => {
  for (const child of children) {
    if (child.kill('SIGTERM')) await once(child, 'exit');
  }
  await database.drop();
  await rm(added.folder, { recursive: true, force: true });
});

describe('a platform that is added', () => {
  it('takes four lines outside of its own files', () => {
    expect(added.lines).toHaveLength(4);
  });

  it('has its rows after a migration, and its settings in a configuration', async () => {
    expect(await outrider('migrate')).toMatchObject({ code: 0, err: '' });
    const file = path.join(added.folder, 'city.json');
    const [{ id }] = facts.chats.echo;
    await writeFile(file, configuration(id, { on_unknown: 'retry', loud: true }));
    expect(await outrider('apply', file)).toMatchObject({ code: 0 });
    await writeFile(file, configuration(id, { quiet: true }));
    expect(await outrider('apply', file)).toMatchObject({ code: 1 });
  });

  it('has its credential checked', async () => {
    const { code, out } = await outrider('auth', 'check', '--workspace', 'city', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject([{ auth_ref: 'echo-bot', account: 'echo' }]);
  });

  it('gets posts from the dispatcher', async () => {
    const sent = await outrider('send', '--workspace', 'city', '--text', 'A dog is lost');
    expect(sent).toMatchObject({ code: 0 });
    start(['run', 'dispatch'], { DATABASE_URL: database.url, ...environment() });
    const [{ id }] = facts.chats.echo;
    await expect
      .poll(async () => {
        const answer = await fetch(`${facts.urls.control}/chats/echo/${id}`);
        return Chat.parse(await answer.json()).posts;
      })
      .toEqual([expect.objectContaining({ text: 'A DOG IS LOST' })]);
  });

  it('is known to the calculator and to the check of the environment', async () => {
    const { out } = await outrider('capacity', '--echo', '5', '--json');
    expect(JSON.parse(out)).toMatchObject({ workload: { platforms: [{ platform: 'echo' }] } });
    const env = { ...environment(), ECHO_API_URL: 'nowhere' };
    const { databaseUrl, folder } = { databaseUrl: database.url, folder: added.folder };
    const { code, err } = await runOutrider(['status'], { databaseUrl, folder, env });
    expect(code).toBe(1);
    expect(err).toContain('ECHO_API_URL must be an http:// or https:// address');
  });
});
