import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { demoChats } from '../../sandbox/demo-world.ts';

const root = path.join(import.meta.dirname, '../..');
let running: ChildProcess[] = [];

afterEach(() => {
  for (const each of running) each.kill('SIGKILL');
  running = [];
});

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

interface Started {
  readonly child: ChildProcess;
  readonly ended: Promise<Ended>;
  readonly out: () => string;
}

function start(...args: string[]): Started {
  return startWith({}, ...args);
}

function startWith(environment: NodeJS.ProcessEnv, ...args: string[]): Started {
  const env = { ...process.env, ...environment };
  const child = spawn(process.execPath, ['src/cli/outrider.ts', ...args], { cwd: root, env });
  running.push(child);
  const texts = { out: '', err: '' };
  child.stdout.on('data', (data: Buffer) => void (texts.out += data.toString()));
  child.stderr.on('data', (data: Buffer) => void (texts.err += data.toString()));
  const ended = once(child, 'close').then(() => ({ code: child.exitCode, ...texts }));
  return { child, ended, out: () => texts.out };
}

const Facts = z.object({
  urls: z.object({ telegram: z.string(), max: z.string(), vk: z.string(), control: z.string() }),
  tokens: z.object({ telegram: z.string() }),
});

async function startSandbox(...args: string[]): Promise<{
  child: ChildProcess;
  facts: z.output<typeof Facts>;
  ended: Promise<Ended>;
}> {
  const { child, ended, out } = start('sandbox', '--json', ...args);
  while (!out().includes('\n')) await once(child.stdout ?? child, 'data');
  return { child, ended, facts: Facts.parse(JSON.parse(out())) };
}

describe('the command line', () => {
  it('prints nothing that a terminal would obey, whoever said it', async () => {
    const { code, err } = await start('x\u001b]0;owned\u0007\u009b2J\u202e').ended;
    expect(code).toBe(2);
    expect(err).toContain(String.raw`there is no command "x\u001b]0;owned\u0007\u009b2J\u202e"`);
  });

  it('lists its commands', async () => {
    const { code, out } = await start('--help').ended;
    expect(code).toBe(0);
    expect(out).toMatch(/^ {2}sandbox +run simulators/m);
  });

  it('names a command that it does not have, and ends with 2', async () => {
    const { code, out, err } = await start('sandcastle').ended;
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(/no command "sandcastle"/);
  });

  it.each([
    [['--telegram-port', 'x'], /--telegram-port x: a port is a number/],
    [['--telegram-port', '65536'], /--telegram-port 65536/],
    [['--clock', 'noon'], /--clock noon: it is a time of ISO 8601/],
    [['--colour'], /Unknown option '--colour'/],
  ])('says what is wrong with %j, and ends with 2', async (args, message) => {
    const { code, err } = await start('sandbox', ...args).ended;
    expect(code).toBe(2);
    expect(err).toMatch(message);
    expect(err).not.toMatch(/\n\s+at /);
  });
});

describe('a command without a database', () => {
  it('says that it cannot be reached and what to check, without the password', async () => {
    const url = 'postgresql://app:s3cret-w0rd@127.0.0.1:1/outrider';
    const { code, err } = await startWith({ DATABASE_URL: url }, 'status').ended;
    expect(code).toBe(1);
    expect(err).toMatch(
      /^outrider status: the database cannot be reached .*\n {2}check DATABASE_URL/,
    );
    expect(err).not.toMatch(/s3cret|\n\s+at /);
  });
});

describe('outrider sandbox', () => {
  it('serves the demo world until it is told to stop', async () => {
    const { child, ended, facts } = await startSandbox();
    const [news] = demoChats.telegram;
    const bot = `${facts.urls.telegram}/bot${facts.tokens.telegram}`;
    const body = new URLSearchParams({ chat_id: news.id, text: 'Hello' });
    const answer = await fetch(`${bot}/sendMessage`, { method: 'POST', body });
    expect(answer.status).toBe(200);
    const chat = await fetch(`${facts.urls.control}/chats/telegram/${news.id}`);
    expect(await chat.json()).toMatchObject({ title: 'News', posts: [{ text: 'Hello' }] });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('says so when a port is taken', async () => {
    const { facts } = await startSandbox();
    const { port } = new URL(facts.urls.vk);
    const { code, err } = await start('sandbox', '--vk-port', port).ended;
    expect(code).toBe(1);
    expect(err).toMatch(/the port is taken/);
  });

  it('says in its help where faults are set and what is simulated', async () => {
    const { out } = await start('sandbox', '--help').ended;
    expect(out).toMatch(/POST \/faults +make calls fail/);
    expect(out).toContain('docs/sandbox.md');
    expect(out).toMatch(/Telegram: getMe, .*sendMediaGroup/s);
    expect(out).toMatch(/MAX: GET \/me, /);
    expect(out).toMatch(/VK: wall\.post, .*execute/s);
  });

  it('makes chats, and stands still in time, when it is told to', async () => {
    const { child, ended, facts } = await startSandbox(
      '--make-chats',
      '--clock',
      '2026-01-01T09:00:00Z',
    );
    const bot = `${facts.urls.telegram}/bot${facts.tokens.telegram}`;
    const body = new URLSearchParams({ chat_id: '@somewhere', text: 'Hello' });
    const answer = await fetch(`${bot}/sendMessage`, { method: 'POST', body });
    expect(await answer.json()).toMatchObject({ result: { date: Date.UTC(2026, 0, 1, 9) / 1000 } });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0, err: '' });
  });

  it('tells of a method that it does not simulate', async () => {
    const { child, ended, facts } = await startSandbox();
    await fetch(`${facts.urls.telegram}/bot${facts.tokens.telegram}/sendPoll`);
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({
      err: 'Telegram: sendPoll was called, which this sandbox does not simulate\n',
    });
  });

  it('has the chats that the demo workspace posts to', async () => {
    const seed = await readFile(path.join(root, 'db/seed.sql'), 'utf8');
    const targets = [...seed.matchAll(/'(telegram|max|vk)', '(-\d+)'/g)].map((match) => match[2]);
    const chats = Object.values(demoChats).flatMap((each) => each.map((chat) => chat.id));
    expect(new Set(targets)).toEqual(new Set<string | undefined>(chats));
  });
});
