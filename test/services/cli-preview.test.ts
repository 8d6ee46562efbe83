import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { preview as command } from '../../src/cli/preview.ts';
import { recordingTerminal } from '../support/cli/recording-terminal.ts';
import { type Ended, runOutrider, tabbed } from '../support/cli/run-outrider.ts';
import { addChannel, addWorkspace } from '../support/database/seed.ts';
import { wholeDatabase } from '../support/database/whole-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useFolder } from '../support/fixtures/folder.ts';

const database = await useDatabase();
const folder = await useFolder();

beforeAll(async () => {
  await addWorkspace(database.admin, 'city');
  await addChannel(database.admin, 'city', 'news');
  await addChannel(database.admin, 'city', 'pets', {
    platform: 'max',
    rate_group: 'max',
    target_id: '-7001',
    route_filter: JSON.stringify({ include_any: ['lost', 'found'] }),
  });
  await addChannel(database.admin, 'city', 'wall', {
    platform: 'vk',
    rate_group: 'vk',
    target_id: '-5',
  });
});

/** As a process of its own. */
function preview(args: readonly string[]): Promise<Ended> {
  return runOutrider(['preview', ...args], { databaseUrl: database.url });
}

/** Within this process, on a terminal that records. */
async function run(args: readonly string[], terminal = recordingTerminal()): Promise<number> {
  vi.stubEnv('DATABASE_URL', database.url);
  try {
    return await command.run(args, terminal);
  } finally {
    vi.unstubAllEnvs();
  }
}

