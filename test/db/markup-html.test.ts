import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import type { Reading } from '../support/oracles/markup-reading.ts';
import { maxHtml } from '../support/oracles/max-html.ts';
import { readAsTelegram, type TelegramReading } from '../support/oracles/telegram-markup.ts';
import { htmlCorpus, longTexts } from '../support/posts/html-texts.ts';
import { readMarkup } from '../support/posts/read-markup.ts';

const database = await useDatabase();

beforeAll(async () => {
  // A reader whose time grows with the square of the length needs minutes for the long texts.
  await database.admin.query(`alter database ${database.name} set statement_timeout = '10s'`);
});

async function read(dialect: string, text: string): Promise<Reading> {
  const [reading] = await readMarkup(database.admin, dialect, [text]);
  if (reading === undefined) throw new Error('the database read nothing');
  return reading;
}

const flatOf = async (dialect: string, text: string): Promise<string | null> =>
  (await read(dialect, text)).flat;

describe('Telegram’s HTML', () => {
  it.each([
    ['🏟 < 🏟', 'Unsupported start tag "" at byte offset 5'],
    ['привет <br>', 'Unsupported start tag "br" at byte offset 13'],
    ['x<Ж>', 'Unsupported start tag "Ж" at byte offset 1'],
    ['x<!-- -->', 'Unsupported start tag "!--" at byte offset 1'],
    ['x<br/>', 'Unsupported start tag "br/" at byte offset 1'],
    ['x<b', 'Unclosed start tag at byte offset 1'],
    ['x<b a="1"', 'Unclosed start tag at byte offset 1'],
    ['x<b a=1', 'Unclosed start tag at byte offset 1'],
    ['x<b a="1>2</b>', 'Unclosed start tag at byte offset 1'],
    ['x<b a', 'Unclosed start tag "b" at byte offset 1'],
    ['x<B a = ', 'Unclosed start tag "b" at byte offset 1'],
    ['x<b ', 'Empty attribute name in the tag "b" at byte offset 1'],
    ['x<b />y</b>', 'Empty attribute name in the tag "b" at byte offset 1'],
    ['x<b a="1" =2>', 'Empty attribute name in the tag "b" at byte offset 1'],
    ['ж<b ж = https://x.y>', 'Unexpected end of name token at byte offset 10'],
    ['<span class="x">y</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['x</b>', 'Unexpected end tag at byte offset 1'],
    ['<b>x</b></', 'Unexpected end tag at byte offset 8'],
    ['<b>🏟</b', 'Unclosed end tag at byte offset 7'],
    ['<b>x</b y>', 'Unclosed end tag at byte offset 4'],
    ['<b>x</I>', 'Unmatched end tag at byte offset 4, expected "</b>", found "</i>"'],
    ['<i><b>x</i></b>', 'Unmatched end tag at byte offset 7, expected "</b>", found "</i>"'],
    ['<i><b>x', 'Can\'t find end tag corresponding to start tag "b"'],
    ['<tg-emoji emoji-id="x">y</tg-emoji>', 'Invalid custom emoji identifier specified'],
    ['<tg-time format="rt">y</tg-time>', 'Invalid date format used'],
    [
      '&#xD83C;&#xDFDF;',
      'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
    ],
  ])('is refused in Telegram’s words: %s', async (text, fault) => {
    expect(await read('telegram_html', text)).toEqual({ visible: null, flat: null, fault });
  });

  it.each([
    ['<b>a</b> <i>b</i>', 'a b'],
    [' <B>a<I>b</></B >\n', ' ab\n'],
    ['a > b', 'a > b'],
    ['<b x y=1 z="</b>">a</b>', 'a'],
    ['<blockquote expandable>a</blockquote>', 'a'],
    ['<span class=TG-Spoiler>a</span>', 'a'],
    ['<tg-emoji emoji-id=""></tg-emoji>a', 'a'],
    ['<pre><code class="language-c">a\n  b</code></pre>', 'a\n  b'],
    ['&lt;b&gt; &amp;lt; &quot', '<b> &lt; "'],
    ['&nbsp;&ltx&LT;&#0;&#X41;', '&nbsp;&ltx&LT;&#0;&#X41;'],
    ['&#1046;&#x1F3DF', 'Ж🏟'],
    ['&l<b>t;</b>', '&lt;'],
  ])('shows its readers %j as %j', async (text, visible) => {
    expect(await read('telegram_html', text)).toMatchObject({
      visible,
      flat: visible,
      fault: null,
    });
  });

  it.each([
    ['<a href="https://x.y/z?a=1&amp;b=2">here</a>!', 'here (https://x.y/z?a=1&b=2)!'],
    ['<a href=X.Y><b>he</b>re</a>', 'here (x.y)'],
    ['<a href="https://x.y/">x.y</a>, <a href="https://x.y">https://x.y/</a>', 'x.y, https://x.y/'],
    ['<a href="https://x.y">x.y/z</a>', 'x.y/z (https://x.y)'],
    ['<a href="tg://user?id=1">Ann</a> <a href="">x</a> <a>y</a> <a href="z"></a>', 'Ann x y '],
    ['<a href="p">a <a href="q">b</a></a>', 'a b (q) (p)'],
    ['<tg-spoiler>a</tg-spoiler> <tg-time format="r">b</tg-time>', 'a b'],
  ])('without markup %j reads %j', async (text, flat) => {
    expect(await flatOf('telegram_html', text)).toBe(flat);
  });
});

describe('MAX’s HTML', () => {
  it.each([
    ['🏟<b>x', '🏟x'],
    ['<H1><i>x</i>', 'x'],
    ['🏟</mark>', '🏟'],
    ['<i>x</em>', 'x'],
    ['<b><p><i>x</b></i>', 'x'],
    ['<b>x</b', 'x</b'],
    ['x <a href="y>z</a>', 'x <a href="y>z</a>'],
  ])('takes tags that do not match: %j shows %j', async (text, visible) => {
    expect(await read('max_html', text)).toEqual({ visible, flat: visible, fault: null });
  });

  it.each([
    ['<b>a</b> <MARK class=x>b</mark > <h1>c</h1>', 'a b c'],
    ['<p>a</p><br/><tg-spoiler>b</font><img alt="<b>">', 'ab'],
    ['<!-- a > b -->c<!doctype html><?x?>d', 'cd'],
    ['a < b <3 <> </> <', 'a < b <3 <> </> <'],
    ['a <x', 'a <x'],
    ['a <!-- &lt;b>', 'a <!-- <b>'],
    ['&lt;&gt;&amp;&quot;&nbsp;&apos;&#65;&#X42;&copy;', '<>&"\u00A0\'AB&copy;'],
  ])('shows its readers %j as %j', async (text, visible) => {
    expect(await read('max_html', text)).toEqual({ visible, flat: visible, fault: null });
  });

  it.each([
    ['<a href=https://x.y/z>here</a>!', 'here (https://x.y/z)!'],
    ["<A title='href=no' HREF='https://x.y' href='z'>here</A>", 'here (https://x.y)'],
    ['<a href="https://x.y">x.y</a> <a href="max://user/1">Ann</a>', 'x.y Ann'],
    ['<a href="p">a <a href="q">b', 'a b (q) (p)'],
    ['</a><a href="p">a <b>b</a> c</b></a>', 'a b (p) c'],
  ])('without markup %j reads %j', async (text, flat) => {
    expect(await flatOf('max_html', text)).toBe(flat);
  });
});

describe.each<[dialect: string, oracle: (text: string) => Reading | TelegramReading]>([
  ['telegram_html', (text) => readAsTelegram('telegram_html', text)],
  ['max_html', maxHtml],
])('%s', (dialect, oracle) => {
  it('is read as by a plain scan of the characters, in every text of the corpus', async () => {
    const readings = await readMarkup(database.admin, dialect, htmlCorpus);
    const compared = (all: readonly object[]): object[] =>
      htmlCorpus.map((text, index) => ({ text, ...all[index] }));
    expect(compared(readings)).toMatchObject(compared(htmlCorpus.map(oracle)));
  });

  it.each(Object.entries(longTexts))(
    'takes 100,000 characters in its stride: %s',
    async (_, text) => {
      expect(await read(dialect, text)).toMatchObject(oracle(text));
    },
  );
});

describe('read_markup', () => {
  it('takes a text without a dialect as it is', async () => {
    const text = '<b>&amp;*_';
    expect(await readMarkup(database.admin, null, [text])).toEqual([
      { visible: text, flat: text, fault: null },
    ]);
  });

  it.each([null, 'telegram_html', 'telegram_markdown', 'max_html', 'max_markdown'])(
    'makes nothing of no text (%s)',
    async (dialect) => {
      expect(await readMarkup(database.admin, dialect, [null])).toEqual([
        { visible: null, flat: null, fault: null },
      ]);
    },
  );

  it('refuses a dialect that it does not know', async () => {
    await expect(readMarkup(database.admin, 'bbcode', ['x'])).rejects.toMatchObject({
      code: 'OR001',
      message: expect.stringContaining('"bbcode"'),
    });
  });
});

describe('escape_markup', () => {
  const text = '# *a* _b_ `c` [d](e) \\ "<&>"\n> ~~f~~ ++g++ ^^h^^\n#tag +7 ~1 x^2 1.5 - {|}=!';

  it.each([
    [
      'telegram_html',
      '# *a* _b_ `c` [d](e) \\ &quot;&lt;&amp;&gt;&quot;\n&gt; ~~f~~ ++g++ ^^h^^\n#tag +7 ~1 x^2 1.5 - {|}=!',
    ],
    [
      'max_html',
      '# *a* _b_ `c` [d](e) \\ &quot;&lt;&amp;&gt;&quot;\n&gt; ~~f~~ ++g++ ^^h^^\n#tag +7 ~1 x^2 1.5 - {|}=!',
    ],
    [
      'telegram_markdown',
      '\\# \\*a\\* \\_b\\_ \\`c\\` \\[d\\]\\(e\\) \\\\ "<&\\>"\n\\> \\~\\~f\\~\\~ \\+\\+g\\+\\+ ^^h^^\n\\#tag \\+7 \\~1 x^2 1\\.5 \\- \\{\\|\\}\\=\\!',
    ],
    [
      'max_markdown',
      '\\# \\*a\\* \\_b\\_ \\`c\\` \\[d\\](e) \\\\ "<&>"\n\\> \\~\\~f\\~\\~ \\+\\+g\\+\\+ \\^\\^h\\^\\^\n#tag +7 ~1 x^2 1.5 - {|}=!',
    ],
    [null, text],
  ])('escapes what begins markup, and no more, in %s', async (dialect, escaped) => {
    expect(await escape(text, dialect)).toBe(escaped);
  });

  it('makes nothing of no text', async () => {
    expect(await escape(null, 'max_html')).toBeNull();
  });

  it('refuses a dialect that it does not know', async () => {
    await expect(escape('x', 'bbcode')).rejects.toMatchObject({
      code: 'OR001',
      message: expect.stringContaining('"bbcode"'),
    });
  });
});

async function escape(text: string | null, dialect: string | null): Promise<string | null> {
  const { escaped } = await queryRow(
    database.admin,
    z.object({ escaped: z.string().nullable() }),
    'select outrider.escape_markup($1, $2) as escaped',
    [text, dialect],
  );
  return escaped;
}
