import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { roughText } from '../support/posts/random-posts.ts';

const database = await useDatabase();

async function normalText(text: string | null): Promise<string | null> {
  const row = z.object({ normal: z.string().nullable() });
  const sql = 'select outrider.normal_text($1) as normal';
  return (await queryRow(database.admin, row, sql, [text])).normal;
}

describe('white space', () => {
  const cases: readonly (readonly [title: string, text: string, becomes: string])[] = [
    ['at the ends goes', ' \n\t Lost \u00a0\r\n', 'Lost'],
    ['of any width becomes one space', 'a\t\u00a0\u1680\u2000\u200a\u202f\u205f\u3000b', 'a b'],
    ['of one kind becomes one space', 'a    b', 'a b'],
    ['that is a single odd blank becomes a space', 'a\u00a0b\u2007c\u3000d', 'a b c d'],
    ['around line ends goes', 'a \t\n \u00a0b', 'a\nb'],
    ['that ends lines in any way becomes one kind of line end', 'a\r\nb\rc\nd', 'a\nb\nc\nd'],
    ['keeps one empty line', 'a\n\nb', 'a\n\nb'],
    ['keeps no second empty line', 'a\n\n\nb', 'a\n\nb'],
    ['keeps no third empty line', 'a\n\n\n\nb', 'a\n\nb'],
    ['that fills empty lines goes', 'a\n \t\n\u00a0\r\n\nb', 'a\n\nb'],
    ['alone leaves nothing', ' \t\r\n\u2003 ', ''],
    ['that joins or has no width stays', 'a\u200bb\u200dc\u2060d', 'a\u200bb\u200dc\u2060d'],
  ];

  it.each(cases)('%s', async (_, text, becomes) => {
    expect(await normalText(text)).toBe(becomes);
  });
});

describe('control characters', () => {
  it('go, whatever stands around them', async () => {
    expect(await normalText('a\u0001b\u001bc\u000bd\u000ce')).toBe('abcde');
    expect(await normalText('a \u0002 b\r\u0003\nc\u0007')).toBe('a b\nc');
  });

  it('leave what follows composed', async () => {
    expect(await normalText('e\u0001\u0301')).toBe('é');
  });
});

describe('letters', () => {
  it('are composed', async () => {
    expect(await normalText('e\u0301 и\u0306 \u212b \u1100\u1161')).toBe('é й Å 가');
  });

  it('keep their case and their look', async () => {
    const text = 'Lost: Ginger DOG — ﬁnd ½ of Him, 100% sure… 👩‍👩‍👧 İ ẞ';
    expect(await normalText(text)).toBe(text);
  });
});

describe('addresses in a text', () => {
  const cases: readonly (readonly [text: string, becomes: string])[] = [
    ['see HTTP://Example.COM/Path?Q=A#F now', 'see http://example.com/Path?Q=A#F now'],
    ['(https://Example.com)', '(https://example.com)'],
    ['<a href="HTTPS://EXAMPLE.com/A">A</a>', '<a href="https://example.com/A">A</a>'],
    ['[A](https://Example.COM:443/A)', '[A](https://example.com/A)'],
    ['http://a.example:80, http://b.example:80', 'http://a.example, http://b.example'],
    ['http://A.example:443/ https://A.example:80/', 'http://a.example:443/ https://a.example:80/'],
    ['http://a.example:8080/ http://a.example:80.', 'http://a.example:8080/ http://a.example:80.'],
    ['https://ПРИМЕР.рф/Путь', 'https://пример.рф/Путь'],
    ['https://H\u0331.example', 'https://ẖ.example'],
    ['https://User:Pass@Example.com/', 'https://User:Pass@Example.com/'],
    ['https://Example.com—Great', 'https://example.com—Great'],
    ['https://Example.com→Great', 'https://example.com→Great'],
    ['https://example.com/%7Euser/../x', 'https://example.com/%7Euser/../x'],
    ['ftp://Example.com mailto:A@B.example', 'ftp://Example.com mailto:A@B.example'],
    ['HTTP:// and Http', 'HTTP:// and Http'],
  ];

  it.each(cases)('%s', async (text, becomes) => {
    expect(await normalText(text)).toBe(becomes);
  });
});

/** The bare letters and digits: all that must be there after as before. Only default ports may go. */
function letters(text: string): string {
  const bare = text
    .replaceAll(/:(80|443)/g, '')
    .normalize('NFD')
    .replaceAll(/[^\p{L}\p{N}]/gu, '');
  return Array.from(bare, (letter) => letter.toLowerCase()).join('');
}

describe('a text', () => {
  it('that is null stays null', async () => {
    expect(await normalText(null)).toBeNull();
  });

  it('normalised twice is the same as normalised once', async () => {
    await fc.assert(
      fc.asyncProperty(roughText, async (text) => {
        const once = await normalText(text);
        expect(await normalText(once)).toBe(once);
      }),
      { numRuns: 1000 },
    );
  });

  it('is free of all that normalising takes away', async () => {
    await fc.assert(
      fc.asyncProperty(roughText, async (text) => {
        const normal = (await normalText(text)) ?? '';
        expect(normal).toBe(normal.normalize('NFC'));
        expect(normal).not.toMatch(
          // oxlint-disable-next-line no-control-regex -- they are what must be gone
          /^[ \n]|[ \n]$| {2}| \n|\n |\n{3}|[\u0001-\u0009\u000b-\u001f\u00a0\u2000-\u200a\u3000]/,
        );
        expect(letters(normal)).toBe(letters(text));
      }),
      { numRuns: 500 },
    );
  });
});

// PostgreSQL sorts the marks on a letter in quadratic time, and a careless pattern backtracks.
describe('100,000 characters', () => {
  const hostile: readonly (readonly [title: string, text: string])[] = [
    ['marks in descending order', '\u0301'.repeat(50_000) + '\u0316'.repeat(50_000)],
    ['runs of marks', `a${'\u0301'.repeat(49)}${'\u0316'.repeat(49)}`.repeat(1000)],
    [
      'marks on the host of an address',
      `HTTPS://${'\u0301'.repeat(50_000)}${'\u0316'.repeat(49_000)}`,
    ],
    ['addresses', 'HTTP://A '.repeat(11_000)],
    ['addresses without an end', 'HTTP://A:80'.repeat(9000)],
    ['spaces', ' '.repeat(100_000)],
    ['spaces between letters', 'a  '.repeat(33_333)],
    ['lines of blanks', 'a\r\n \n\n\t'.repeat(14_000)],
    ['control characters', '\u0001'.repeat(100_000)],
  ];

  it.each(hostile)('are normal in a moment: %s', async (_, text) => {
    const client = await database.admin.connect();
    try {
      await client.query("set statement_timeout = '5s'"); // what blows up takes a minute
      const answer = client.query('select outrider.normal_text($1)', [text]);
      await expect(answer).resolves.toMatchObject({ rowCount: 1 });
    } finally {
      client.release(true);
    }
  });
});
