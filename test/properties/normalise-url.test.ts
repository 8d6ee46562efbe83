import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { roughUrl } from '../support/posts/random-posts.ts';

const database = await useDatabase();

async function canonical(url: string | null): Promise<string | null> {
  const row = z.object({ url: z.string().nullable() });
  const sql = 'select outrider.canonical_url($1) as url';
  return (await queryRow(database.admin, row, sql, [url])).url;
}

const becomes: Readonly<Record<string, string>> = {
  // scheme and host
  'HTTP://example.com/': 'http://example.com/',
  'hTTpS://EXAMPLE.com/Path': 'https://example.com/Path',
  'https://ПРИМЕР.РФ/': 'https://пример.рф/',
  'https://M\u00dcNCHEN.example/': 'https://m\u00fcnchen.example/',
  'https://mu\u0308nchen.example/': 'https://m\u00fcnchen.example/',
  'https://H\u0331.example/': 'https://\u1e96.example/',
  'https://EX%41MPLE.com/': 'https://example.com/',
  'https://EX%41MPLE.com/100%': 'https://example.com/100%',
  'https://m%c3%bcnchen.example/': 'https://m%C3%BCnchen.example/',
  'https://[2001:DB8::1]/': 'https://[2001:db8::1]/',
  'https://User:PassWord@Example.com/': 'https://User:PassWord@example.com/',
  'https://us%65r@example.com/': 'https://user@example.com/',
  // ports
  'http://example.com:80/': 'http://example.com/',
  'https://example.com:443/': 'https://example.com/',
  'http://example.com:443/': 'http://example.com:443/',
  'https://example.com:80/': 'https://example.com:80/',
  'https://example.com:8443/': 'https://example.com:8443/',
  'https://example.com:/a': 'https://example.com/a',
  'https://[::1]:443': 'https://[::1]/',
  'http://u@example.com:80?a': 'http://u@example.com/?a',
  // paths
  'https://example.com': 'https://example.com/',
  'https://example.com?a=1': 'https://example.com/?a=1',
  'https://example.com#a': 'https://example.com/#a',
  'https://example.com/a/./b/../c': 'https://example.com/a/c',
  'https://example.com/a/b/..': 'https://example.com/a/',
  'https://example.com/a/.': 'https://example.com/a/',
  'https://example.com/../../a': 'https://example.com/a',
  'https://example.com/..': 'https://example.com/',
  'https://example.com/a//../b': 'https://example.com/a/b',
  'https://example.com/a/%2e%2E/b': 'https://example.com/b',
  'https://example.com/...': 'https://example.com/...',
  'https://example.com/.well-known/a.': 'https://example.com/.well-known/a.',
  'https://example.com//a//': 'https://example.com//a//',
  // percent-encoding
  'https://example.com/%7euser': 'https://example.com/~user',
  'https://example.com/%41%2D%5f%2e%30': 'https://example.com/A-_.0',
  'https://example.com/a%2fb%3f%23': 'https://example.com/a%2Fb%3F%23',
  'https://example.com/%d1%8b?q=%d1%8b#%d1%8b': 'https://example.com/%D1%8B?q=%D1%8B#%D1%8B',
  'https://example.com/%2541': 'https://example.com/%2541',
  'https://Example.com/100%/../%41': 'https://example.com/100%/../%41',
  'https://example.com/a?b=%zz&c=%41': 'https://example.com/a?b=%zz&c=%41',
  'https://example.com/%40%5B%60%7B': 'https://example.com/%40%5B%60%7B',
  // query and fragment
  'https://example.com/?': 'https://example.com/',
  'https://example.com/#': 'https://example.com/',
  'https://example.com/?#': 'https://example.com/',
  'https://example.com/a?#b': 'https://example.com/a#b',
  'https://example.com/??': 'https://example.com/??',
  'https://example.com/##': 'https://example.com/##',
  'https://example.com/?a=/../b#/../c': 'https://example.com/?a=/../b#/../c',
  // ends
  ' \thttps://example.com/a\u00a0\n': 'https://example.com/a',
  ' not an address ': 'not an address',
};

const stays = [
  // canonical already
  'https://example.com/',
  'https://example.com/a/b?utm_source=Feed&UTM_medium=rss&a=&b#Part-2',
  'https://example.com/a+b,(c);d=e!$&*:@~_-.',
  'https://example.com/путь?вопрос#ответ',
  'https://example.com/a?b=https://Example.com:443/..%2F',
  // what cannot be read
  '',
  'example.com/A',
  'ftp://Example.com/A',
  'mailto:Ann@Example.com',
  'HTTP:Example.com',
  'HTTPS:///A',
  'HTTPS://',
  'HTTPS://:80/',
  'HTTPS://?A',
  'HTTPS://Example.com/a b',
  'HTTPS://Exa mple.com/',
  'HTTPS://Example.com:port/',
  'HTTPS://Example.com:65536/',
  'HTTPS://[::1/',
  'HTTPS://a@b@Example.com/',
  'HTTPS://Exa\\mple.com/',
  'HTTPS://-/',
] as const;

