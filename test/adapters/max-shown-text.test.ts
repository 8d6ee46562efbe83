import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readHtml } from '../../sandbox/max/html.ts';
import { readMarkdown } from '../../sandbox/max/markdown.ts';
import { showsText } from '../../src/adapters/max/shown-text.ts';

const words = fc.array(
  fc.constantFrom(
    'пёс',
    'dog',
    '1.5',
    '15',
    '10:30',
    '🐕',
    '中文',
    ' ',
    '\n',
    'e\u0301',
    '½',
    '₽',
    '-',
  ),
  { minLength: 1, maxLength: 12 },
);

/** Tags around words, as deep as they come. */
const html = fc.letrec<{ node: string }>((tie) => ({
  node: fc.oneof(
    { depthSize: 'small' },
    words.map((each) => each.join(' ')),
    fc
      .tuple(fc.constantFrom('b', 'i', 'u', 's', 'code', 'mark', 'h1', 'span'), tie('node'))
      .map(([tag, inside]) => `<${tag}>${inside}</${tag}>`),
    tie('node').map((inside) => `<a href="https://example.org/?a=1&amp;b=2">${inside}</a>`),
    tie('node').map((inside) => `${inside} &lt;&#49;&amp;&quot; <!-- no --> ${inside}`),
  ),
})).node;

const markdown = fc
  .array(
    fc.tuple(
      fc.constantFrom('', '**', '_', '~~', '++', '^^', '`', '*'),
      words.map((each) => each.join('').trim()),
      fc.constantFrom('', '[', '\\.', '# ', '> '),
    ),
    { minLength: 1, maxLength: 6 },
  )
  .map((parts) =>
    parts
      .map(([mark, text, extra]) =>
        extra === '['
          ? `[${mark}${text}${mark}](https://example.org/)`
          : `${extra}${mark}${text}${mark}`,
      )
      .join('\n'),
  );

describe('a shown text', () => {
  it('is known by the HTML that was sent', () => {
    fc.assert(
      fc.property(html, (sent) => {
        expect(showsText(readHtml(sent).text, sent, 'HTML')).toBe(true);
      }),
    );
  });

  it('is known by the Markdown that was sent', () => {
    fc.assert(
      fc.property(markdown, (sent) => {
        expect(showsText(readMarkdown(sent).text, sent, 'Markdown')).toBe(true);
      }),
    );
  });

  it('is known by any plain text, however its white space came out', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (sent) => {
        const shown = ` ${sent.trim().replaceAll(/\s+/g, '\n')}`;
        expect(showsText(shown, sent, 'None')).toBe(true);
      }),
    );
  });

  it.each(['None', 'HTML', 'Markdown'] as const)(
    'is another one when other words were sent as %s',
    (format) => {
      const plain = words.map((each) => each.join(' ').replaceAll('-', ''));
      const bare = (text: string) => text.normalize().replaceAll(/\s/g, '');
      fc.assert(
        fc.property(plain, plain, (shown, sent) => {
          expect(showsText(shown, sent, format)).toBe(bare(shown) === bare(sent));
        }),
      );
    },
  );

  it.each([
    ['HTML', 'цена 15', '<b>цена</b> 1.5'],
    ['HTML', 'цена', 'цена <i>5</i>'],
    ['HTML', '', '<b>пёс</b>'],
    ['Markdown', 'с 10:30', 'с 103:0'],
    ['Markdown', '-', '\\!'],
    ['None', 'да', 'да!'],
    ['None', 'пёс', '*пёс*'],
  ] as const)('is another one: %s "%s" for "%s"', (format, shown, sent) => {
    expect(showsText(shown, sent, format)).toBe(false);
  });

  it.each([
    ['HTML', '«Пёс» © é', '&laquo;Пёс&raquo; &#169; &#xe9;'],
    ['HTML', '❤ пёс', '❤\uFE0F <b>пёс</b>'],
    ['HTML', 'a < b', 'a < b'],
    ['Markdown', '[тут](не адрес)', '[тут](не адрес)'],
    ['Markdown', 'тут', '[тут](https://example.org/(1)?x=1)'],
    ['Markdown', 'тут', '[тут](https://example.org/\\)x)'],
    ['Markdown', '[тут](адрес)', '[тут]\\(адрес\\)'],
    ['Markdown', 'x=1', '```js\nx=1\n```'],
    ['Markdown', '1.5', '1\\.**5**'],
    ['Markdown', '***', '\\*\\*\\*'],
  ] as const)('is the one: %s "%s" for "%s"', (format, shown, sent) => {
    expect(showsText(shown, sent, format)).toBe(true);
  });

  it.each(['<a ', '<!--', '<a "', '](', '](\\', '```', '&#', '[('])(
    'of %j over and over is read in no time',
    (piece) => {
      const sent = piece.repeat(4000 / piece.length);
      const before = process.threadCpuUsage();
      showsText('пёс', sent, 'HTML');
      showsText('пёс', sent, 'Markdown');
      // Of the processor, not of the wall, and of this thread: neighbours do not count.
      expect(process.threadCpuUsage(before).user).toBeLessThan(1_000_000);
    },
  );
});
