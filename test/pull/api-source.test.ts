import { describe, expect, it } from 'vitest';
import { api } from '../../src/pull/kinds/api.ts';
import { SourceError } from '../../src/pull/source-error.ts';
import { startOrigin } from '../support/http/media-origins.ts';
import { firstLook, means } from '../support/pull/source-means.ts';

const secret = 'tell-nobody';

/** One look at a server that answers so. */
async function lookAt(
  answer: string | ((url: string) => unknown),
  keys: Record<string, unknown>,
  look = {},
) {
  const asked: string[] = [];
  await using origin = await startOrigin(({ url = '' }, response) => {
    asked.push(url);
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer(url)));
  });
  const config = api.keys.parse({ url: `${origin.url}/posts?lang=en`, ...keys });
  const source = api.open(config, means({ SECRET: secret }));
  try {
    const chunk = await source.look(firstLook(look));
    return { ...chunk, asked, error: undefined };
  } catch (error) {
    if (error instanceof SourceError) return { items: [], cursor: {}, asked, error };
    throw error;
  } finally {
    await source.close();
  }
}

describe('an item of an API', () => {
  it('becomes a post by the paths of map', async () => {
    const answer = {
      data: [
        {
          id: 12345678901234567890n,
          attributes: {
            name: 'Lost dog',
            body: '<p>Seen <b>here</b></p>',
            'odd.key': 'yes',
            age: 3,
          },
          link: '/posts/1',
          photos: [
            { sizes: [{ url: '/s.jpg' }, { url: '/l.jpg' }] },
            { sizes: [{ url: '/2.png' }] },
          ],
          files: [{ url: 'https://example.org/v', type: 'video/mp4' }],
          tags: ['lost', 'dog', null],
          at: '2026-03-02T10:00:00+03:00',
        },
      ],
    };
    const text = JSON.stringify(answer, (_key, value: unknown) =>
      typeof value === 'bigint' ? `number:${value}` : value,
    ).replaceAll(/"number:(\d+)"/g, '$1');
    const { items } = await lookAt(text, {
      items: 'data',
      map: {
        item_ref: 'id',
        title: 'attributes.name',
        html: 'attributes.body',
        url: 'link',
        media: ['photos[*].sizes[-1].url', 'files'],
        tags: 'tags',
        date: 'at',
        fields: { odd: 'attributes["odd.key"]', age: 'attributes.age', none: 'attributes.none' },
      },
    });
    expect(items).toEqual([
      {
        itemRef: '12345678901234567890',
        post: {
          title: 'Lost dog',
          text: 'Seen <b>here</b>',
          parse_mode: 'HTML',
          url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/posts\/1$/),
          media: [
            { type: 'image', url: expect.stringMatching(/\/l\.jpg$/) },
            { type: 'image', url: expect.stringMatching(/\/2\.png$/) },
            { type: 'video', url: 'https://example.org/v' },
          ],
          tags: ['lost', 'dog'],
          fields: { published: '2026-03-02T07:00:00.000Z', odd: 'yes', age: 3 },
          source_ref: '12345678901234567890',
        },
      },
    ]);
  });

  it.each<[string, unknown, Record<string, unknown>, string]>([
    ['the list', { data: {} }, { items: 'data.posts' }, 'data.posts of the answer is missing'],
    [
      'the list of every element',
      { groups: [{ post: [] }, {}] },
      { items: 'groups[*].posts' },
      'groups[*].posts of the answer is missing',
    ],
    [
      'the next page',
      { posts: [{ id: 1 }], links: { next: { href: '/2' } } },
      { items: 'posts', paging: { by: 'link', next: 'links.next' } },
      'links.next of the answer is an object, and names no next page',
    ],
    [
      'the next cursor',
      { posts: [{ id: 1 }], more: true },
      { items: 'posts', paging: { by: 'cursor', next: 'more' } },
      'more of the answer is true, and names no next page',
    ],
    ['the list, when it is none', { data: 5 }, { items: 'data' }, 'data of the answer is no list'],
    ['the name of every item', [{ no: 1 }, { no: 2 }], {}, 'item_ref (id) of item 1 is empty'],
    [
      'a value',
      [{ id: 1, t: { a: 1 } }],
      { map: { item_ref: 'id', title: 't' } },
      'title (t) of item 1 is an object',
    ],
    [
      'a field',
      [{ id: 1, t: [1] }],
      { map: { item_ref: 'id', fields: { x: 't' } } },
      'x (t) of item 1 is a list',
    ],
  ])('is missed by its path and place: %s', async (_title, answer, keys, words) => {
    const { error } = await lookAt(JSON.stringify(answer), { map: { item_ref: 'id' }, ...keys });
    expect(error?.message).toMatch(/^127\.0\.0\.1:\d+: /);
    expect(error?.message).toContain(words);
  });
});