describe('an address', () => {
  it.each(Object.entries(becomes))('%s becomes %s', async (url, expected) => {
    expect(await canonical(url)).toBe(expected);
  });

  it.each(stays)('stays as it is: %s', async (url) => {
    expect(await canonical(url)).toBe(url);
  });

  it('that is null stays null', async () => {
    expect(await canonical(null)).toBeNull();
  });

  it('made canonical twice is the same as once, whatever it is', async () => {
    await fc.assert(
      fc.asyncProperty(roughUrl, async (url) => {
        const once = await canonical(url);
        expect(await canonical(once)).toBe(once);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('an address and its canonical form', () => {
  const escape = fc.constantFrom('%41', '%2f', '%3F', '%7e', '%c3%a9', '%2e', '%25');
  const letter = fc.constantFrom('a', 'B', '1', '-', '_', '~', '.', '!', '=', '&', '+', ':', '@');
  const word = fc.array(fc.oneof(letter, escape), { maxLength: 4 }).map((some) => some.join(''));
  const wellFormed = fc
    .record({
      origin: fc.constantFrom(
        'http://Example.COM',
        'HTTPS://a.example:443',
        'https://U:p@[::A]:81',
      ),
      path: fc.array(fc.oneof(word, fc.constantFrom('.', '..', '%2E', '')), { maxLength: 5 }),
      query: fc.option(word, { nil: undefined }),
      fragment: fc.option(word, { nil: undefined }),
    })
    .map(({ origin, path, query, fragment }) => {
      const marks = [
        query === undefined ? '' : `?${query}`,
        fragment === undefined ? '' : `#${fragment}`,
      ];
      return origin + path.map((segment) => `/${segment}`).join('') + marks.join('');
    });

  /** Where a browser would go: an empty mark says nothing, and codes are the same in any spelling. */
  function destination(url: string): string[] {
    const { protocol, username, password, host, pathname, search, hash } = new URL(url);
    return [protocol, username, password, host, ...[pathname, search, hash].map(unescaped)];
  }
  const unescaped = (part: string): string =>
    part
      .replaceAll(/%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/gi, decodeURIComponent)
      .toUpperCase();

  it('lead to the same place', async () => {
    await fc.assert(
      fc.asyncProperty(wellFormed, async (url) => {
        expect(destination((await canonical(url)) ?? '')).toEqual(destination(url));
      }),
      { numRuns: 1000 },
    );
  });
});

describe('all spellings of an address', () => {
  const roll = fc.array(fc.nat(5), { minLength: 40, maxLength: 40 });
  const word = fc.stringMatching(/^[a-zA-Z0-9_~-]{1,5}$/);
  const spelled = fc.record({
    scheme: fc.constantFrom('http', 'https'),
    host: fc.constantFrom('example.com', 'пример.рф', '[fe80::a]'),
    path: fc.array(word, { maxLength: 3 }),
    query: fc.option(word, { nil: '' }),
  });

  it('have one canonical form', async () => {
    await fc.assert(
      fc.asyncProperty(spelled, roll, async ({ scheme, host, path, query }, rolls) => {
        let next = 0;
        const chance = (): boolean => (rolls[next++ % rolls.length] ?? 0) > 2;
        const encoded = (text: string): string =>
          text.replaceAll(/./g, (letter) => {
            const code = `%${letter.charCodeAt(0).toString(16)}`;
            return chance() ? letter : chance() ? code : code.toUpperCase();
          });
        const segments = path.map(
          (each) => `${chance() ? '/.' : ''}${chance() ? '/x/..' : ''}/${encoded(each)}`,
        );
        const other = [
          chance() ? scheme.toUpperCase() : scheme,
          '://',
          chance() ? host.toUpperCase() : host,
          chance() ? (scheme === 'http' ? ':80' : ':443') : '',
          path.length > 0 ? segments.join('') : chance() ? '/' : '',
          query === '' ? (chance() ? '?' : '') : `?${encoded(query)}`,
          chance() ? '#' : '',
        ].join('');
        const plain = `${scheme}://${host}/${path.join('/')}${query === '' ? '' : `?${query}`}`;
        expect(await canonical(other)).toBe(plain);
      }),
      { numRuns: 500 },
    );
  });
});

// A careless pattern or a loop over a growing list would take minutes.
describe('100,000 characters', () => {
  const hostile: readonly (readonly [title: string, url: string])[] = [
    ['dot segments', `http://a${'/b'.repeat(25_000)}${'/..'.repeat(16_000)}`],
    ['codes', `http://a/${'%41'.repeat(33_000)}`],
    ['percent signs', `http://a/${'%'.repeat(100_000)}`],
    ['at signs', `http://${'@'.repeat(100_000)}`],
    ['ports', `http://${'a:1'.repeat(33_000)}`],
    ['brackets', `http://${'['.repeat(100_000)}`],
    ['marks', `http://${'\u0301'.repeat(50_000)}${'\u0316'.repeat(50_000)}`],
    ['blanks', `http://a${' '.repeat(50_000)}b${' '.repeat(50_000)}`],
    ['queries and fragments', `http://a/${'?#'.repeat(50_000)}`],
  ];

  it.each(hostile)('are read in a moment: %s', async (_, url) => {
    const client = await database.admin.connect();
    try {
      await client.query("set statement_timeout = '5s'");
      const answer = client.query('select outrider.canonical_url($1)', [url]);
      await expect(answer).resolves.toMatchObject({ rowCount: 1 });
    } finally {
      client.release(true);
    }
  });
});
