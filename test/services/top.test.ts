import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { z } from 'zod';
import { widthOf } from '../../src/cli/screen/shown-text.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { openPty } from '../support/cli/pty.ts';
import { runOutrider } from '../support/cli/run-outrider.ts';
import { missingTmux, openTmux, type Tmux } from '../support/cli/tmux.ts';
import { addBacklog, addChannel, addWorkspace, setGroup } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { startTcpProxy } from '../support/http/tcp-proxy.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// What a person sees: the real command in a real terminal, on a real database.

const database = await useDatabase();
const root = path.join(import.meta.dirname, '../..');
const noTmux = missingTmux();

const workspaceId = 'city';
const ahead = (seconds: number): string => new Date(Date.now() + seconds * 1000).toISOString();
/** What a terminal would obey. */
const evil = 'a\u001b]0;owned\u0007\u001b[2J\u202e!';

beforeAll(async () => {
  const { admin, service } = database;
  await addWorkspace(admin, workspaceId, { sending_lease: '1 hour' });
  await addChannel(admin, workspaceId, 'news');
  await addChannel(admin, workspaceId, 'pets', {
    paused_until: ahead(7225), // shown as 2 h for nearly a minute
    error_streak: 2,
    stopped_because: JSON.stringify({ code: '403', message: evil }),
  });
  await addChannel(admin, workspaceId, 'walls', { platform: 'vk', rate_group: 'ポチ 🐕 e\u0301' });
  await setGroup(admin, workspaceId, {
    platform: 'vk',
    rate_group: 'ポチ 🐕 e\u0301',
    cooldown_until: ahead(5005), // as 1 h 23 min for as long
    last_error: { code: '429', message: 'slower' },
  });
  await addBacklog(admin, workspaceId, ['news', 'pets', 'walls'], 4);
  const held = await claimDeliveries(service, { workspaceId, runId: 'run', limit: 3 });
  const [first, second] = held;
  if (first === undefined || second === undefined) throw new Error('two were not claimed');
  const error = { code: '503', message: `later ${evil}`, retryAfterMs: 900_000 };
  await commitOutcomes(service, workspaceId, [failed(first, error), sent(second)]);
});

function top(...args: string[]): string {
  return [process.execPath, 'src/cli/outrider.ts', 'top', '--every', '1', ...args].join(' ');
}

describe.skipIf(noTmux !== undefined)('outrider top in a terminal', () => {
  let tmux: Tmux;

  beforeAll(async () => {
    tmux = await openTmux({
      columns: 80,
      rows: 24,
      folder: root,
      env: { DATABASE_URL: database.url },
      command: `echo before; ${top()}; echo "ended with $?"; ${top()}; echo "ended with $?"; cat`,
    });
  });

  afterAll(() => tmux.close());

  it('shows the queue, channels, sends, errors and rate groups, with the columns in line', async () => {
    const screen = await tmux.until(/channels 3/);
    expect(screen).toContain('outrider top · city is active');
    expect(screen).toMatch(/ 9 due · 0 scheduled · 1 retrying · 0 claimed · 1 sending/);
    expect(screen).toMatch(/^▸ pets +paused 2 h +4 +0\/100 +0 +in 2 h$/m);
    expect(screen).toMatch(/^ {2}walls +cooling 1 h 23 min +4 /m);
    expect(screen).toMatch(/^ {2}news +open +2 +1\/100 +1 +/m);
    expect(screen).toMatch(/^ {2}sending 1 +channel +attempt/m);
    expect(screen).toMatch(/now|ago +1 +news +503: later a \]0;owned \[2J!/);
    expect(screen).toMatch(/^ {2}vk\/ポチ 🐕 e\u0301 +cooling 1 h 23 min /m);
    expect(screen.split('\n').at(-2)).toContain('q quit · ? help');
    expect(await tmux.ask('#{pane_title}')).not.toContain('owned');
    const at = (row: RegExp): number =>
      screen
        .split('\n')
        .find((each) => row.test(each))
        ?.search(/\d+\/100/) ?? -1;
    expect(at(/^ {2}news/)).toBe(at(/^▸ pets/));
  });

  it('has the keys: help, filter, another list, explanation, pause', async () => {
    await tmux.press('?');
    expect(await tmux.until(/Filters/)).toContain('channel:tg-*');
    await tmux.press('q', '/', 'platform:vk', 'Enter');
    const filtered = await tmux.until(/channels 1 /);
    expect(filtered).toContain('filter: platform:vk');
    expect(filtered).not.toMatch(/^.. ?news /m);
    await tmux.press('Escape', '/', 'status:retry', 'Enter');
    expect(await tmux.until(/retry 1 /)).toMatch(/news +retry +1 +in 1\d min/);
    await tmux.press('2', 'Enter');
    const explained = await tmux.until(/Its timeline: outrider deliveries show/);
    expect(explained).toMatch(/delivery [\da-f-]{36} to news/);
    expect(explained).toContain('503');
    await tmux.press('Escape');
    await tmux.until(/retry 1 /);
    await tmux.press('Escape', '1', 'Enter');
    expect(await tmux.until(/channel pets \(telegram\)/)).toContain('It is paused until');
    await tmux.press('q', 'Space');
    await tmux.until(/paused · \d\d:\d\d:\d\d UTC/);
    await tmux.press('Space');
    await tmux.until(/every 1 s · /);
  });

  it('follows what happens, and the size of the terminal', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 40);
    expect(await tmux.until(/ 49 due /)).toContain('channels 3');
    await tmux.resize(200, 60);
    const wide = await tmux.until(/│ {3}sending 1/);
    expect(wide).toContain('vk/ポチ 🐕');
    const sides = wide.split('\n').flatMap((line) => line.split('│').slice(0, -1));
    expect(new Set(sides.map(widthOf)).size).toBe(1);
    await tmux.resize(30, 6);
    await tmux.until(/^outrider top · city is active$/m);
    await tmux.resize(80, 24);
    await tmux.until(/^▸ channels 3 .*\n▸ pets/m);
  });

  it('gives the screen back when it is quit, and when it is ended by a signal', async () => {
    expect(await tmux.ask('#{alternate_on} #{cursor_flag}')).toBe('1 0');
    await tmux.press('q');
    await tmux.until(/before\nended with 0/);
    await tmux.until(/channels 3/);
    await tmux.press('C-c');
    const after = await tmux.until(/ended with 130/);
    expect(after).toMatch(/^before\nended with 0\nended with 130\n/);
    expect(await tmux.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
  });
});

