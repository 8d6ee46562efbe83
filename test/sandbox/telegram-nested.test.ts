// What becomes of entities that stand in one another. The answers are those of TDLib's own functions for
// the same texts.

import { describe, expect, it } from 'vitest';
import { finishText, parseText } from '../../sandbox/telegram/text.ts';

/** The text and the entities as `type offset-end`. */
function settled(source: string, parseMode = 'HTML'): string[] {
  const { text, entities } = finishText(parseText(source, parseMode, undefined));
  const shown = entities.map(({ type, offset, length }) => `${type} ${offset}-${offset + length}`);
  return [text, ...shown];
}

describe('of code, links, custom emoji and times that stand in one another', () => {
  it.each([
    ['<a href="x.io">a <code>b</code></a>', ['a b', 'text_link 0-3']],
    ['<code>a <a href="x.io">b</a></code>', ['a b', 'code 0-3']],
    ['<tg-emoji emoji-id="5">a<code>b</code></tg-emoji>', ['ab', 'custom_emoji 0-2']],
  ])('the longer one stays: %s', (source, expected) => {
    expect(settled(source)).toEqual(expected);
  });

  it.each([
    ['<tg-emoji emoji-id="5"><code>a</code></tg-emoji>', ['a', 'code 0-1']],
    ['<a href="x.io"><code>a</code></a>', ['a', 'code 0-1']],
    ['<a href="x.io"><tg-time unix="9">a</tg-time></a>', ['a', 'date_time 0-1']],
    ['<tg-time unix="9"><code>a</code></tg-time>', ['a', 'code 0-1']],
    ['<tg-emoji emoji-id="5"><a href="x.io">a</a></tg-emoji>', ['a', 'text_link 0-1']],
    ['<code><pre>a</pre></code>', ['a', 'pre 0-1']],
  ])('over the same characters the kind decides: %s', (source, expected) => {
    expect(settled(source)).toEqual(expected);
  });

  it.each([
    ['<a href="x.io">\r<code>b</code></a>', ['b', 'text_link 0-1']],
    ['<tg-emoji emoji-id="5">\u0333<a href="x.io">a</a></tg-emoji>', ['a', 'custom_emoji 0-1']],
  ])('the length counts before characters are dropped: %j', (source, expected) => {
    expect(settled(source)).toEqual(expected);
  });

  it.each([
    ['[![a](tg://emoji?id=5)](x.io)', ['a', 'text_link 0-1']],
    ['[![a](tg://time?unix=9)](x.io)', ['a', 'date_time 0-1']],
    ['*![a `b`](tg://time?unix=9)*', ['a b', 'date_time 0-3']],
  ])('one stays in MarkdownV2, too: %s', (source, expected) => {
    expect(settled(source, 'MarkdownV2')).toEqual(expected);
  });
});

describe('a style', () => {
  it.each([
    ['<tg-time unix="9"><b>a</b></tg-time>', ['a', 'date_time 0-1']],
    [
      '<i>a <tg-time unix="9">b</tg-time> c</i>',
      ['a b c', 'italic 0-2', 'date_time 2-3', 'italic 3-5'],
    ],
    ['<pre>a <b>b</b></pre>', ['a b', 'pre 0-3']],
  ])('does not stand inside a time or code: %s', (source, expected) => {
    expect(settled(source)).toEqual(expected);
  });
});

describe('blanks at the beginning', () => {
  it.each([
    ['<a href="x.io"> <blockquote>q</blockquote></a>', ['q', 'blockquote 0-1']],
    ['<code>\n <blockquote>q</blockquote></code>', ['q', 'blockquote 0-1']],
  ])('go when the entity that held them goes: %j', (source, expected) => {
    expect(settled(source)).toEqual(expected);
  });

  it.each([
    ['<b> <a href="x.io">a</a></b>', [' a', 'bold 0-1', 'text_link 1-2', 'bold 1-2']],
    ['<a href="x.io"> <a href="y.io">a</a></a>', [' a', 'text_link 0-2']],
  ])('stay in an entity that stays: %j', (source, expected) => {
    expect(settled(source)).toEqual(expected);
  });
});
