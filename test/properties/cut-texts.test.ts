import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { maxHtml } from '../support/oracles/max-html.ts';
import { readMaxMarkdown } from '../support/oracles/max-markdown.ts';
import {
  isMisreadBySandbox,
  readAsTelegram,
  type TelegramDialect,
} from '../support/oracles/telegram-markup.ts';
import { readMarkup } from '../support/posts/read-markup.ts';

const database = await useDatabase();

interface Request {
  readonly text: string;
  readonly max: number;
}

async function cut(dialect: string | null, requests: readonly Request[]): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ cut: z.string() }),
    `select case when $1::text is null then outrider.cut_text(r ->> 'text', (r ->> 'max')::integer)
       else outrider.cut_markup(r ->> 'text', $1, (r ->> 'max')::integer) end as cut
     from jsonb_array_elements($2) with ordinality as u (r, n) order by n`,
    [dialect, JSON.stringify(requests)],
  );
  return rows.map((row) => row.cut);
}

const lengthOf = (text: string): number => Array.from(text).length;
const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const isBoundary = (text: string, at: number): boolean =>
  at === text.length || [...segmenter.segment(text)].some(({ index }) => index === at);

const word = fc.oneof(
  fc.constantFrom(
    'Пропала',
    'собака',
    'рыжая,',
    'у',
    'вокзала.',
    'dog',
    'e\u0301te\u0301',
    'тел.:',
  ),
  fc.constantFrom(
    '👨‍👩‍👧',
    '🇷🇺🇷🇺',
    '👍🏽👍🏽',
    'https://example.org/posts/42?a=b',
    '(https://a.b/c)',
  ),
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }).map(withoutControls),
);
const blank = fc.constantFrom(' ', ' ', ' ', '\n', '\n\n');
const plain = fc
  .array(fc.tuple(word, blank), { minLength: 1, maxLength: 30 })
  .map((parts) => parts.flat().join('').trim());

/** As normalising leaves it: no control characters, composed; without scripts that nobody writes any more. */
function withoutControls(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cs}\p{Z}\u{10000}-\u{1f000}]/gu, 'x').normalize();
}

const max = fc.integer({ min: 1, max: 60 });

/** What is wrong with a visible text that was cut to `shown`; undefined: nothing. */
function faultOf(visible: string, shown: string, most: number): string | undefined {
  const kept = shown.slice(0, -1);
  const rest = visible.slice(kept.length);
  if (lengthOf(shown) > most) return `too long: ${shown}`;
  if (lengthOf(visible) <= most) return shown === visible ? undefined : `cut for nothing: ${shown}`;
  if (!shown.endsWith('…')) return `no ellipsis: ${shown}`;
  if (!visible.startsWith(kept)) return `not the beginning: ${shown}`;
  if (!isBoundary(visible, kept.length)) return `within a character: ${shown}`;
  const isWordCut = !/^[,.;:!?)»"…]*(?:\s|$)/.test(rest);
  const endsInAddress = /(?:^|\s)\S*:\/\/\S*$/.test(kept);
  return isWordCut && endsInAddress ? `within an address: ${shown}` : undefined;
}

describe('a plain text that is cut', () => {
  it('is the beginning of the text up to a whole character, and an ellipsis, and fits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: plain, max }), { minLength: 20, maxLength: 20 }),
        async (requests) => {
          const found = await cut(null, requests);
          const faults = requests.map(({ text, max: most }, n) =>
            faultOf(text, found[n] ?? '', most),
          );
          expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
  });

  it.each([
    ['Пропала собака, рыжая', 17, 'Пропала собака…'],
    ['Пропала собака, рыжая', 16, 'Пропала собака…'],
    ['Пропала собака, рыжая', 15, 'Пропала собака…'],
    ['Пропала собака, рыжая', 14, 'Пропала…'],
    ['Пропала собака, рыжая', 21, 'Пропала собака, рыжая'],
    ['Пропала собака, рыжая', 1, '…'],
    ['Да Электрофотополупроводниковый', 20, 'Да Электрофотополуп…'],
    ['см. https://example.org/a/very/long/address', 30, 'см…'],
    ['https://example.org/a/very/long/address', 30, '…'],
    ['Ура 👨‍👩‍👧👨‍👩‍👧', 8, 'Ура…'],
    ['Конец (скобка)', 8, 'Конец…'],
  ])('%s within %i: %s', async (text, most, expected) => {
    expect(await cut(null, [{ text, max: most }])).toEqual([expected]);
  });
});

const tags = ['b', 'i', 'u', 's', 'code', 'blockquote'] as const;
const entities = ['&amp;', '&lt;', '&#65;', '&quot;'] as const;

/** HTML that both platforms read alike: nested tags, links, entities, and words. */
const html = fc.letrec<{ text: string; piece: string }>((tie) => ({
  text: fc.array(tie('piece'), { minLength: 1, maxLength: 8 }).map((parts) => parts.join(' ')),
  piece: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom('Пропала', 'собака', 'рыжая,', 'dog', '👨‍👩‍👧', ...entities, 'a&amp;b'),
    fc
      .tuple(fc.constantFrom(...tags), tie('text'))
      .map(([tag, text]) => `<${tag}>${text}</${tag}>`),
    tie('text').map(
      (text) => `<a href="https://a.b/?c=1&amp;d">${text.replaceAll(/<\/?a[^>]*>/g, '')}</a>`,
    ),
  ),
})).text;