describe('the date of an item', () => {
  it.each<[unknown, string]>([
    ['2026-03-02T10:00:00+03', '2026-03-02T07:00:00.000Z'],
    ['2026-03-02 10:00:00.5-05', '2026-03-02T15:00:00.500Z'],
    ['2026-03-02 10:00', '2026-03-02T10:00:00.000Z'],
    [1_772_445_600, '2026-03-02T10:00:00.000Z'],
    ['1772445600', '2026-03-02T10:00:00.000Z'],
    [1_772_445_600_123, '2026-03-02T10:00:00.123Z'],
    [202_603_021_000, '202603021000'],
  ])('becomes ISO 8601 where it can be read: %s', async (date, published) => {
    const { items } = await lookAt(JSON.stringify([{ id: 1, date }]), {
      map: { item_ref: 'id', date: 'date' },
    });
    expect(items[0]?.post.fields).toEqual({ published });
  });
});

describe('lists in the elements of a list', () => {
  it.each<[unknown, string[]]>([
    [
      [{ posts: [{ id: 1 }, { id: 2 }] }, { posts: null }, {}, { posts: [{ id: 3 }] }],
      ['3', '2', '1'],
    ],
    [[{ posts: [] }], []],
    [[], []],
  ])('are read as one: %j', async (groups, refs) => {
    const keys = { items: 'groups[*].posts', map: { item_ref: 'id' } };
    const { items, error } = await lookAt(JSON.stringify({ groups }), keys);
    expect([error, items.map(({ itemRef }) => itemRef)]).toEqual([undefined, refs]);
  });
});

describe('a list without items', () => {
  it('may be written as null, where items leads to it', async () => {
    const empty = await lookAt('{"posts": null}', { items: 'posts', map: { item_ref: 'id' } });
    expect(empty).toMatchObject({ items: [], hasMore: false, error: undefined });
    const missing = await lookAt('{"data": null}', {
      items: 'data.posts',
      map: { item_ref: 'id' },
    });
    expect(missing.error?.message).toContain('data.posts of the answer is missing');
  });
});

describe('an item of another shape than the others', () => {
  it('is taken in without the value that does not fit', async () => {
    const answer = [
      { id: 1, t: 'Lost: Bim', x: 'a' },
      { id: 2, t: { ru: 'Найдена' }, x: 'b' },
    ];
    const { items } = await lookAt(JSON.stringify(answer), {
      map: { item_ref: 'id', title: 't', text: 'x' },
    });
    expect(items.map(({ itemRef, post: { title, text } }) => [itemRef, title, text])).toEqual([
      ['2', undefined, 'b'],
      ['1', 'Lost: Bim', 'a'],
    ]);
  });

  it('is named by what it says if it has no name, the same at every look', async () => {
    const answer = JSON.stringify([{ id: 1, t: 'a' }, { t: 'b' }]);
    const keys = { map: { item_ref: 'id', title: 't' } };
    const refs = [await lookAt(answer, keys), await lookAt(answer, keys)].map(({ items }) =>
      items.map(({ itemRef }) => itemRef),
    );
    expect(refs[0]).toEqual([expect.stringMatching(/^sha256:[0-9a-f]{64}$/), '1']);
    expect(refs[1]).toEqual(refs[0]);
  });
});

describe('an answer that is no JSON', () => {
  it.each([
    ['a page', '<html>Log in</html>', 'a page instead of JSON'],
    ['half a text', '[{"id": 1}, {"id"', 'JSON that breaks off'],
    ['bytes', '\u{FFFD}', 'JSON that breaks off'],
    [
      'a deep one',
      `${'['.repeat(100_000)}1234567890123456${']'.repeat(100_000)}`,
      'nested too deeply',
    ],
  ])('is told in words: %s', async (_title, answer, words) => {
    const { error } = await lookAt(answer, { map: { item_ref: 'id' } });
    expect(error?.message).toContain(words);
  });
});

