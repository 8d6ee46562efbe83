import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { simulated } from '../../sandbox/platforms.ts';
import { telegram } from '../../sandbox/telegram/index.ts';
import { nodeFault } from '../../src/cli/node-version.ts';
import { compiledSources } from '../support/processes/compiled-sources.ts';

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
  const env = { ...process.env, ...compiledSources, ...environment };
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
    expect(err).toMatch(/no command "sandcastle"\n/);
  });

  it.each([
    ['stauts', 'status'],
    ['chanels', 'channels'],
    ['deliv', 'deliveries'],
  ])('asks whoever types %s for the command that is near', async (typed, meant) => {
    const { code, err } = await start(typed).ended;
    expect(code).toBe(2);
    expect(err).toContain(`there is no command "${typed}"; did you mean ${meant}?`);
  });

  it('refuses a Node that is too old, and names the one that it needs', () => {
    expect(nodeFault('20.20.2')?.message).toBe(
      'this is Node 20.20.2, and Outrider needs 24 or newer',
    );
    expect([nodeFault('24.0.0'), nodeFault(process.versions.node)]).toEqual([undefined, undefined]);
  });

  it.each([['--version'], ['version']])('tells its version: %s', async (word) => {
    const text = await readFile(path.join(root, 'package.json'), 'utf8');
    const { version } = z.object({ version: z.string() }).parse(JSON.parse(text));
    const { node } = process.versions;
    expect(await start(word).ended).toEqual({
      code: 0,
      out: `outrider ${version} (Node ${node})\n`,
      err: '',
    });
    const { out } = await start(word, '--json').ended;
    expect(JSON.parse(out)).toEqual({ outrider: version, node });
  });

  it.each<[string[], number, object]>([
    [
      ['--json', 'status'],
      2,
      {
        code: 'usage',
        message: 'the command comes first, and --json after it',
        hint: 'outrider --help lists the commands',
      },
    ],
    [
      ['stauts', '--json'],
      2,
      {
        code: 'usage',
        message: 'there is no command "stauts"; did you mean status?',
        hint: 'outrider --help lists the commands',
      },
    ],
    [
      ['deliveries', '--limt', '3', '--format=json'],
      2,
      {
        code: 'usage',
        message: 'there is no option --limt; did you mean --limit?',
        hint: 'outrider deliveries --help shows what it takes',
      },
    ],
    [
      ['apply', '/nowhere.yaml', '--json'],
      1,
      {
        code: 'not_found',
        message: 'there is no file /nowhere.yaml',
        hint: 'check the path; presets/demo.yaml is a file to start from',
      },
    ],
  ])(
    'tells an error as one JSON document where JSON is asked for: %j',
    async (args, code, error) => {
      const ended = await start(...args).ended;
      expect({ ...ended, out: JSON.parse(ended.out) }).toEqual({ code, err: '', out: { error } });
    },
  );

  it.each([
    [['--telegram-port', 'x'], /--telegram-port x: a port is a number/],
    [['--telegram-port', '65536'], /--telegram-port 65536/],
    [['--clock', 'noon'], /--clock noon: it is a time of ISO 8601/],
    [['--colour'], /there is no option --colour; there is --telegram-port, --max-port/],
    [['--emtpy'], /there is no option --emtpy; did you mean --empty\?/],
    [['--empty=yes'], /--empty takes no value/],
    [['--telegram-port'], /--telegram-port needs a value/],
    [['--vk-port', '--empty'], /--vk-port needs a value; one that begins with a dash is written/],
    [['now'], /"now" is one word too many/],
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
      /^outrider status: the database at 127\.0\.0\.1:1 cannot be reached \(ECONNREFUSED\)\n {2}check DATABASE_URL/,
    );
    expect(err).not.toMatch(/s3cret|\n\s+at /);
  });
});

describe('outrider sandbox', () => {
  it('serves the demo world until it is told to stop', async () => {
    const { child, ended, facts } = await startSandbox();
    const [news] = telegram.demo.chats;
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
    expect(err).toContain(`port ${port} is taken\n  choose another one`);
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
    const names = simulated.map(({ name }) => name).join('|');
    // Of channels behind their platform, of alert targets behind their credential.
    const named = seed.matchAll(new RegExp(`'(?:${names})(?:-bot)?', '(-\\d+)'`, 'g'));
    const targets = Array.from(named, ([, target]) => target);
    const chats = simulated.flatMap(({ demo }) => demo.chats.map((chat) => chat.id));
    expect(new Set(targets)).toEqual(new Set<string | undefined>(chats));
  });
});
