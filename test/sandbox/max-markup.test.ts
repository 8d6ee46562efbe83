import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { readHtml } from '../../sandbox/max/html.ts';
import { readMarkdown } from '../../sandbox/max/markdown.ts';
import { type MarkedText, renderMarked } from '../../sandbox/max/markup.ts';
import { groupId, type MaxSandbox, startMax } from '../support/sandbox/max-sandbox.ts';

/** The text with its marks written out around the words: `{strong:words}`. */
function shown({ text, marks }: MarkedText): string {
  const opening = (at: number) =>
    marks
      .filter((mark) => mark.from === at)
      .map((mark) => `{${[mark.type, mark.url ?? mark.userId].filter(Boolean).join(' ')}:`);
  const closing = (at: number) =>
    marks.filter((mark) => mark.from + mark.length === at).map(() => '}');
  return Array.from({ length: text.length + 1 }, (_, at) =>
    [...closing(at), ...opening(at), text[at] ?? ''].join(''),
  ).join('');
}

describe('html', () => {
  it.each([
    ['<i>a</i> <em>b</em>', '{emphasized:a} {emphasized:b}'],
    ['<b>a</b> <strong>b</strong>', '{strong:a} {strong:b}'],
    ['<s>a</s> <del>b</del>', '{strikethrough:a} {strikethrough:b}'],
    ['<u>a</u> <ins>b</ins>', '{underline:a} {underline:b}'],
    ['<code>a</code> <pre>b</pre>', '{monospaced:a} {monospaced:b}'],
    ['<mark>a</mark>', '{highlighted:a}'],
    ['<h1>a</h1>', '{heading:a}'],
    ['<blockquote>a</blockquote>', '{quote:a}'],
    ['<a href="https://x.ru/?a=1&amp;b=2">a</a>', '{link https://x.ru/?a=1&b=2:a}'],
    ["<a class='x' href='max://user/42'>Ann</a>", '{user_mention 42:Ann}'],
    ['<a>no address</a>', 'no address'],
    ['<b>bold <i>both</i></b>', '{strong:bold {emphasized:both}}'],
    ['<B>upper</B>', '{strong:upper}'],
    ['<pre><code>one</code></pre>', '{monospaced:one}'],
    ['😀<b>after</b>', '😀{strong:after}'],
    ['<b>left open', '{strong:left open}'],
    ['never opened</b>', 'never opened'],
  ])('%s', (source, expected) => {
    expect(shown(readHtml(source))).toBe(expected);
  });

  it('lets tags cross one another', () => {
    expect(readHtml('<b>a<i>b</b>c</i>').marks).toEqual([
      { type: 'strong', from: 0, length: 2 },
      { type: 'emphasized', from: 1, length: 2 },
    ]);
  });

  it.each([
    ['<p>one</p><script>two</script><tg-spoiler>three</tg-spoiler>', 'onetwothree'],
    ['a<br/>b<img src="x>y">c<!-- gone -->', 'abc'],
    ['&lt;b&gt; &amp;amp; &quot;&apos;&#39;&#x41;&nbsp;', "<b> &amp; \"''A\u00a0"],
    ['1 < 2 && 3 > 2 &unknown; <3', '1 < 2 && 3 > 2 &unknown; <3'],
  ])('strips what it does not know and refuses nothing: %s', (source, text) => {
    expect(readHtml(source)).toEqual({ text, marks: [] });
  });
});

describe('markdown', () => {
  it.each([
    ['*a* _b_', '{emphasized:a} {emphasized:b}'],
    ['**a** __b__', '{strong:a} {strong:b}'],
    ['~~a~~ ++b++ ^^c^^', '{strikethrough:a} {underline:b} {highlighted:c}'],
    ['`a*b*`', '{monospaced:a*b*}'],
    ['```\nconst *a*\n```', '{monospaced:const *a*}'],
    ['```js\nconst a```', '{monospaced:const a}'],
    ['```inline```', '{monospaced:inline}'],
    ['[a **b**](https://x.ru)', '{link https://x.ru:a {strong:b}}'],
    ['[Ann](max://user/42)', '{user_mention 42:Ann}'],
    ['[a\\]](https://x.ru/a_(b)\\))', '{link https://x.ru/a_(b)):a]}'],
    ['# Head\ntext', '{heading:Head}\ntext'],
    ['> one\n> two\nthree', '{quote:one\ntwo}\nthree'],
    ['a\n> *b*', 'a\n{quote:{emphasized:b}}'],
    ['***both***', '{strong:{emphasized:both}}'],
    ['*a **b** c*', '{emphasized:a {strong:b} c}'],
    ['**over\nlines**', '{strong:over\nlines}'],
    ['#tag and 2 * 3 * 4', '#tag and 2 * 3 * 4'],
    ['snake_case_name a_b_ _a_b', 'snake_case_name a_b_ _a_b'],
    ['**not\n\nover paragraphs**', '**not\n\nover paragraphs**'],
    ['\\*plain\\* \\a', '*plain* \\a'],
    ['** a** and *', '** a** and *'],
    ['[no](link here)', '[no](link here)'],
    ['C++ and C++', 'C++ and C++'],
  ])('%s', (source, expected) => {
    expect(shown(readMarkdown(source))).toBe(expected);
  });
});