describe('pages', () => {
  it('are asked for with the parameters of the API', async () => {
    const { asked } = await lookAt(
      (url) => (url.includes('p=3') ? [{ id: url }] : [{ id: url }, { id: `${url}b` }]),
      {
        map: { item_ref: 'id' },
        paging: { by: 'page', param: 'p', size: 2, size_param: 'per_page' },
      },
    );
    expect(asked).toEqual([1, 2, 3].map((page) => `/posts?lang=en&per_page=2&p=${page}`));
  });

  it('are no more than one look may read, and end when an API goes round in circles', async () => {
    const endless = await lookAt((url) => [{ id: url }], {
      map: { item_ref: 'id' },
      paging: { by: 'page', size: 1 },
      max_pages: 4,
    });
    expect(endless.asked).toHaveLength(4);
    const circle = await lookAt(() => ({ items: [{ id: 1 }], next: 'again' }), {
      items: 'items',
      map: { item_ref: 'id' },
      paging: { by: 'cursor', next: 'next' },
      order: 'oldest_first',
    });
    expect(circle).toMatchObject({ hasMore: false, items: [{ itemRef: '1' }] });
    expect(circle.asked).toHaveLength(2);
  });

  it.each([0, '0'])('end where an API says so by the cursor %j', async (end) => {
    for (const order of ['newest_first', 'oldest_first']) {
      const { asked, error, cursor } = await lookAt(
        (url) =>
          url.includes('cursor=b')
            ? { items: [{ id: 2 }], next: end }
            : { items: [{ id: 1 }], next: 'b' },
        { items: 'items', map: { item_ref: 'id' }, paging: { by: 'cursor', next: 'next' }, order },
      );
      expect(error).toBeUndefined();
      expect(asked).toEqual(['/posts?lang=en', '/posts?lang=en&cursor=b']);
      const place = order === 'oldest_first' ? { place: 'b' } : {};
      expect(cursor).toEqual({ seen: expect.any(String), ...place });
    }
  });

  it('of another host are not asked, and a secret is not in the cursor', async () => {
    const auth = { query: 'key', ref: 'env:SECRET' };
    const paging = { by: 'link', next: 'next' };
    const keys = { items: 'items', map: { item_ref: 'id' }, auth, paging, order: 'oldest_first' };
    const elsewhere = await lookAt(
      () => ({ items: [{ id: 1 }], next: 'https://evil.example/' }),
      keys,
    );
    expect(elsewhere.error?.message).toContain('not on the host of url');
    const { asked, cursor } = await lookAt(
      (url) => ({ items: [{ id: url }], ...(url.includes('n=2') ? {} : { next: `${url}&n=2` }) }),
      keys,
      { limit: 1 },
    );
    expect(asked).toEqual([`/posts?lang=en&key=${secret}`]);
    expect(JSON.stringify(cursor)).toContain('n=2');
    expect(JSON.stringify(cursor)).not.toContain(secret);
  });

  it('that the cursor names go with the host of url: after a move the list is read from its beginning', async () => {
    const keys = {
      items: 'items',
      map: { item_ref: 'id' },
      auth: { header: 'X-Key', ref: 'env:SECRET' },
      paging: { by: 'link', next: 'next' },
      order: 'oldest_first',
    };
    await using old = await startOrigin();
    for (const place of [`${old.url}/posts?page=3`, 'no address']) {
      const { asked, items } = await lookAt(() => ({ items: [{ id: 1 }] }), keys, {
        cursor: { place, etag: '"of the old place"' },
      });
      expect(asked).toEqual(['/posts?lang=en']);
      expect(items).toHaveLength(1);
    }
    expect(old.asked).toEqual([]);
  });
});

describe('the keys of an api source', () => {
  const sound = { url: 'https://example.org/', map: { item_ref: 'id' } };

  it.each<[string, Record<string, unknown>, string]>([
    ['an unknown key', { itmes: 'data' }, 'itmes'],
    ['a path that cannot be read', { items: 'data..posts' }, 'from character 5 on'],
    ['a path that begins with a dot', { items: '.data' }, 'from character 1 on'],
    ['a secret in a header', { headers: { Authorization: 'Bearer x' } }, 'auth names where it is'],
    ['a password in the address', { url: 'https://a:b@example.org/' }, 'user or a password'],
    ['another method', { method: 'POST' }, 'method'],
    ['another way of paging', { paging: { by: 'pages' } }, 'must be page, offset, cursor or link'],
  ])('are refused by name: %s', (_title, changes, words) => {
    const parsed = api.keys.safeParse({ ...sound, ...changes });
    expect(JSON.stringify(parsed.error?.issues)).toContain(words);
  });
});
