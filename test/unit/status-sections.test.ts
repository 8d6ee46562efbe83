import { describe, expect, it } from 'vitest';
import { html, plain } from '../../src/status/html.ts';
import { changes, type Section, section } from '../../src/status/section.ts';
import { beginning, hasSession } from '../../src/status/session.ts';
import { spanOf } from '../../src/status/span.ts';
import { when } from '../../src/status/words.ts';

describe('markup of the status page', () => {
  it('masks and escapes every text that it takes in', () => {
    const text = '<b>"call" +7 916 123-45-67</b>';
    expect(html`<p title="${text}">${text}</p>`.text).toBe(
      '<p title="&lt;b&gt;&quot;call&quot; [phone]&lt;/b&gt;">&lt;b&gt;&quot;call&quot; [phone]&lt;/b&gt;</p>',
    );
  });

  it('escapes ids and leaves them whole, although they may look like a phone number', () => {
    expect(plain("79161234567'").text).toBe('79161234567&#39;');
  });

  it('shows no character that turns the direction of writing, and none that a page cannot hold', () => {
    expect(html`${'a\u202eb\u0000c\nd'}`.text).toBe('ab c\nd');
  });
});

describe('what changes on the status page', () => {
  const table = (...rows: readonly string[]): Section => ({
    id: 'channels',
    before: '<table id="channels">',
    rows: rows.map((row) => ({ id: row.slice(0, 1), html: row })),
    after: '</table>',
  });
  const note = (words: string): Section => section('note', html`<p id="note">${words}</p>`);

  it('is nothing where nothing has changed', () => {
    expect(changes([table('a1', 'b1'), note('x')], [table('a1', 'b1'), note('x')])).toEqual([]);
  });

  it('is the one row that has changed', () => {
    expect(changes([table('a1', 'b1')], [table('a1', 'b2')])).toEqual([{ id: 'b', html: 'b2' }]);
  });

  it('is the whole section where rows have come, gone or moved', () => {
    for (const next of [table('a1'), table('b1', 'a1'), table('a1', 'b1', 'c1')]) {
      expect(changes([table('a1', 'b1')], [next]).map((each) => each.id)).toEqual(['channels']);
    }
  });

  it('is every section that has changed, also one that is new', () => {
    expect(changes([note('x')], [note('y'), table()]).map((each) => each.id)).toEqual([
      'note',
      'channels',
    ]);
  });
});

describe('a session', () => {
  const token = 'a token of sixteen';
  const cookieOf = (header: string): string => header.split(';', 1)[0] ?? '';
  const made = cookieOf(beginning(token, 0, false));
  const day = 86_400_000;

  it('lasts for a week, and no browser script, other site or plain connection gets it', () => {
    expect(beginning(token, 0, true)).toMatch(
      /; Path=\/status; Max-Age=604800; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(hasSession({ cookie: made }, token, 6 * day)).toBe(true);
    expect(hasSession({ cookie: made }, token, 8 * day)).toBe(false);
  });

  it('is over when the token is another, and does not contain it', () => {
    expect(hasSession({ cookie: made }, `${token}.`, 0)).toBe(false);
    expect(made).not.toContain('token');
  });

  it.each([
    ['a longer time', made.replace('604800.', '999999.')],
    ['another signature', `${made.slice(0, -2)}${made.endsWith('AA') ? 'BB' : 'AA'}`],
    ['nothing', 'outrider_status='],
    ['no cookie', ''],
    ['a number that no time has', 'outrider_status=999999999999999.x'],
  ])('is none with %s', (_, cookie) => {
    expect(hasSession({ cookie }, token, 0)).toBe(false);
  });

  it('is found among other cookies', () => {
    expect(hasSession({ cookie: `a=b; ${made}; c=d=e` }, token, 0)).toBe(true);
  });
});

describe('times on the status page', () => {
  const now = new Date('2026-03-02T10:00:00Z');
  const words = (seconds: number): string =>
    when(new Date(now.getTime() + seconds * 1000), now).text.replaceAll(/<[^>]*>/g, '');

  it.each([
    [-3, 'just now'],
    [-61, '1 min ago'],
    [-3 * 3600, '3 h ago'],
    [0, 'just now'],
    [12, 'in 12 s'],
    [119, 'in 1 min 59 s'],
    [150, 'in 2 min'],
    [7200, 'in 2 h'],
  ])('are told to the minute, and to the second where they are near: %i', (seconds, expected) => {
    expect(words(seconds)).toBe(expected);
  });
});

it('shows a day where an address names no span of time', () => {
  expect([spanOf(undefined), spanOf('999y'), spanOf('7d')].map((each) => each.key)).toEqual([
    '24h',
    '24h',
    '7d',
  ]);
});