describe('escaped markdown', () => {
  const escape = (text: string) => text.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&');
  const unit = fc.constantFrom(...Array.from('\\*_~+^`[]()#>! a\n0я'));
  const words = fc.string({ unit, minLength: 1, maxLength: 30 });
  const dense = words.filter((text) => /^\S(?:[^\n]*\S)?$/.test(text));

  it('reads as the text that was escaped', () => {
    fc.assert(
      fc.property(words, (text) => {
        expect(readMarkdown(escape(text))).toEqual({ text, marks: [] });
      }),
    );
  });

  it.each([
    ['strong', '**', '**'],
    ['emphasized', '*', '*'],
    ['strikethrough', '~~', '~~'],
    ['link', '[', '](https://x.ru/a_b)'],
  ])('stands within %s', (type, before, after) => {
    fc.assert(
      fc.property(dense, (text) => {
        const marked = readMarkdown(`${before}${escape(text)}${after}`);
        expect(marked).toMatchObject({ text, marks: [{ type, from: 0, length: text.length }] });
        expect(marked.marks).toHaveLength(1);
      }),
    );
  });
});

describe('markup of any text', () => {
  const pieces = fc.array(
    fc.oneof(
      fc.constantFrom('<b>', '</b>', '<a href="https://x">', '</a>', '<i', '&lt;', '&#0;', '<!--'),
      fc.constantFrom(
        '*',
        '**',
        '_',
        '__',
        '~~',
        '`',
        '```',
        '[',
        '](https://x)',
        '\n',
        '> ',
        '# ',
      ),
      fc.string({ maxLength: 5, unit: 'grapheme' }),
    ),
    { maxLength: 60 },
  );

  it.each([
    ['html', readHtml],
    ['markdown', readMarkdown],
  ])('in %s stays within the text, in order, and renders as safe HTML', (_name, read) => {
    fc.assert(
      fc.property(pieces, (parts) => {
        const marked = read(parts.join(''));
        let last = 0;
        for (const { from, length } of marked.marks) {
          expect(length).toBeGreaterThan(0);
          expect(from).toBeGreaterThanOrEqual(last);
          expect(from + length).toBeLessThanOrEqual(marked.text.length);
          last = from;
        }
        const words = renderMarked(marked).replaceAll(
          /<\/?(?:b|i|s|u|q|a|code|mark|strong)(?: href="[^"<>]*")?>/g,
          '',
        );
        expect(words).not.toMatch(/[<>"]/);
        expect(
          words
            .replaceAll('&lt;', '<')
            .replaceAll('&gt;', '>')
            .replaceAll('&quot;', '"')
            .replaceAll('&#39;', "'")
            .replaceAll('&amp;', '&'),
        ).toBe(marked.text);
      }),
    );
  });

  it.each([
    ['html', readHtml, '<b '],
    ['html', readHtml, '<!--'],
    ['html', readHtml, '<a href="'],
    ['markdown', readMarkdown, '*_'],
    ['markdown', readMarkdown, '['],
    ['markdown', readMarkdown, '[a](('],
    ['markdown', readMarkdown, '\\\\'],
    ['markdown', readMarkdown, '```'],
    ['markdown', readMarkdown, '**a'],
  ])('in %s is read fast, whatever repeats: %#', (_name, read, part) => {
    const source = part.repeat(4000 / part.length);
    const before = process.threadCpuUsage();
    read(source);
    // Of the processor, not of the wall, and of this thread: neighbours do not count.
    expect(process.threadCpuUsage(before).user).toBeLessThan(2_000_000);
  });

  it('leads nowhere but to web pages', () => {
    const marked = readHtml('<a href="javascript:alert(1)">click</a>');
    expect(renderMarked(marked)).toBe('click');
    const quoted = readMarkdown('[a](https://x.ru/"onmouseover="x)');
    expect(renderMarked(quoted)).toBe('<a href="https://x.ru/&quot;onmouseover=&quot;x">a</a>');
  });
});

describe('a formatted message', () => {
  let max: MaxSandbox;

  beforeEach(async () => {
    max = await startMax();
  });

  afterEach(() => max.close());

  it('comes back as plain text with markup', async () => {
    const { body } = await max.bot.api.sendMessageToChat(
      groupId,
      '<b>Sale</b> at <a href="https://x.ru">x</a> for <a href="max://user/42">Ann</a>',
      { format: 'html' },
    );
    expect(body).toMatchObject({
      text: 'Sale at x for Ann',
      markup: [
        { type: 'strong', from: 0, length: 4 },
        { type: 'link', from: 8, length: 1, url: 'https://x.ru' },
        { type: 'user_mention', from: 14, length: 3, user_id: 42 },
      ],
    });
    expect(max.posts(groupId)[0]).toMatchObject({
      text: 'Sale at x for Ann',
      html: '<b>Sale</b> at <a href="https://x.ru">x</a> for <b>Ann</b>',
    });
  });

  it('takes one asterisk for italic and two for bold', async () => {
    const extra = { format: 'markdown' as const };
    const { body } = await max.bot.api.sendMessageToChat(groupId, '*i* **b**', extra);
    expect(body.markup).toEqual([
      { type: 'emphasized', from: 0, length: 1 },
      { type: 'strong', from: 2, length: 1 },
    ]);
  });

  it('without a format keeps its tags and asterisks', async () => {
    const { body } = await max.bot.api.sendMessageToChat(groupId, '<b>*x*</b>');
    expect(body.text).toBe('<b>*x*</b>');
    expect(body).not.toHaveProperty('markup');
    expect(max.posts(groupId)[0]?.html).toBe('&lt;b&gt;*x*&lt;/b&gt;');
  });
});
