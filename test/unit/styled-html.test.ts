import { stripVTControlCharacters } from 'node:util';
import { describe, expect, it } from 'vitest';
import { styledLines } from '../../src/cli/preview/styled-html.ts';

const plain = (html: string): string[] => styledLines({ isTty: false }, html);

describe('the HTML of a message on a terminal', () => {
  it('loses its tags and its entities, and keeps its lines', () => {
    expect(plain('<b>Lost &amp; found</b>\n\n<i>&lt;p&gt; &quot;x&quot; &#39;y&#39;</i>')).toEqual([
      'Lost & found',
      '',
      `<p> "x" 'y'`,
    ]);
  });

  it('has the address of a link behind its words, unless they say it', () => {
    const link = '<a href="https://a.b/?x=1&amp;y=2">here</a>, <a href="https://a.b/">a.b</a>';
    expect(plain(link)).toEqual(['here (https://a.b/?x=1&y=2), a.b']);
  });

  it('has its styles on a terminal, on every line that they reach over', () => {
    const [first = '', second = ''] = styledLines({ isTty: true }, '<b>one\ntwo</b> three');
    expect([first, second].map(stripVTControlCharacters)).toEqual(['one', 'two three']);
  });

  it('holds nothing that a terminal obeys', () => {
    expect(plain('a\u001b[2Jb\u202ec')).toEqual(['a\ufffd[2Jbc']);
  });
});
