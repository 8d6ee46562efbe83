import { describe, expect, it } from 'vitest';
import { readHtml } from '../../src/pull/html/read-html.ts';

const baseUrl = 'https://example.org/news/today';
const read = (html: string, maxLength = 10_000) => readHtml(html, { baseUrl, maxLength });

describe('HTML becomes the text of a post', () => {
  it.each([
    ['paragraphs become lines with one empty between them', '<p>One</p><p>Two</p>', 'One\n\nTwo'],
    ['blocks become lines', '<div>One</div><div>Two<div>Three</div></div>', 'One\nTwo\nThree'],
    ['<br> breaks a line', 'One<br>Two<br/><br>Three', 'One\nTwo\n\nThree'],
    ['many breaks make one empty line', 'One<br><br><br><br>Two<p></p><p> </p>', 'One\n\nTwo'],
    ['white space collapses as in a browser', ' One \n\t two </p>\n <p> three', 'One two\n\nthree'],
    [
      'a blank stands where tags had one',
      '<b>One </b>two<i> three</i>',
      '<b>One</b> two <i>three</i>',
    ],
    ['no tag stays empty', '<b></b>One<i> </i><a href="/x"></a>', 'One'],
    ['a text without markup is plain', 'Tom &amp; Jerry &lt;3 &quot;x&quot;', 'Tom & Jerry <3 "x"'],
    [
      'a text with markup is escaped',
      '<b>a</b> &lt;b&gt; &amp; "c"',
      '<b>a</b> &lt;b&gt; &amp; &quot;c&quot;',
    ],
    [
      'other names of a tag become ours',
      '<strong>a</strong><em>b</em><del>c</del><ins>d</ins><kbd>e</kbd>',
      '<b>a</b><i>b</i><s>c</s><u>d</u><code>e</code>',
    ],
    ['overlapping tags are repaired', '<b>a<i>b</b>c</i>', '<b>a<i>b</i></b><i>c</i>'],
    ['headings are bold', '<h2>Head</h2>text', '<b>Head</b>\n\ntext'],
    [
      'lists have bullets',
      'L:<ul><li>One<li><p>Two</p><ul><li>In</ul></ul>end',
      'L:\n• One\n• Two\n\n◦ In\nend',
    ],
    ['ordered lists have numbers', '<ol start=3><li>a<li value=7>b<li>c</ol>', '3. a\n7. b\n8. c'],
    [
      'tables go row by row',
      '<table><tr><th>A<th>B</tr><tr><td>1<td><td>2</table>',
      '<b>A</b> | <b>B</b>\n1 | 2',
    ],
    [
      'quotations stay',
      'a<blockquote><p>b</p><blockquote>c</blockquote></blockquote>d',
      'a\n\n<blockquote>b\n\nc</blockquote>\n\nd',
    ],
    [
      'code keeps its white space',
      '<pre>\n if (x) {\n\n\n\t<b>y</b>\n }\n</pre>',
      '<pre> if (x) {\n\n\n\ty\n }</pre>',
    ],
    ['words in quotes have marks', 'He said <q>no</q>.', 'He said “no”.'],
    [
      'scripts, styles, comments and hidden parts go',
      'a<script>b</script><style>c</style><!-- d --><p hidden>e</p><p style="color:red;display: none">f</p>',
      'a',
    ],
    [
      'a whole page is read as its body',
      '<!doctype html><html><head><title>t</title></head><body>b</body></html>',
      'b',
    ],
    [
      'characters that no text can have go',
      'a\0b&#0;c&#xD800;d',
      'abcd'.replace('c', '\uFFFDc\uFFFD'),
    ],
  ])('%s', (_title, html, text) => {
    expect(read(html).text).toBe(text);
  });

  it('has absolute links, and none that a reader should not follow', () => {
    const html =
      '<a href="../a?x=1&amp;y=2">a</a> <a href="//cdn.example.org/b">b</a> <a href="javascript:alert(1)">c</a> ' +
      '<a href="data:text/html,x">d</a> <a>e</a> <a href="https://user:pass@example.org/">f</a> <a href=\'https://x.org/"\'>g</a>';
    expect(read(html).text).toBe(
      '<a href="https://example.org/a?x=1&amp;y=2">a</a> <a href="https://cdn.example.org/b">b</a> c d e f <a href="https://x.org/%22">g</a>',
    );
  });

  it('gathers pictures, each once, and neither counters nor emoji', () => {
    const html =
      '<img src="/1.jpg"><img data-src="2.jpg" src="data:image/gif;base64,R0"><img src="/1.jpg">' +
      '<img src="/pixel.gif" width=1 height=1><img src="/smile.png" alt="🙂">';
    expect(read(html)).toEqual({
      text: '🙂',
      isMarked: false,
      images: ['https://example.org/1.jpg', 'https://example.org/news/2.jpg'],
    });
  });

  it('is cut between words, with its tags closed', () => {
    const html = `<p><b>${'word '.repeat(100)}</b></p>`;
    const { text } = read(html, 50);
    expect(text).toBe('<b>word word word word word word word word</b>…');
    expect(read('x'.repeat(100), 50).text).toBe(`${'x'.repeat(8)}…`);
  });

  it('is read however deep it is nested', () => {
    const deep = 50_000;
    const html = `${'<div><b>'.repeat(deep)}Tom &amp; ${'</b></div>'.repeat(deep)}Jerry`;
    expect(read(html).text).toBe('Tom & Jerry');
    const reopened = Array.from({ length: deep }, (_, n) => `<p><font size=${n}>x</p>`).join('');
    expect(read(reopened, 20).text).toBe('x x x x x x x x x x…');
  });
});
