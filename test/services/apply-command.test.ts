import { writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { apply } from '../../src/cli/apply.ts';
import type { Terminal } from '../../src/cli/command.ts';
import { openClient } from '../../src/db/pool.ts';
import { InvalidInputError, OutriderError } from '../../src/errors.ts';
import { checksums } from '../support/database/catalogue.ts';
import { fullDocument, hashOf, valueOf } from '../support/database/configuration.ts';
import { addDelivery } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';

const database = await useDatabase();
const folder = await useFolder();
let workspace: string;

beforeAll(() => {
  vi.stubEnv('DATABASE_URL', database.url);
  vi.stubEnv('CITY_SECRET', 'open sesame');
});

beforeEach(() => {
  workspace = database.newWorkspaceId();
});

afterAll(() => vi.unstubAllEnvs());

interface Shown {
  readonly code: number;
  readonly out: string[];
  readonly err: string[];
}

async function run(args: readonly string[], given: Partial<Terminal> = {}): Promise<Shown> {
  const shown = { out: new Array<string>(), err: new Array<string>() };
  const terminal: Terminal = {
    out: (line) => void shown.out.push(line),
    err: (line) => void shown.err.push(line),
    progress: () => undefined,
    redraw: () => undefined,
    bytes: () => undefined,
    isTty: false,
    stopped: new Promise(() => undefined),
    input: () => Promise.resolve(''),
    canAsk: false,
    ask: () => Promise.resolve(''),
    ...given,
  };
  return { code: await apply.run(args, terminal), ...shown };
}

/** JSON is YAML. */
async function fileOf(document: unknown): Promise<string> {
  const file = path.join(folder, `${workspace}.yaml`);
  await writeFile(file, typeof document === 'string' ? document : JSON.stringify(document));
  return file;
}

const city = (channels: string): string => `workspace: ${workspace}\nchannels:\n${channels}`;
const bot = 'platform: telegram, auth_ref: bot, rate_group: bot';

describe('outrider apply', () => {
  it('says what it adds, one line for each', async () => {
    const file = await fileOf(fullDocument(workspace));
    const { code, out, err } = await run([file]);
    expect(out).toEqual([
      `+ workspace ${workspace} (City news)`,
      '~ settings  backoff_factor 2 → 1.5, max_attempts 5 → 7, sending_lease 00:00:30 → 00:00:45',
      '+ endpoint bot (bot_webhook)',
      '+ endpoint push (webhook_push)',
      '+ pull source feed (vk_wall)',
      '+ credential telegram-bot (telegram env:TELEGRAM_TOKEN)',
      '+ credential vk-community (vk file:/run/secrets/vk)',
      '+ rate group telegram/telegram-bot (30 a second)',
      '+ rate group vk/vk-community (3 a second)',
      '+ template card',
      '+ template plain',
      '+ channel news (telegram -1001)',
      '+ channel night (telegram -1002)',
      '+ channel wall (vk -2001)',
      `${workspace}: 13 added, 1 changed, 0 removed.`,
    ]);
    expect([code, err]).toEqual([
      0,
      [
        '! endpoint bot: it names no auth_ref, so nothing can be answered',
        '! credential telegram-bot: environment variable TELEGRAM_TOKEN is not set here; the process that sends needs it',
        '! credential vk-community: file /run/secrets/vk does not exist here; the process that sends needs it',
      ],
    ]);
  });

  it('has nothing to change the second time', async () => {
    const file = await fileOf(fullDocument(workspace));
    await run([file]);
    expect(await run([file])).toMatchObject({
      code: 0,
      out: ['= 14 unchanged', `${workspace}: nothing to change.`],
    });
  });

  it('says what it changes, from what to what', async () => {
    await run([await fileOf(fullDocument(workspace))]);
    const text = `workspace: ${workspace}
templates:
  plain: { body: "{{text}}\\n${'long '.repeat(40)}" }
channels:
  news: { rate_rps: 2, tags: [news, city], title: ~, settings: { parse_mode: HTML, values: { a: [1] } } }
`;
    const { out } = await run([await fileOf(text)]);
    expect(out).toEqual([
      `~ template plain  body {{text}} → {{text}} ${'long '.repeat(10)}…, version 1 → 2`,
      '~ channel news  rate_rps 0.5 → 2, settings {parse_mode: HTML} → {values: {a: [1]}, parse_mode: HTML}, tags [news] → [news, city], title News → nothing',
      '= 1 unchanged',
      '= 10 not in the file, left alone; --prune removes them',
      `${workspace}: 0 added, 2 changed, 0 removed.`,
    ]);
  });

  it('removes with --prune only, and says what stays', async () => {
    await run([await fileOf(fullDocument(workspace))]);
    await addDelivery(database.admin, workspace, 'news');
    const file = await fileOf(city('  wall: {}\n'));
    const { out } = await run([file, '--prune']);
    expect(out.slice(0, 5)).toEqual([
      '- channel news (disabled: it has deliveries)',
      '- channel night',
      '= 2 unchanged',
      '= endpoint bot (not in the document, which has no section "endpoints")',
      '= endpoint push (not in the document, which has no section "endpoints")',
    ]);
    expect(out.at(-1)).toBe(`${workspace}: 0 added, 0 changed, 2 removed.`);
  });

  it('changes nothing with --dry-run', async () => {
    // The first command of all makes the day's partitions.
    await run([await fileOf({ workspace })]);
    const before = await checksums(database.admin);
    const file = await fileOf(fullDocument(workspace));
    const { code, out } = await run([file, '--dry-run', '--prune']);
    expect(code).toBe(0);
    expect(out).toContain('+ channel news (telegram -1001)');
    expect(out.at(-1)).toBe(
      `${workspace}: 12 to add, 2 to change, 0 to remove. Nothing was changed.`,
    );
    expect(await checksums(database.admin)).toEqual(before);
  });

  it('warns of a channel without a credential', async () => {
    const { code, err } = await run([await fileOf(city(`  news: { ${bot}, target_id: -1 }\n`))]);
    expect([code, err]).toEqual([
      0,
      ['! channel news: no credential "bot" is configured, so posts to it will fail'],
    ]);
  });

  it('keeps the hash of a secret that the environment holds', async () => {
    const text = `workspace: ${workspace}\nendpoints:\n  push: { kind: webhook_push, secret_ref: env:CITY_SECRET }\n`;
    await run([await fileOf(text)]);
    expect(
      await valueOf(database.admin, 'workspace_endpoints', workspace, 'push', 'secret_hash'),
    ).toBe(hashOf('open sesame'));
  });

  it('prints one JSON document with --json', async () => {
    const file = await fileOf(city(`  news: { ${bot}, target_id: -1 }\n`));
    const { out } = await run([file, '--json', '--dry-run']);
    const Printed = z.object({ dry_run: z.boolean(), workspaces: z.array(z.looseObject({})) });
    expect(out).toHaveLength(1);
    expect(Printed.parse(JSON.parse(out[0] ?? ''))).toMatchObject({
      dry_run: true,
      workspaces: [
        {
          workspace,
          changes: [
            { kind: 'workspace', action: 'add' },
            { kind: 'channel', id: 'news', action: 'add', warnings: [expect.any(String)] },
          ],
        },
      ],
    });
  });

  it('has colours on a terminal only', async () => {
    const file = await fileOf({ workspace });
    expect((await run([file, '--dry-run'])).out.join('\n')).not.toContain('\u001b');
    vi.stubEnv('FORCE_COLOR', '1');
    const { out } = await run([file, '--dry-run'], { isTty: true });
    expect(out[0]).toBe(`\u001b[32m+ workspace ${workspace} (${workspace})\u001b[39m`);
  });

  it('reads standard input, and applies every document of it', async () => {
    const input = () =>
      Promise.resolve(`workspace: ${workspace}\n---\nworkspace: ${workspace}-b\n`);
    const { out } = await run(['-'], { input });
    expect(out).toEqual([
      `+ workspace ${workspace} (${workspace})`,
      `${workspace}: 1 added, 0 changed, 0 removed.`,
      `+ workspace ${workspace}-b (${workspace}-b)`,
      `${workspace}-b: 1 added, 0 changed, 0 removed.`,
    ]);
  });

  it('applies no document of a file of which one is refused', async () => {
    const text = `workspace: ${workspace}\n---\nworkspace: ${workspace}-b\nname: b\nchannels:\n  x: { tags: [A] }\n`;
    await expect(run([await fileOf(text)])).rejects.toThrow(/line 6, .* channel "x": /);
    expect(await valueOf(database.admin, 'workspaces', workspace, workspace, 'name')).toBe(
      undefined,
    );
  });

  it('shows the line of what the database refuses', async () => {
    const line = `  news: { ${bot}, target_id: -1 }`;
    const file = await fileOf(city(`${line}\n${line.replace('news', 'town')}\n`));
    const column = line.indexOf('-1') + 1;
    const words = 'channel "news": target_id "-1" on telegram belongs to channel "town"';
    const error = await run([file]).catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(InvalidInputError);
    expect(error).toMatchObject({
      message: `${file}, line 3, column ${column}: ${words}\n    3 | ${line}`,
      hint: expect.stringMatching(/^A destination has one channel/),
    });
  });

  const faulty = `  news: { ${bot}, target_id: -1, timezone: Europe/Moskow }
  pets: { ${bot}, target_id: -2, rate_rsp: 1 }
  town: { platform: telegramm, auth_ref: bot, target_id: -3 }
`;

  it('tells faults of form and of meaning at once, in the order of their lines', async () => {
    const error = await run([await fileOf(city(faulty))]).catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(InvalidInputError);
    const lines = String(error).split('\n');
    expect(lines[0]).toMatch(/ has 3 faults:$/);
    expect(lines.filter((line) => line.includes('column'))).toEqual([
      expect.stringMatching(/line 3, .* channel "news": timezone "Europe\/Moskow" is not known/),
      expect.stringMatching(/line 4, .* channels\.pets has no key "rate_rsp"; did you mean/),
      expect.stringMatching(/line 5, .* channel "town": platform "telegramm" is not known/),
    ]);
    expect(await valueOf(database.admin, 'workspaces', workspace, workspace, 'name')).toBe(
      undefined,
    );
  });

  it('tells all faults of one channel at once, of form and of meaning', async () => {
    const channel = `  news:
    ${bot.replaceAll(', ', '\n    ')}
    target_id: -1
    window_mode: windowed
    timezone: Europe/Moskow
    tags: [News]
    max_parallel: many
`;
    const error = await run([await fileOf(city(channel))]).catch((raised: unknown) => raised);
    expect(
      String(error)
        .split('\n')
        .filter((line) => line.includes('column')),
    ).toEqual([
      expect.stringMatching(/line 8, .* channel "news": window_mode "windowed" needs a posting_w/),
      expect.stringMatching(/line 9, .* channel "news": timezone "Europe\/Moskow" is not known/),
      expect.stringMatching(/line 10, .* channel "news": tags must be in lower case/),
      expect.stringMatching(/line 11, .* channels\.news\.max_parallel must be a .*number/),
    ]);
  });

  it('tells the faults of form alone when no database can be asked', async () => {
    vi.stubEnv('DATABASE_URL', 'postgresql://app@127.0.0.1:1/outrider');
    try {
      const error = await run([await fileOf(city(faulty))]).catch((raised: unknown) => raised);
      expect(String(error)).toMatch(/, line 4, column 78: channels\.pets has no key "rate_rsp"/);
    } finally {
      vi.stubEnv('DATABASE_URL', database.url);
    }
  });

  it('wakes the dispatchers when it has changed something', async () => {
    const listener = await openClient({ url: database.url, applicationName: 'test' });
    try {
      let woken = 0;
      listener.on('notification', () => void (woken += 1));
      await listener.query('listen outrider_wake');
      const file = await fileOf({ workspace });
      await run([file, '--dry-run']);
      await listener.query('select 1');
      expect(woken).toBe(0);
      await run([file]);
      await vi.waitFor(() => expect(woken).toBe(1), 30_000);
      await run([file]);
      await listener.query('select 1');
      expect(woken).toBe(1);
    } finally {
      await listener.end();
    }
  });

  it.each([
    { args: ['nowhere.yaml'], words: 'there is no file nowhere.yaml' },
    { args: [os.tmpdir()], words: `${os.tmpdir()} is a folder` },
  ])('names a file that cannot be read: $args', async ({ args, words }) => {
    const error = await run(args).catch((raised: unknown) => raised);
    expect(error).toBeInstanceOf(OutriderError);
    expect(error).toMatchObject({ message: words, hint: expect.stringMatching(/\w/) });
  });

  it.each([[[]], [['a.yaml', 'b.yaml']], [['a.yaml', '--force']]])(
    'is told how to be called: %j',
    async (args) => {
      await expect(run(args)).rejects.toThrow(
        /name the file|one file at a time|there is no option/,
      );
    },
  );
});
