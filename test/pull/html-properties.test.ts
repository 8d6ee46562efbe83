import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtml } from '../../src/pull/html/read-html.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { readMarkup } from '../support/posts/read-markup.ts';

const database = await useDatabase();
const maxLength = 65_536;

const blocks = [
  'p',
  'div',
  'h1',
  'ul',
  'ol',
  'li',
  'table',
  'tr',
  'td',
  'blockquote',
  'pre',
  'section',
];
const inlines = [
  'b',
  'strong',
  'i',
  'em',
  'u',
  's',
  'code',
  'span',
  'a',
  'q',
  'font',
  'kbd',
  'sup',
];

/** Anything: halves of tags, quotes, entities, in any order. */
const soup = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[...blocks, ...inlines].flatMap((name) => [`<${name}>`, `</${name}>`, `<${name}`]),
      ),
      fc.constantFrom(
        '<a href="',
        '">',
        "<a href='x y'>",
        '<a href=http://x.y/?a&b>',
        '<br>',
        '<!--',
        '-->',
        '<![CDATA[',
      ),
      fc.constantFrom(
        '&lt;',
        '&amp',
        '&#60;',
        '&#xD800;',
        '&nbsp;',
        '&',
        '<',
        '>',
        '"',
        "'",
        '=',
        '/',
        ';',
        '#',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

interface Grown {
  readonly html: string;
  readonly words: readonly string[];
}

const word = fc.string({
  unit: fc.constantFrom('a', 'ж', '🏟', '<', '&', '"', '>', "'", '1'),
  minLength: 1,
  maxLength: 6,
});

const escaped = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

/** A tidy document, and the words that it shows. */
const grown = fc.letrec<{ text: Grown; element: Grown; any: Grown }>((tie) => ({
  text: word.map((one) => ({ html: escaped(one), words: [one] })),
  element: fc
    .tuple(
      fc.constantFrom(
        'p',
        'div',
        'blockquote',
        'ul',
        'h2',
        'b',
        'i',
        'u',
        's',
        'span',
        'code',
        'section',
      ),
      fc.array(tie('any'), { maxLength: 4 }),
    )
    .map(([name, children]) => {
      const inside = children.map(({ html }) => html).join(' ');
      const html = name === 'ul' ? `<ul><li>${inside}</li></ul>` : `<${name}>${inside}</${name}>`;
      return { html, words: children.flatMap(({ words }) => words) };
    }),
  any: fc.oneof({ depthSize: 'small' }, tie('text'), tie('element')),
})).element;

/** As outrider reads it; a text without markup is read as plain. */
async function readings(html: string) {
  const { text, isMarked } = readHtml(html, { baseUrl: 'https://example.org/', maxLength });
  const dialects = isMarked ? ['telegram_html', 'max_html'] : [null];
  return Promise.all(
    dialects.map(async (dialect) => (await readMarkup(database.admin, dialect, [text]))[0]),
  );
}

describe('any HTML', () => {
  it('becomes markup that every platform takes', async () => {
    await fc.assert(
      fc.asyncProperty(soup, async (html) => {
        for (const reading of await readings(html)) expect(reading).toMatchObject({ fault: null });
      }),
      { numRuns: 1000 },
    );
  });

  it('never has an empty line too many, or blanks at its ends', () => {
    fc.assert(
      fc.property(soup, (html) => {
        const { text } = readHtml(html, { maxLength });
        const outside = text.replaceAll(/<(pre|code)>.*?<\/\1>/gs, 'x');
        expect(outside).not.toMatch(/\n{3}|^[ \n]|[ \n]$/);
      }),
      { numRuns: 1000 },
    );
  });

  it('is no longer than it may be', () => {
    fc.assert(
      fc.property(soup, fc.integer({ min: 1, max: 60 }), (html, most) => {
        const { text } = readHtml(html, { maxLength: most });
        expect(text.length).toBeLessThanOrEqual(most);
      }),
      { numRuns: 500 },
    );
  });
});

describe('tidy HTML', () => {
  it('shows its words in their order', async () => {
    await fc.assert(
      fc.asyncProperty(grown, async ({ html, words }) => {
        for (const reading of await readings(html)) {
          const shown = (reading?.visible ?? '').split(/[\s•◦|]+/).filter((each) => each !== '');
          expect(shown).toEqual(words);
        }
      }),
      { numRuns: 500 },
    );
  });
});
