import { HTMLStreamParser } from '@grammyjs/parse-mode';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { markedText } from '../support/oracles/marked-texts.ts';
import type { Reading } from '../support/oracles/markup-reading.ts';
import { maxHtml } from '../support/oracles/max-html.ts';
import { readAsTelegram, type TelegramReading } from '../support/oracles/telegram-markup.ts';
import { readMarkup } from '../support/posts/read-markup.ts';

const database = await useDatabase();

const pieces = (parts: string): fc.Arbitrary<string> => fc.constantFrom(...parts.split(' '));

/** Pieces of tags in any order. */
const soup = fc
  .array(
    fc.oneof(
      pieces('< > / = " \' & ; # ! ? - -- x b 1 é 🏟 b=1 x="y" x=\'y\''),
      fc.constantFrom(' ', '\t', '\n', '\v', '\f', '\u00A0'),
      pieces('<b> </b> <i> </i> </> <p> </p> <br/> <B </B <a </a> <pre> <code> <h1> </h1> <b'),
      fc.constantFrom('<a href="', '<a href=', " href='x.y'", '">', '<span class="tg-spoiler">'),
      fc.constantFrom('<tg-emoji emoji-id="', '<tg-time format="', '<!-- ', ' -->', '</span>'),
      pieces('&lt; &gt &amp; &amp &quot; &nbsp; &apos &#65; &#x42 &#X43; &#xD800; &#0 &#9999999;'),
      pieces('x.y http://x.y/ tg://user?id=1 href class tg-spoiler 5 rt'),
    ),
    { maxLength: 14 },
  )
  .map((parts) => parts.join(''));

const words = fc.string({
  unit: fc.constantFrom('a', ' ', 'ж', '🏟', '&amp;', '&lt;', '&#65;', '\n', '"', '>'),
  maxLength: 5,
});

/** A tidy text: what is opened is closed, in order. */
const tidy = fc.letrec<{ text: string; tag: string }>((tie) => ({
  text: fc.array(fc.oneof({ depthSize: 'small' }, words, tie('tag')), { maxLength: 4 }).map(join),
  tag: fc
    .tuple(
      fc.constantFrom('b', 'strong', 'i', 'em', 'u', 's', 'del', 'pre', 'code', 'blockquote', 'a'),
      fc.constantFrom(
        '',
        ' ',
        ' href="https://x.y/?a&amp;b"',
        " href='x'",
        ' class=x',
        ' x y="z>"',
      ),
      tie('text'),
    )
    .map(([name, attributes, text]) => `<${name}${attributes}>${text}</${name}>`),
})).text;

/** A tidy text with one piece too few or too many. */
const damaged = fc
  .tuple(tidy, fc.nat(), fc.nat(3), soup)
  .map(([text, at, gone, more]) => {
    const from = at % (text.length + 1);
    return `${text.slice(0, from)}${more}${text.slice(from + gone)}`;
  })
  .filter((text) => text.isWellFormed());

function join(parts: readonly string[]): string {
  return parts.join('');
}

describe.each<[dialect: string, oracle: (text: string) => Reading | TelegramReading]>([
  ['telegram_html', (text) => readAsTelegram('telegram_html', text)],
  ['max_html', maxHtml],
])('%s', (dialect, oracle) => {
  it.each([
    ['pieces of tags', soup, 2000],
    ['texts with a flaw', damaged, 1000],
    ['tidy texts', tidy, 300],
  ] as const)('is read as by a plain scan of the characters: %s', async (_, texts, numRuns) => {
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        expect(await readMarkup(database.admin, dialect, [text])).toMatchObject([oracle(text)]);
      }),
      { numRuns },
    );
  });
});

describe('Telegram’s HTML', () => {
  it('shows the words and the links that it was written from', async () => {
    await fc.assert(
      fc.asyncProperty(markedText('telegram_html'), async ({ source, reading }) => {
        expect(await readMarkup(database.admin, 'telegram_html', [source])).toEqual([reading]);
      }),
      { numRuns: 500 },
    );
  });
});

// grammY's parser never refuses a text and knows other rules for odd ones, so it is a witness of tidy ones.
describe('a tidy text in Telegram’s HTML', () => {
  it('shows what grammY shows', async () => {
    const known = tidy.filter((text) => !/<a(?! href)/.test(text));
    await fc.assert(
      fc.asyncProperty(known, async (text) => {
        const parser = new HTMLStreamParser();
        parser.add(text);
        const [reading] = await readMarkup(database.admin, 'telegram_html', [text]);
        expect(reading).toMatchObject({ visible: parser.toFormattedString().rawText, fault: null });
      }),
      { numRuns: 300 },
    );
  });
});

describe.each(['telegram_html', 'telegram_markdown', 'max_html', 'max_markdown'])(
  'a plain text written in %s',
  (dialect) => {
    const marks = pieces(
      '\\ ` * _ ~ + ^ [ ] ( ) # > & < " \' ! . - = | { } : / ** __ ~~ ++ ^^ ``` ||',
    );
    const others = fc.constantFrom(
      ' ',
      '\n',
      '\r\n',
      '\t',
      '1',
      'a',
      'ж',
      '🏟',
      '&lt;',
      '<b>',
      '# ',
    );
    const framed = fc.tuple(marks, others).map(([mark, inside]) => `${mark}${inside}${mark}`);
    const link = others.map((inside) => `[${inside}](https://x.y)`);
    const plain = fc
      .oneof(
        fc.string({ unit: fc.oneof(marks, others, framed, link), maxLength: 20 }),
        fc.string({ unit: 'binary' }),
      )
      .filter((text) => !text.includes('\0'));

    it('reads as it was', async () => {
      await fc.assert(
        fc.asyncProperty(plain, async (text) => {
          const { escaped } = await queryRow(
            database.admin,
            z.object({ escaped: z.string() }),
            'select outrider.escape_markup($1, $2) as escaped',
            [text, dialect],
          );
          expect(await readMarkup(database.admin, dialect, [escaped])).toEqual([
            { visible: text, flat: text, fault: null },
          ]);
        }),
        { numRuns: 500 },
      );
    });
  },
);
