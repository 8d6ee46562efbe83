import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { markedText } from '../support/oracles/marked-texts.ts';
import type { Reading } from '../support/oracles/markup-reading.ts';
import { readMaxMarkdown } from '../support/oracles/max-markdown.ts';
import {
  isMisreadBySandbox,
  readAsTelegram,
  type TelegramReading,
} from '../support/oracles/telegram-markup.ts';
import { readMarkup } from '../support/posts/read-markup.ts';

// Whatever a text is made of, the database and a second reader agree on it: on what is shown and on the fault with its
// place. The second reader of Telegram's texts is the sandbox.

const database = await useDatabase();

const words = ['a', 'b c', 'лес', '👍', 'é', '\u007f', ' ', '\t', '\v', '\n', '\n', '\r\n', '\r'];
const escapes = ['\\', '\\\\', '\\*', '\\`', '\\.', '\\)', '\\\n', '\\\r', '\\é', '\\a'];

const telegramSpans = ['*', '_', '__', '___', '~', '||', '|', '.', '!', '#'];
const telegramQuotes = ['>', '\n>', '**>', '||\n', '||\r\n'];
const telegramCode = ['`', '``', '```', '````', '```js\n', '```c++\r\n', '```a\\ ', '\\`'];
const telegramLinks = [
  '[',
  ']',
  '](',
  '(',
  ')',
  '](x)',
  '](http://x.y/)',
  '![',
  '](tg://emoji?id=5)',
];
const telegramMarks = [...telegramSpans, ...telegramQuotes, ...telegramCode, ...telegramLinks];

const maxSpans = ['*', '**', '***', '_', '__', '~~', '~', '++', '+', '^^', '^', '«', '»', '.'];
const maxLines = ['>', '> ', '#', '# ', '\n> ', '\n# ', '\n>#\t'];
const maxCode = ['`', '``', '```', '```js\n', '\n```', '\\`'];
const maxLinks = ['[', ']', '](', '(', ')', '](x)', '](http://x.y/a_(b))', '[a](b)'];
const maxMarks = [...maxSpans, ...maxLines, ...maxCode, ...maxLinks];

const mixed = (marks: readonly string[]): fc.Arbitrary<string> =>
  fc
    .array(fc.constantFrom(...marks, ...marks, ...words, ...escapes), { maxLength: 16 })
    .map((pieces) => pieces.join(''));

/** Telegram refuses most texts that are thrown together; these are right, or nearly. */
const { nearlyRight } = fc.letrec<{ nearlyRight: string }>((tie) => {
  const within = tie('nearlyRight');
  return {
    nearlyRight: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(...words, ...escapes, '\n>', '>', '||\n', '\n**>'),
      fc.tuple(within, within, within).map((parts) => parts.join('')),
      fc
        .tuple(fc.constantFrom('*', '_', '__', '~', '||'), within, within)
        .map(([mark, one, two]) => `${mark}${one}${two}${mark}`),
      fc
        .tuple(
          fc.constantFrom('`', '```', '```js\n', '```c+*\r'),
          fc.constantFrom('x', '*', '\\`', '`y`', '``z', '\n', 'a\\\n', ''),
        )
        .map(([mark, code]) => `${mark}${code}${mark.startsWith('```') ? '```' : '`'}`),
      fc
        .tuple(
          within,
          fc.constantFrom('', '(x)', '(http://x.y/)', '(a\\)b)', '()', '(tg://user?id=5)'),
        )
        .map(([inside, address]) => `[${inside}]${address}`),
      fc
        .tuple(
          within,
          fc.constantFrom(
            'tg://emoji?id=5',
            'TG:emoji/?a&id=-7#x',
            'tg://time?unix=1&format=wDT',
            'tg://emoji?id=0',
            'tg://time?unix=2147483648',
          ),
        )
        .map(([inside, address]) => `![${inside}](${address})`),
    ),
  };
});

const batch = (text: fc.Arbitrary<string>): fc.Arbitrary<string[]> =>
  fc.array(text, { minLength: 100, maxLength: 100 });

/** Compares 3,000 texts with the second reader; says how many were not refused. */
async function agree(
  platform: 'telegram' | 'max',
  text: fc.Arbitrary<string>,
  second: (text: string) => Reading | TelegramReading,
): Promise<number> {
  let taken = 0;
  await fc.assert(
    fc.asyncProperty(batch(text), async (texts) => {
      const readings = await readMarkup(database.admin, `${platform}_markdown`, texts);
      const expected = texts.map(second);
      taken += expected.filter((reading) => reading.fault === null).length;
      expect(readings.map((reading, index) => [texts[index], reading])).toMatchObject(
        expected.map((reading, index) => [texts[index], reading]),
      );
    }),
    { numRuns: 30 },
  );
  return taken;
}

/** Texts that the sandbox reads as Telegram does. */
const readable = (texts: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  texts.filter((text) => !isMisreadBySandbox(text));
const inSandbox = (text: string): TelegramReading => readAsTelegram('telegram_markdown', text);

describe('3,000 texts', () => {
  it('of marks and words are read as Telegram reads MarkdownV2, and some are right', async () => {
    expect(await agree('telegram', readable(mixed(telegramMarks)), inSandbox)).toBeGreaterThan(100);
  });

  it('of nested entities are read as Telegram reads MarkdownV2, and many are right', async () => {
    expect(await agree('telegram', readable(nearlyRight), inSandbox)).toBeGreaterThan(600);
  });

  it('show the words and the links that they were written from in MarkdownV2', async () => {
    const texts = fc.array(markedText('telegram_markdown'), { minLength: 100, maxLength: 100 });
    await fc.assert(
      fc.asyncProperty(texts, async (some) => {
        const sources = some.map(({ source }) => source);
        const readings = await readMarkup(database.admin, 'telegram_markdown', sources);
        expect(readings.map((reading, index) => [sources[index], reading])).toEqual(
          some.map(({ source, reading }) => [source, reading]),
        );
      }),
      { numRuns: 30 },
    );
  });

  it('of marks and words are read by the rules of MAX’s Markdown, and none is refused', async () => {
    expect(await agree('max', mixed(maxMarks), readMaxMarkdown)).toBe(3000);
  });

  it.each(['telegram', 'max'] as const)(
    'are shown as they are once escaped for %s',
    async (platform) => {
      await fc.assert(
        fc.asyncProperty(batch(fc.oneof(mixed(telegramMarks), mixed(maxMarks))), async (texts) => {
          const escaped = await queryRows(
            database.admin,
            z.object({ escaped: z.string() }),
            `select outrider.escape_markup(t.text, $2) as escaped
           from unnest($1::text[]) with ordinality as t (text, place)
           order by t.place`,
            [texts, `${platform}_markdown`],
          );
          const readings = await readMarkup(
            database.admin,
            `${platform}_markdown`,
            escaped.map((row) => row.escaped),
          );
          expect(readings).toEqual(
            texts.map((text) => ({ visible: text, flat: text, fault: null })),
          );
        }),
        { numRuns: 30 },
      );
    },
  );
});