describe.skipIf(noTmux !== undefined)('outrider top when things break', () => {
  it('says that the database is gone, finds it again, restores the screen at SIGTERM, and has no colours with NO_COLOR', async () => {
    const proxy = await startTcpProxy(database.url);
    onTestFinished(() => proxy.close());
    const tmux = await openTmux({
      columns: 80,
      rows: 24,
      folder: root,
      env: { DATABASE_URL: proxy.url, NO_COLOR: '1' },
      command: `echo before; ${top()}; echo "ended with $?"; cat`,
    });
    onTestFinished(() => tmux.close());
    await tmux.until(/channels 3/);
    // oxlint-disable-next-line no-control-regex -- colours as a terminal takes them
    expect(await tmux.paintedScreen()).not.toMatch(/\u001b\[[\d;]*(3[0-7]|9[0-7])m/);
    await proxy.greet('refused');
    proxy.cut();
    const gone = await tmux.until(/it is asked again/);
    expect(gone).toContain('channels 3');
    await proxy.greet('served');
    await expect.poll(() => tmux.screen()).not.toContain('it is asked again');
    const shell = await tmux.ask('#{pane_pid}');
    const children = await readFile(`/proc/${shell}/task/${shell}/children`, 'utf8');
    process.kill(Number(children.trim()), 'SIGTERM');
    await tmux.until(/before\nended with 143/);
    expect(await tmux.ask('#{alternate_on} #{cursor_flag} #{wrap_flag}')).toBe('0 1 1');
  });
});

describe('outrider top at the end of a slow line', () => {
  it('draws few frames for many keys, and none but the latest once the line takes bytes again', async () => {
    const pty = openPty({
      columns: 80,
      rows: 24,
      command: top(),
      folder: root,
      env: { DATABASE_URL: database.url },
    });
    onTestFinished(() => pty.close());
    const until = async (text: string, from = 0): Promise<void> => {
      while (!pty.output().slice(from).includes(text)) await pty.more();
    };
    await until('channels');
    const before = pty.output().length;
    pty.write('?');
    await until('Filters', before);
    const frame = pty.output().length - before;
    pty.stopReading();
    const turns = 500;
    for (let turn = 0; turn < turns; turn += 1) pty.write('q?');
    pty.write('q/the-last');
    pty.readAgain();
    const start = pty.output().length;
    await until('the-last', start);
    expect(pty.output().length - start).toBeLessThan((frame * turns) / 5);
    pty.write('\u001b');
    pty.write('\u0003');
    expect(await pty.ended).toBe(130);
    expect(pty.output()).toContain('\u001b[?1049l');
  });
});

describe('outrider top without a terminal', () => {
  const outrider = (...args: string[]) => runOutrider(args, { databaseUrl: database.url });

  it('prints one line for each look, in words', async () => {
    const { code, out, err } = await outrider('top', '--once');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toMatch(
      /^\d{4}-\S+Z city: \d+ due, 0 scheduled, 1 retrying, 0 claimed, 1 sending \| \d+ sent in 60 s.* \| 1 open, 1 paused, 1 cooling \| last error .* in news: 503: later a \]0;owned \[2J!\n$/,
    );
  });

  it('prints a look as one JSON document', async () => {
    const { code, out } = await outrider('top', '--once', '--json', '--filter', 'channel:news');
    expect(code).toBe(0);
    const seen = z
      .object({
        queue: z.object({ retrying: z.number() }),
        channels: z.array(z.object({ channel_id: z.string() })),
      })
      .parse(JSON.parse(out));
    expect(seen.channels.map((each) => each.channel_id)).toEqual(['news']);
  });

  it('ends when nobody reads any more', async () => {
    const pty = openPty({
      columns: 80,
      rows: 24,
      command: `sh -c '${top()} | head -1; echo over'`,
      folder: root,
      env: { DATABASE_URL: database.url },
    });
    onTestFinished(() => pty.close());
    expect(await pty.ended).toBe(0);
    expect(pty.output().match(/city:/g)).toHaveLength(1);
  });
});