const escaped = (text: string): string =>
  text.replaceAll(/[-_*[\]()~`>#+=|{}.!\\]/g, String.raw`\$&`);
const marks = ['*', '_', '__', '~', '||'] as const;

/** MarkdownV2 without a mark inside its own kind. */
const markdown = fc
  .array(
    fc.oneof(
      fc.constantFrom('Пропала', 'собака', '2-я', 'a.b!', '(тел.)').map(escaped),
      fc
        .tuple(fc.constantFrom(...marks), fc.constantFrom('рыжая собака', 'очень ждём', 'a.b c'))
        .map(([mark, text]) => `${mark}${escaped(text)}${mark}`),
      fc.constantFrom('[фото и карта](https://a.b/c\\)d)', '`code x`', '```js\nlet a\nlet b```'),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(' '));

const maxMarkdown = fc
  .array(
    fc.oneof(
      fc.constantFrom('Пропала', 'собака', 'snake_case', '2 * 3', '\n> цитата', '\n# Заголовок'),
      fc
        .tuple(
          fc.constantFrom('**', '*', '~~', '++', '^^'),
          fc.constantFrom('рыжая собака', 'ждём'),
        )
        .map(([mark, text]) => `${mark}${text}${mark}`),
      fc.constantFrom('[фото и карта](https://a.b/c)', '`code x`', String.raw`\*звёздочка`),
    ),
    { minLength: 1, maxLength: 12 },
  )
  .map((parts) => parts.join(' '));

interface Reader {
  readonly dialect: string;
  readonly texts: fc.Arbitrary<string>;
  readonly read: (text: string) => { visible: string | null };
  /** How many of a hundred cuts may lose their markup, because it cannot be told where it would end. */
  readonly flattened: number;
}

const readers: readonly Reader[] = [
  { dialect: 'telegram_html', texts: html, read: asTelegram('telegram_html'), flattened: 15 },
  { dialect: 'max_html', texts: html, read: maxHtml, flattened: 15 },
  {
    dialect: 'telegram_markdown',
    texts: markdown,
    read: asTelegram('telegram_markdown'),
    flattened: 15,
  },
  { dialect: 'max_markdown', texts: maxMarkdown, read: readMaxMarkdown, flattened: 25 },
];

function asTelegram(dialect: TelegramDialect): Reader['read'] {
  return (text) => readAsTelegram(dialect, text);
}

describe.each(readers)('a text in $dialect that is cut', ({ dialect, texts, read, flattened }) => {
  it('is read without a fault, shows the beginning, and fits', async () => {
    let cuts = 0;
    let lost = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ text: texts, max }), { minLength: 20, maxLength: 20 }),
        async (drawn) => {
          const requests = drawn.filter(
            ({ text }) => !isMisreadBySandbox(text) && read(text).visible !== null,
          );
          const found = await cut(dialect, requests);
          const cutTexts = requests.map((each) => each.text);
          const flats = await readMarkup(database.admin, dialect, cutTexts);
          const faults = requests.map(({ text, max: most }, n) => {
            const result = found[n] ?? '';
            const { visible } = read(text);
            const { visible: shown } = read(result);
            if (visible === null || shown === null) return `refused: ${result}`;
            if (lengthOf(visible) <= most)
              return result === text ? undefined : `changed: ${result}`;
            cuts += 1;
            const isFlat = !visible.startsWith(shown.slice(0, -1));
            if (isFlat) lost += 1;
            return faultOf(isFlat ? (flats[n]?.flat ?? '') : visible, shown, most);
          });
          expect(faults.filter((fault) => fault !== undefined)).toEqual([]);
        },
      ),
      { numRuns: 25 },
    );
    expect(cuts).toBeGreaterThan(50);
    expect((lost * 100) / cuts).toBeLessThan(flattened);
  });
});

describe('a text with markup', () => {
  it.each([
    ['telegram_html', '<b>Пропала рыжая собака</b> у вокзала', 16, '<b>Пропала рыжая…</b>'],
    ['telegram_html', '<b>a &amp; b &amp; c</b>', 6, '<b>a &amp; b…</b>'],
    ['telegram_html', 'Пропала <a href="https://a.b/c">рыжая собака</a>', 16, 'Пропала…'],
    [
      'telegram_html',
      '<i>Ждём <a href="https://a.b/c">дома</a> очень ждём</i>',
      12,
      '<i>Ждём <a href="https://a.b/c">дома</a>…</i>',
    ],
    ['telegram_markdown', '*Пропала рыжая собака* у вокзала', 16, '*Пропала рыжая…*'],
    ['telegram_markdown', String.raw`Тел\. 8\-912 звоните`, 14, String.raw`Тел\. 8\-912…`],
    ['max_markdown', '**Пропала рыжая собака** у вокзала', 16, '**Пропала рыжая…**'],
  ])('%s: %s within %i', async (dialect, text, most, expected) => {
    expect(await cut(dialect, [{ text, max: most }])).toEqual([expected]);
  });
});
