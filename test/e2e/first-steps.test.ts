import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { compiledSources } from '../support/processes/compiled-sources.ts';

// As somebody does who has never seen the project: in an empty folder, with nothing configured.

const program = path.join(import.meta.dirname, '../../src/cli/outrider.ts');
let folder: string;
let environment: NodeJS.ProcessEnv;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'outrider-first-steps-'));
  await chmod(folder, 0o755); // PostgreSQL's own user passes through
  environment = { ...process.env, ...compiledSources, OUTRIDER_PORT: '0', NO_COLOR: '1' };
  delete environment['DATABASE_URL'];
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const run = promisify(execFile);

async function outrider(...args: string[]): Promise<string> {
  const options = { cwd: folder, env: environment };
  return (await run(process.execPath, [program, ...args], options)).stdout;
}

describe('outrider demo', () => {
  it('shows all that it promises, and ends with 0', async () => {
    const out = await outrider('demo');
    expect(out).toMatch(
      /\n1\. A new channel .*\n2\. Telegram says 429.*\n3\. The same post.*\n4\. A/s,
    );
    expect(out).toMatch(/\nWhat a reader of each chat sees now:\n/);
    expect(out).toMatch(/\nAll 23 checks hold\.\n\nNext: make up [^\n]+\n$/);
    expect(out).not.toContain('✗');
  });
});

describe('outrider up --sandbox', () => {
  let child: ChildProcess;
  let said = '';

  beforeAll(async () => {
    child = spawn(process.execPath, [program, 'up', '--sandbox'], {
      cwd: folder,
      env: environment,
    });
    child.stderr?.on('data', (data: Buffer) => void (said += data.toString()));
    while (!said.includes('"tags": ["lost"]')) await once(child.stderr ?? child, 'data');
  });

  afterAll(() => child.kill('SIGKILL'));

  const Answer = z.object({
    verdict: z.string(),
    channels: z.array(z.object({ channel_id: z.string(), verdict: z.string() })),
  });
  const Chat = z.object({ posts: z.array(z.object({ text: z.string() })) });

  /** The line as it is printed, pasted into a shell. */
  async function paste(): Promise<z.output<typeof Answer>> {
    const line = /^ {2}curl [^\n]+\\\n[^\n]+/m.exec(said)?.[0] ?? '';
    const { stdout } = await run('bash', ['--norc', '-c', line.replace('curl', 'curl -sS')]);
    return Answer.parse(JSON.parse(stdout));
  }

  const Chats = z.record(z.string(), z.array(Chat.extend({ title: z.string() })));

  /** What every chat shows, by its title. */
  async function allTexts(): Promise<[title: string, texts: string[]][]> {
    const sandbox = /(http:\S+)\/\?token=/.exec(said)?.[1];
    const answer = Chats.parse(await (await fetch(`${sandbox}/chats`)).json());
    const chats = Object.values(answer).flat();
    return chats.map(({ title, posts }) => [title, posts.map((each) => each.text)]);
  }

  async function textsOf(title: string): Promise<string[]> {
    return (await allTexts()).flatMap(([each, texts]) => (each === title ? texts : []));
  }

  it('prints the line that README.md shows', async () => {
    const readme = await readFile(path.join(import.meta.dirname, '../../README.md'), 'utf8');
    const printed = /^ {2}curl [^\n]+\\\n[^\n]+/m.exec(said)?.[0] ?? '';
    const unindented = printed.replaceAll(/^ {2}/gm, '');
    expect(readme).toContain(unindented.replace(/127\.0\.0\.1:\d+/, '127.0.0.1:8080'));
  });

  it('prints a line that posts to the chats as it stands', async () => {
    const { verdict, channels } = await paste();
    expect(verdict).toBe('accepted');
    expect(channels.filter((each) => each.verdict === 'queued')).toHaveLength(5);
    await vi.waitFor(async () => {
      expect(await textsOf('News')).toEqual([
        expect.stringContaining('answers to Bim'),
        expect.stringContaining('answers to Bim'),
      ]);
    }, 60_000);
  });

  it('sends the next post to channels that were added meanwhile, to chats that nobody has made', async () => {
    const file = path.join(folder, 'new.yaml');
    await writeFile(
      file,
      `workspace: demo
channels:
  tg-new: { platform: telegram, target_id: "-1001000000009", auth_ref: telegram-bot }
  tg-named: { platform: telegram, target_id: "@lost_pets_city", auth_ref: telegram-bot }
  max-new: { platform: max, target_id: "-70000000000009", auth_ref: max-bot }
  vk-new: { platform: vk, target_id: "-200000009", auth_ref: vk-community }
`,
    );
    expect(await outrider('apply', file)).toContain('+ channel tg-new');
    expect(await outrider('apply', file)).toContain('nothing to change');
    const { channels } = await paste();
    for (const channel of ['tg-new', 'tg-named', 'max-new', 'vk-new']) {
      expect(channels).toContainEqual({ channel_id: channel, verdict: 'queued' });
    }
    await vi.waitFor(async () => {
      const shown = (await allTexts()).filter(([title]) => /009$|lost_pets_city/.test(title));
      expect(shown).toHaveLength(4);
      for (const [, texts] of shown) {
        expect(texts).toEqual([expect.stringContaining('answers to Bim')]);
      }
    }, 60_000);
  });

  it('prints one address, where it always is, or says that somebody else is there', () => {
    const addresses = said.match(/^ {2}http:.*$/gm) ?? [];
    expect(addresses).toHaveLength(1);
    const [, port, more] =
      /^ {2}http:\/\/127\.0\.0\.1:(\d+)\/\?token=[\w-]{24}(.*)$/m.exec(said) ?? [];
    expect([port, more]).toEqual(
      port === '8081' ? ['8081', ''] : [port, '   (port 8081 is taken)'],
    );
  });

  it('is looked into by the other commands while it runs', async () => {
    const Listed = z.array(z.object({ channel_id: z.string() }));
    const channels = Listed.parse(JSON.parse(await outrider('channels', 'list', '--json')));
    expect(channels.map((each) => each.channel_id)).toContain('tg-new');
    expect(await outrider('deliveries', 'list', '--channel', 'tg-new')).toContain('sent');
    expect(await outrider('status')).toContain('demo');
  });

  it('stops when it is told to, and says nothing bad', async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await ended).toEqual([0, null]);
    expect(said).not.toMatch(/error|fail/i);
  });
});
