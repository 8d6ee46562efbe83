import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHtml } from '../../sandbox/telegram/html.ts';
import { Refusal } from '../../sandbox/telegram/refusals.ts';

/** The entities as `type offset-end extra`. */
function read(source: string): string[] {
  const { text, entities } = parseHtml(source);
  return [
    text,
    ...entities.map(({ type, offset, length, ...rest }) =>
      [`${type} ${offset}-${offset + length}`, ...Object.values(rest).map((v) => JSON.stringify(v))]
        .join(' ')
        .trim(),
    ),
  ];
}

function complaint(source: string): string {
  try {
    return `parsed: ${parseHtml(source).text}`;
  } catch (error) {
    if (error instanceof Refusal) return error.message;
    throw error;
  }
}

const halves =
  'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units';

describe('HTML', () => {
  it.each([
    ['<b>a</b><strong>b</strong>', ['ab', 'bold 0-1', 'bold 1-2']],
    ['<i>a</i><em>b</em>', ['ab', 'italic 0-1', 'italic 1-2']],
    ['<u>a</u><ins>b</ins>', ['ab', 'underline 0-1', 'underline 1-2']],
    [
      '<s>a</s><strike>b</strike><del>c</del>',
      ['abc', 'strikethrough 0-1', 'strikethrough 1-2', 'strikethrough 2-3'],
    ],
    [
      '<tg-spoiler>a</tg-spoiler><span class="tg-spoiler">b</span>',
      ['ab', 'spoiler 0-1', 'spoiler 1-2'],
    ],
    ['<a href="http://x.io/?a=1&amp;b=2">go</a>', ['go', 'text_link 0-2 "http://x.io/?a=1&b=2"']],
    ['<a href="x.io">go</a>', ['go', 'text_link 0-2 "http://x.io/"']],
    ['<a>x.io</a>', ['x.io', 'text_link 0-4 "http://x.io/"']],
    ['<a href="nowhere">go</a>', ['go']],
    [
      '<a href="tg://user?id=7">Ann</a>',
      ['Ann', 'text_mention 0-3 {"id":7,"is_bot":false,"first_name":""}'],
    ],
    ['<code class="language-ts">a</code>', ['a', 'code 0-1']],
    ['<pre>a</pre>', ['a', 'pre 0-1']],
    ['<pre><code class="language-ts">a</code></pre>', ['a', 'pre 0-1 "ts"']],
    ['<code class="language-ts"><pre>a</pre></code>', ['a', 'pre 0-1 "ts"']],
    ['<blockquote>a</blockquote>', ['a', 'blockquote 0-1']],
    ['<blockquote cite="x">a</blockquote>', ['a', 'blockquote 0-1']],
    ['<b expandable>a</b>', ['a', 'bold 0-1']],
    ['<blockquote expandable>a</blockquote>', ['a', 'expandable_blockquote 0-1']],
    ['<tg-emoji emoji-id="5368">👍</tg-emoji>', ['👍', 'custom_emoji 0-2 "5368"']],
    ['<tg-time unix="1647531900">then</tg-time>', ['then', 'date_time 0-4 1647531900 ""']],
    [
      '<tg-time unix="1647531900" format="TDw">then</tg-time>',
      ['then', 'date_time 0-4 1647531900 "wDT"'],
    ],
    [
      '<tg-time unix="1647531900" format="R">then</tg-time>',
      ['then', 'date_time 0-4 1647531900 "r"'],
    ],
    ['<tg-time unix="then">then</tg-time>', ['then']],
    [
      '<tg-emoji emoji-id="-9223372036854775808">👍</tg-emoji>',
      ['👍', 'custom_emoji 0-2 "-9223372036854775808"'],
    ],
    ['<a href="x.io" href>go</a>', ['go', 'text_link 0-2 "http://x.io/"']],
    ['<B>a</B >b', ['ab', 'bold 0-1']],
    ['👋<b>я</b>', ['👋я', 'bold 2-3']],
    ['<b></b>a', ['a']],
    ['<b>a</>', ['a', 'bold 0-1']],
    ['<u><b>a</b>b</u>', ['ab', 'underline 0-2', 'bold 0-1']],
    ['<b><i>a</i></b>', ['a', 'bold 0-1', 'italic 0-1']],
    ["<a href='http://x.io/' title=big>a</a>", ['a', 'text_link 0-1 "http://x.io/"']],
    ['&lt;&gt;&amp;&quot;&#65;&#x42;&lt', ['<>&"AB<']],
    ['&nbsp;&#0;&#x110000;&#xffffffff; & &', ['&nbsp;&#0;&#x110000;&#xffffffff; & &']],
    ['&#X41;&#x1F44B;&LT;', ['&#X41;👋&LT;']],
  ])('reads %s', (source, expected) => {
    expect(read(source)).toEqual(expected);
  });

  it.each([
    ['<p>a</p>', 'Unsupported start tag "p" at byte offset 0'],
    ['я<br>', 'Unsupported start tag "br" at byte offset 2'],
    ['2 < 3', 'Unsupported start tag "" at byte offset 2'],
    ['<b/>', 'Unsupported start tag "b/" at byte offset 0'],
    ['👋<b', 'Unclosed start tag at byte offset 4'],
    ['<a href="x', 'Unclosed start tag at byte offset 0'],
    ['<a href', 'Unclosed start tag "a" at byte offset 0'],
    ['<a href=', 'Unclosed start tag "a" at byte offset 0'],
    ['<a ="x">a</a>', 'Empty attribute name in the tag "a" at byte offset 0'],
    ['<a href=x/y>a</a>', 'Unexpected end of name token at byte offset 8'],
    ['<span>a</span>', 'Tag "span" must have class "tg-spoiler" at byte offset 0'],
    ['a</b>', 'Unexpected end tag at byte offset 1'],
    ['<b>a</b', 'Unclosed end tag at byte offset 4'],
    ['<b>я</i>', 'Unmatched end tag at byte offset 5, expected "</b>", found "</i>"'],
    ['<b>a', 'Can\'t find end tag corresponding to start tag "b"'],
    ['<b><i>a</b>', 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
    ['<tg-emoji emoji-id="x">a</tg-emoji>', 'Invalid custom emoji identifier specified'],
    ['<tg-emoji emoji-id="0">a</tg-emoji>', 'Invalid custom emoji identifier specified'],
    ['<tg-emoji emoji-id="007">a</tg-emoji>', 'Invalid custom emoji identifier specified'],
    [
      '<tg-emoji emoji-id="9223372036854775808">a</tg-emoji>',
      'Invalid custom emoji identifier specified',
    ],
    ['<tg-time unix="9" format="x">a</tg-time>', 'Invalid date format used'],
    ['<tg-time format="rr">a</tg-time>', 'Invalid date format used'],
    ['&#55357;', halves],
    ['&#xD83D;&#xDE00;', halves],
  ])('refuses %s', (source, detail) => {
    expect(complaint(source)).toBe(`Bad Request: can't parse entities: ${detail}`);
  });

  it('reads any escaped text as it was', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...Array.from('<>&"#;lt=/ \nя👋')) }),
        (text) => {
          const escaped = text
            .replaceAll('&', '&amp;')
            .replaceAll('<', '&lt;')
            .replaceAll('>', '&gt;');
          expect(parseHtml(escaped)).toEqual({ text, entities: [] });
        },
      ),
    );
  });

  it('reads or refuses whatever comes', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      'b',
      'a',
      ' href=',
      '"',
      '&',
      'lt;',
      '#',
      '👋',
      ' ',
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        expect(complaint(pieces.join(''))).toEqual(expect.any(String));
      }),
    );
  });

  it('reads the longest text that is let in at once', () => {
    const before = process.threadCpuUsage();
    expect(read('<b>&lt;</b>'.repeat(2978))[0]).toHaveLength(2978);
    // Of the processor, not of the wall, and of this thread: neighbours do not count.
    expect(process.threadCpuUsage(before).user).toBeLessThan(500_000);
  });
});