describe('outrider preview', () => {
  it('prints a line for each channel, takes the post from a file, and writes nothing', async () => {
    const file = path.join(folder, 'post.json');
    await writeFile(file, JSON.stringify({ title: 'Lost dog', text: 'Bim', parse_mode: 'HTML' }));
    const before = await wholeDatabase(database.admin);
    const { code, out, err } = await preview([file]);
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(tabbed(out)).toMatchObject([
      {
        channel_id: 'news',
        verdict: 'queued',
        length: '13',
        length_max: '4096',
        parts: '1',
        words: 'could go out at once',
        text: 'Lost dog Bim',
      },
      {
        channel_id: 'pets',
        verdict: 'not_routed',
        words: 'the post has none of the tags lost, found (include_any)',
      },
      { channel_id: 'wall', verdict: 'queued', length_max: '15000' },
    ]);
    expect(await wholeDatabase(database.admin)).toEqual(before);
  });

  it('takes a post from standard input and answers with one document', async () => {
    const terminal = recordingTerminal({ isTty: false, input: '{"text": "Hi"}' });
    expect(await run(['-', '--json', '--channel', 'w*'], terminal)).toBe(0);
    expect(JSON.parse(terminal.printed())).toMatchObject({
      verdict: 'accepted',
      channels: [{ channel_id: 'wall', post: { parts: [{ messages: [{ text: 'Hi' }] }] } }],
    });
  });

  it('ends with 1 when no channel would take the post, and says where it is wrong', async () => {
    const file = path.join(folder, 'broken.json');
    const text = 'First line\nThe <p>second';
    await writeFile(file, JSON.stringify({ text, parse_mode: 'HTML' }));
    const terminal = recordingTerminal();
    const code = await run([file, '--channel', 'news'], terminal);
    expect(code).toBe(1);
    expect(terminal.printed()).toContain(
      [
        '  ✗ the text is not valid HTML for Telegram: Unsupported start tag "p" at byte offset 15',
        '    line 2, column 5 of text in the post',
        '    The <p>second',
        '        ^',
      ].join('\n'),
    );
  });

  it('shows people the post as each platform would show it', async () => {
    const file = path.join(folder, 'album.json');
    const media = ['a', 'b'].map((name) => ({
      type: 'image',
      url: `https://a.test/${name}.jpg`,
    }));
    const buttons = [[{ text: 'Call', url: 'https://a.test/call' }]];
    await writeFile(file, JSON.stringify({ text: 'Bim, #lost', media, buttons }));
    const terminal = recordingTerminal();
    expect(await run([file], terminal)).toBe(0);
    const printed = terminal.printed();
    expect(printed).toContain('media[0], media[1] are links that were not fetched');
    expect(printed).toContain(
      [
        'telegram: news',
        '  10 of 4,096 characters · plain text · 2 parts',
        '  part 1 of 2: text',
        '  │ Bim, #lost',
        '  │ [ Call → https://a.test/call ]',
        '  part 2 of 2: album, 2 photo',
        '  │ [photo] a.jpg (not fetched)',
        '  │ [photo] b.jpg (not fetched)',
      ].join('\n'),
    );
    expect(printed).toContain(
      [
        'max: pets',
        '  10 of 4,000 characters · plain text · 1 part',
        '  │ [image] a.jpg (not fetched)',
        '  │ [image] b.jpg (not fetched)',
        '  │ Bim, #lost',
        '  │ [ Call → https://a.test/call ]',
      ].join('\n'),
    );
  });

  it('writes a page that draws the chats and holds nothing that a browser would run or load', async () => {
    const file = path.join(folder, 'page.html');
    const text = '<b>Bim</b> &lt;script&gt;alert(1)&lt;/script&gt;';
    const post = path.join(folder, 'hostile.json');
    await writeFile(post, JSON.stringify({ text, parse_mode: 'HTML' }));
    expect(await run([post, '--html', file], recordingTerminal())).toBe(0);
    const page = await readFile(file, 'utf8');
    expect(page.match(/<section class="chat look-\w+"/g)).toEqual([
      '<section class="chat look-telegram"',
      '<section class="chat look-max"',
      '<section class="chat look-vk"',
    ]);
    expect(page).toContain('<b>Bim</b> &lt;script&gt;alert(1)');
    expect(page).toContain('not routed: the post has none of the tags lost, found (include_any)');
    expect(page).not.toMatch(/<script|<link|<img[^>]+src="http|@import|\son\w+=/i);
  });

  it.each([
    ['is not UTF-8', Buffer.from('{"text": "\u00e9"}', 'latin1'), 'post.json is not UTF-8'],
    ['holds U+0000', '{"text": "a\\u0000b"}', 'holds the character U+0000'],
    ['holds half a character', '{"text": "\\ud83d"}', 'holds half of a surrogate pair'],
    ['is nested', `{"fields": ${'['.repeat(9000)}${']'.repeat(9000)}}`, 'nested too deeply'],
  ])('says what is wrong with a file that %s', async (_, content, words) => {
    await writeFile(path.join(folder, 'post.json'), content);
    await expect(run([path.join(folder, 'post.json')])).rejects.toThrow(words);
  });

  it('reads a file that begins with a byte order mark', async () => {
    await writeFile(path.join(folder, 'post.json'), '\ufeff{"text": "Bim"}');
    expect(await run([path.join(folder, 'post.json')])).toBe(0);
  });

  it('refuses standard input that is not UTF-8', async () => {
    const input = Buffer.from([0xcf, 0xf0, 0xe8]);
    const { code, err } = await runOutrider(['preview', '-'], { databaseUrl: database.url, input });
    expect({ code, err }).toEqual({
      code: 1,
      err: expect.stringContaining('standard input is not UTF-8'),
    });
  });

  it('refuses words that it does not understand', async () => {
    const terminal = recordingTerminal();
    await expect(run([], terminal)).rejects.toThrow('what is to be shown? give it with --file');
    await expect(run(['a.json', 'b.json'], terminal)).rejects.toThrow('a preview is of one post');
    await expect(run(['a.json', '--text', 'b'], terminal)).rejects.toThrow('one of --file, --text');
    await expect(run([path.join(folder, 'none.json')], terminal)).rejects.toThrow('is not there');
  });
});
