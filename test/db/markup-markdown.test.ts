import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../support/fixtures/database.ts';
import type { Reading } from '../support/oracles/markup-reading.ts';
import { readMaxMarkdown } from '../support/oracles/max-markdown.ts';
import { isMisreadBySandbox, readAsTelegram } from '../support/oracles/telegram-markup.ts';
import { shownByMax } from '../support/posts/max-markdown-texts.ts';
import { readMarkup } from '../support/posts/read-markup.ts';
import { refusedByTelegram, shownByTelegram } from '../support/posts/telegram-markdown-texts.ts';

// What readers see of a text in the Markdown of Telegram and of MAX, text by text. That any text is read
// as a second reader reads it follows in markup-markdown-fuzz.

const database = await useDatabase();

beforeAll(async () => {
  // A reader whose time grows with the square of the length needs minutes for the long texts.
  await database.admin.query(`alter database ${database.name} set statement_timeout = '20s'`);
});

async function read(platform: 'telegram' | 'max', text: string | null): Promise<Reading> {
  const [reading] = await readMarkup(database.admin, `${platform}_markdown`, [text]);
  if (reading === undefined) throw new Error('the database read nothing');
  return reading;
}

const shown = (visible: string, flat = visible): Reading => ({ visible, flat, fault: null });
const refused = (fault: string): Reading => ({ visible: null, flat: null, fault });
const withFlat = ([text, visible, flat = visible]: readonly [string, string, string?]): [
  text: string,
  visible: string,
  flat: string,
] => [text, visible, flat];
const endless = (kind: string, byte: number): Reading =>
  refused(`Can't find end of ${kind} entity at byte offset ${byte}`);

describe('Telegram’s MarkdownV2', () => {
  it.each(shownByTelegram.map(withFlat))('shows %j as %j', async (text, visible, flat) => {
    const reading = await read('telegram', text);
    expect(reading).toMatchObject(shown(visible, flat));
    const inSandbox = isMisreadBySandbox(text) ? {} : readAsTelegram('telegram_markdown', text);
    expect(reading).toMatchObject(inSandbox);
  });

  it.each(refusedByTelegram)('is refused in %j: %s', async (text, fault) => {
    expect(await read('telegram', text)).toEqual(refused(fault));
    expect(readAsTelegram('telegram_markdown', text)).toEqual({ visible: null, fault });
  });

  it('takes every ASCII character behind a backslash, and nothing beyond', async () => {
    const characters = Array.from({ length: 255 }, (_, index) => String.fromCodePoint(index + 1));
    const readings = await readMarkup(
      database.admin,
      'telegram_markdown',
      characters.map((one) => `a\\${one}b`),
    );
    expect(readings).toEqual(
      characters.map((one) => shown(one <= '\u007e' ? `a${one}b` : `a\\${one}b`)),
    );
  });

  it('has nothing to show of no text', async () => {
    expect(await read('telegram', null)).toEqual({ visible: null, flat: null, fault: null });
  });
});

describe('MAX’s Markdown', () => {
  it.each(shownByMax.map(withFlat))('shows %j as %j', async (text, visible, flat) => {
    expect(await read('max', text)).toEqual(shown(visible, flat));
    expect(readMaxMarkdown(text)).toEqual(shown(visible, flat));
  });

  it('has nothing to show of no text', async () => {
    expect(await read('max', null)).toEqual({ visible: null, flat: null, fault: null });
  });
});

const many = (piece: string, length = 100_000): string =>
  piece.repeat(Math.floor(length / piece.length));
const nested = (open: string, close: string, count = 20_000): string =>
  `${open.repeat(count)}a${close.repeat(count)}`;
const unequalTicks = Array.from({ length: 440 }, (_, index) => '`'.repeat(index + 1)).join(' ');

describe('a text of 100,000 characters', () => {
  it.each<[name: string, text: string, reading: Reading]>([
    ['words', many('слово '), shown(many('слово '))],
    ['escapes', many('\\.'), shown(many('.', 50_000))],
    ['marks', many('*'), shown('')],
    ['entities', many('*b* '), shown(many('b ', 50_000))],
    ['entities that do not end', `${many('*_', 99_999)}*`, endless('Bold', 99_998)],
    ['code', many('`a`'), shown(many('a', 33_333))],
    ['backticks', many('`'), endless('Code', 99_999)],
    ['blocks', many('```a ```'), shown(many(' ', 12_500))],
    ['links', many('[a](b)'), shown(many('a', 16_666), many('a (b)', 83_333))],
    [
      'addresses of nothing',
      many(']('),
      refused("Character ']' is reserved and must be escaped with the preceding '\\'"),
    ],
    ['an address', `[a](${many('_.', 99_990)})`, shown('a', `a (${many('_.', 99_990)})`)],
    ['quotes', many('>a||\n\n'), shown(many('a\n\n', 49_998))],
    ['links in links', nested('[', '](b)'), shown('a', `a${' (b)'.repeat(20_000)}`)],
    ['links to themselves in links', nested('[', '](a)'), shown('a')],
    ['nested marks', nested('*_', '_*'), shown('a')],
    ['nested marks that do not end', `${'*_'.repeat(10_000)}a`, endless('Italic', 19_999)],
  ])('is read at once in MarkdownV2: %s', async (_, text, reading) => {
    expect(await read('telegram', text)).toMatchObject(reading);
  });

  it.each<[name: string, text: string, reading: Reading]>([
    ['words', many('слово '), shown(many('слово '))],
    ['escapes', many('\\*'), shown(many('*', 50_000))],
    ['one long mark', many('*'), shown(many('*'))],
    ['entities', many('*b* '), shown(many('b ', 50_000))],
    ['marks that do not close', many(' *b'), shown(many(' *b'))],
    ['code', many('`a` '), shown(many('a ', 50_000))],
    ['backticks that do not close', unequalTicks, shown(unequalTicks)],
    ['links', many('[a](b)'), shown(many('a', 16_666), many('a (b)', 83_333))],
    ['brackets', many('['), shown(many('['))],
    ['addresses of nothing', many(']('), shown(many(']('))],
    ['quotes', many('> a\n'), shown(many('a\n', 50_000))],
    ['links in links', nested('[', '](b)'), shown('a', `a${' (b)'.repeat(20_000)}`)],
    ['nested marks', nested(' ~~.', '~~.'), shown(nested(' .', '.'))],
    [
      'openers for one closer',
      `${many('*b ', 60_000)}c${many('*', 20_000)}`,
      shown(`${many('b ', 40_000)}c`),
    ],
    [
      'closers for one opener',
      `${many('*', 33_333)}${many('b*', 66_666)}`,
      shown(many('b', 33_333)),
    ],
  ])('is read at once in MAX’s Markdown: %s', async (_, text, reading) => {
    expect(await read('max', text)).toEqual(reading);
  });
});
