import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { FormattedText } from '../../sandbox/telegram/entities.ts';
import { parseMarkdown } from '../../sandbox/telegram/markdown.ts';
import { parseMarkdownV2 } from '../../sandbox/telegram/markdown-v2.ts';
import { Refusal } from '../../sandbox/telegram/refusals.ts';

type Parse = (source: string) => FormattedText;

/** The entities as `type offset-end extra`, or the complaint. */
function read(parse: Parse, source: string): string[] | string {
  try {
    const { text, entities } = parse(source);
    const shown = entities.map(({ type, offset, length, ...rest }) =>
      [`${type} ${offset}-${offset + length}`, ...Object.values(rest).map(String)].join(' '),
    );
    return [text, ...shown];
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const reserved = (character: string) =>
  `Character '${character}' is reserved and must be escaped with the preceding '\\'`;

const invalidAddress = 'Invalid tg://emoji or tg://time URL specified';

describe('MarkdownV2', () => {
  it.each([
    [
      '*a* _b_ __c__ ~d~ ||e||',
      ['a b c d e', 'bold 0-1', 'italic 2-3', 'underline 4-5', 'strikethrough 6-7', 'spoiler 8-9'],
    ],
    ['`a` ```b```', ['a b', 'code 0-1', 'pre 2-3']],
    ['```ts\na*b\n```', ['a*b\n', 'pre 0-4 ts']],
    ['```\na```', ['a', 'pre 0-1']],
    ['`a\\`b\\\\`', ['a`b\\', 'code 0-4']],
    ['[go](http://x.io/a\\)b)', ['go', 'text_link 0-2 http://x.io/a)b']],
    ['[x\\.io]', ['x.io', 'text_link 0-4 http://x.io/']],
    ['[go](nowhere)', ['go']],
    ['[](http://x.io)a', ['a']],
    ['![👍](tg://emoji?id=5368)', ['👍', 'custom_emoji 0-2 5368']],
    ['![👍](TG:Emoji/?a=b&id=5368#c)', ['👍', 'custom_emoji 0-2 5368']],
    ['![22:45](tg://time?unix=1647531900)', ['22:45', 'date_time 0-5 1647531900 ']],
    ['![22:45](tg://time?format=wDT&unix=1647531900)', ['22:45', 'date_time 0-5 1647531900 wDT']],
    ['![](tg://time?unix=9)a', ['a']],
    ['*a _b_*', ['a b', 'bold 0-3', 'italic 2-3']],
    ['_a __b___', ['a b', 'italic 0-3', 'underline 2-3']],
    ['>a\n>b\nc', ['a\nb\nc', 'blockquote 0-4']],
    ['>a', ['a', 'blockquote 0-1']],
    ['a\n>b', ['a\nb', 'blockquote 2-3']],
    ['**>a\n>b||', ['a\nb', 'expandable_blockquote 0-3']],
    ['>a||\nb', ['a\nb', 'expandable_blockquote 0-2']],
    ['>a\n\n>b', ['a\n\nb', 'blockquote 0-2', 'blockquote 3-4']],
    ['\\_\\*\\[\\]\\(\\)\\~\\`\\>\\#\\+\\-\\=\\|\\{\\}\\.\\!\\\\', ['_*[]()~`>#+-=|{}.!\\']],
    ['👋 *я*', ['👋 я', 'bold 3-4']],
    ['**a', ['a']],
    ['a\\я', ['a\\я']],
  ])('reads %s', (source, expected) => {
    expect(read(parseMarkdownV2, source)).toEqual(expected);
  });

  it.each([
    ['a.b', reserved('.')],
    ['a!', reserved('!')],
    ['a|b', reserved('|')],
    ['(a', reserved('(')],
    ['a]', reserved(']')],
    ['a>b', reserved('>')],
    ['```\na\n```>b', reserved('>')],
    ['я*a', "Can't find end of Bold entity at byte offset 2"],
    ['_a', "Can't find end of Italic entity at byte offset 0"],
    ['__a', "Can't find end of Underline entity at byte offset 0"],
    ['~a', "Can't find end of Strikethrough entity at byte offset 0"],
    ['||a', "Can't find end of Spoiler entity at byte offset 0"],
    ['`a', "Can't find end of Code entity at byte offset 0"],
    ['```a', "Can't find end of Pre entity at byte offset 0"],
    ['```ts\na', "Can't find end of PreCode entity at byte offset 0"],
    ['[a', "Can't find end of TextUrl entity at byte offset 0"],
    ['[a](http://x.io', "Can't find end of a URL at byte offset 4"],
    ['![a', "Can't find end of CustomEmoji entity at byte offset 0"],
    ['![a]', 'The entity must contain a tg://emoji or tg://time URL'],
    ['![a](', "Can't find end of a URL at byte offset 5"],
    ['![a](tg://emoji?id=1', "Can't find end of a URL at byte offset 5"],
    ['![a](http://x.io)', invalidAddress],
    ['![a](tg://emoji?id=007)', invalidAddress],
    ['![a](tg://time?unix=0)', invalidAddress],
    ['![a](tg://time?unix=2147483648)', invalidAddress],
    ['![a](tg://time?unix=9&format=x)', invalidAddress],
    ['>*a\nb', "Can't find end of Bold entity at byte offset 1"],
    ['>||a\nb', "Can't find end of Spoiler entity at byte offset 1"],
    ['>*||\nb', "Can't find end of Bold entity at byte offset 1"],
    ['*a _b* c_', "Can't find end of Italic entity at byte offset 8"],
  ])('refuses %s', (source, detail) => {
    const found = read(parseMarkdownV2, source);
    expect(found).toBe(`Bad Request: can't parse entities: ${detail}`);
  });

  it('reads any escaped text as it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('_*[]()~`>#+-=|{}.!\\\n\ra я👋')) }),
        (text) => {
          const escaped = text.replaceAll(/[_*[\]()~`>#+\-=|{}.!\\]/g, '\\$&');
          expect(parseMarkdownV2(escaped)).toEqual({ text, entities: [] });
        },
      ),
    );
  });

  it('reads or refuses whatever comes', () => {
    const pieces = ['*', '_', '~', '||', '`', '```', '[', ']', '(', ')', '!', '>', '\n', '\\', 'a'];
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...pieces)), (parts) => {
        expect(read(parseMarkdownV2, parts.join(''))).toBeDefined();
        expect(read(parseMarkdown, parts.join(''))).toBeDefined();
      }),
      { numRuns: 300 },
    );
  });
});

describe('the old Markdown', () => {
  it.each([
    ['*a* _b_ `c`', ['a b c', 'bold 0-1', 'italic 2-3', 'code 4-5']],
    ['```ts\na*b```', ['a*b', 'pre 0-3 ts']],
    ['```\na```', ['a', 'pre 0-1']],
    ['[go](http://x.io/a)', ['go', 'text_link 0-2 http://x.io/a']],
    ['[x.io]', ['x.io', 'text_link 0-4 http://x.io/']],
    ['[](http://x.io/)', ['(http://x.io/)']],
    ['*a _b*', ['a _b', 'bold 0-4']],
    ['\\*a\\_ 1.2!', ['*a_ 1.2!']],
    ['**a', ['a']],
    ['👋 *я*', ['👋 я', 'bold 3-4']],
  ])('reads %s', (source, expected) => {
    expect(read(parseMarkdown, source)).toEqual(expected);
  });

  it.each([
    ['я *a', 3],
    ['_a', 0],
    ['`a', 0],
    ['```a', 0],
    ['[a', 0],
  ])('refuses %s', (source, place) => {
    expect(read(parseMarkdown, source)).toBe(
      `Bad Request: can't parse entities: Can't find end of the entity starting at byte offset ${place}`,
    );
  });
});
