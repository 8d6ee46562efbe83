import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRows } from '../../src/db/query-rows.ts';
import { maskText } from '../../src/masking.ts';
import { db } from '../../src/pull/kinds/db.ts';
import type { Look } from '../../src/pull/source.ts';
import { SourceError } from '../../src/pull/source-error.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { firstLook, means } from '../support/pull/source-means.ts';

const database = await useDatabase();

beforeEach(async () => {
  await database.admin.query('drop table if exists public.ads');
  await database.admin.query(
    `create table public.ads (id bigint, at timestamptz, head text, body text, page text, pictures text[], price numeric, extra jsonb)`,
  );
});

async function lookInto(
  keys: Record<string, unknown>,
  look: Partial<Look> = {},
  url = database.url,
) {
  const config = db.keys.parse({ secret_ref: 'env:SOURCE', key: ['id'], ...keys });
  const source = db.open(config, means({ SOURCE: url }));
  try {
    return { ...(await source.look(firstLook(look))), error: undefined };
  } catch (error) {
    if (error instanceof SourceError) return { items: [], cursor: {}, hasMore: false, error };
    throw error;
  } finally {
    await source.close();
  }
}

describe('a row', () => {
  it('becomes a post by the names of its columns', async () => {
    await database.admin.query(
      `insert into public.ads values (9007199254740993, '2026-03-02 10:00:00.000001+00', 'Lost', '<p>A <b>dog</b></p>',
         'https://example.org/1', '{https://example.org/1.jpg,https://example.org/2}', 1.50, '{"a": 1}')`,
    );
    const query = `select id, at as date, head as title, body as html, page as url, pictures as media, price, extra,
      array['lost', 'dog'] as tags from public.ads;`;
    const { items, cursor } = await lookInto({ query });
    expect(items).toEqual([
      {
        itemRef: '9007199254740993',
        post: {
          title: 'Lost',
          text: 'A <b>dog</b>',
          parse_mode: 'HTML',
          url: 'https://example.org/1',
          media: [
            { type: 'image', url: 'https://example.org/1.jpg' },
            { type: 'image', url: 'https://example.org/2' },
          ],
          tags: ['lost', 'dog'],
          fields: { published: '2026-03-02T10:00:00.000Z', id: '9007199254740993', price: '1.50' },
          source_ref: '9007199254740993',
        },
      },
    ]);
    expect(cursor).toEqual({ key: ['9007199254740993'], columns: ['id'] });
  });

  it('becomes a post by map', async () => {
    await database.admin.query(`insert into public.ads (id, head, body) values (1, 'a/b', 'Text')`);
    const { items } = await lookInto({
      query: 'select id, head, body, 5 as five from public.ads',
      key: ['head', 'id'],
      map: { text: 'body', title: 'head', fields: { number: 'five' } },
    });
    const itemRef = 'a%2Fb/1';
    const post = { title: 'a/b', text: 'Text', fields: { number: 5 }, source_ref: itemRef };
    expect(items).toEqual([{ itemRef, post }]);
  });

  it('comes in the order of the key, whatever its types, and once', async () => {
    await database.admin.query(
      `insert into public.ads (id, at, head)
       select n, '2026-03-02'::timestamptz + (n / 3) * interval '1 microsecond', n::text from generate_series(0, 19) n`,
    );
    const keys = { query: 'select id, at, head as title from public.ads', key: ['at', 'id'] };
    const titles: unknown[] = [];
    let chunk = await lookInto(keys, { limit: 7 });
    for (; chunk.hasMore; chunk = await lookInto(keys, { limit: 7, cursor: chunk.cursor })) {
      titles.push(...chunk.items.map(({ post }) => post.title));
    }
    titles.push(...chunk.items.map(({ post }) => post.title));
    expect(titles).toEqual(Array.from({ length: 20 }, (_, n) => `${n}`));
  });
});

describe('a query', () => {
  it('changes nothing, however it is written', async () => {
    await database.admin.query('create sequence if not exists public.turns');
    const writing = [
      `with gone as (delete from public.ads returning *) select * from gone`,
      `select 1 as id) as source; drop table public.ads; --`,
      `select nextval('public.turns') as id`,
      `select 1 as id); commit; drop table public.ads`,
    ];
    for (const query of writing)
      expect((await lookInto({ query })).error).toBeInstanceOf(SourceError);
    expect(await queryRows(database.admin, z.unknown(), 'select from public.ads')).toEqual([]);
  });

  it('that takes too long is given up', async () => {
    const { error } = await lookInto({
      query: 'select 1 as id, pg_sleep(30) as text',
      timeout_seconds: 5, // the connection has no more
    });
    expect(error?.message).toContain('statement timeout');
    expect(error?.hint).toContain('timeout_seconds');
  });

  it('leaves no connection behind', async () => {
    await lookInto({ query: 'select * from public.ads' });
    await lookInto({ query: 'select nothing' });
    const open = () =>
      queryRows(
        database.admin,
        z.unknown(),
        `select from pg_stat_activity where application_name = 'outrider pull' and datname = $1`,
        [database.name],
      );
    await expect.poll(open).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, string, string]>([
    [
      'a table that is missing',
      { query: 'select 1 as id from nowhere' },
      'relation "nowhere" does not exist',
      'correct query',
    ],
    ['what is no select', { query: 'hello' }, 'syntax error', 'one select'],
    [
      'a key that is no column',
      { query: 'select 1 as ref' },
      'source.id does not exist',
      'query, key or map',
    ],
    [
      'a column of map that is missing',
      { query: 'select 1 as id', map: { title: 'head' } },
      'no column head',
      'its columns are id',
    ],
  ])('is told what is wrong: %s', async (_title, keys, words, hint) => {
    const { error } = await lookInto(keys);
    expect(error?.message).toContain(words);
    expect(error?.hint).toContain(hint);
  });
});

describe('the query of a db source', () => {
  const faultOf = (query: string): string =>
    JSON.stringify(db.keys.safeParse({ secret_ref: 'env:SOURCE', key: ['id'], query }).error ?? '');

  it.each([
    ['select id from ads where id > $1', 'must not hold parameters'],
    ['select id from ads order by id limit 100;', 'must not end with a limit'],
    ['select id from ads limit 5 offset 10 -- newest', 'must not end with a limit'],
    ['select id from ads\nfetch first 10 rows only', 'must not end with a limit'],
    [' ; -- later', 'is empty'],
  ])('is refused where rows would be skipped: %s', (query, words) => {
    expect(faultOf(query)).toContain(words);
  });

  it.each([
    "select id, '$1' as price, 'limit 5' as text from ads",
    'select id, $a$ costs $1 $a$ as text, $$limit 5$$ as html from ads',
    'select a.id, b.text from ads a cross join lateral (select text from pages limit 1) b',
    'select id, 5 as limit from ads /* $1 */ -- limit 5',
  ])(
    'may hold in a text, a comment or a part of its own what it may not hold itself: %s',
    (query) => {
      expect(faultOf(query)).toBe('""');
    },
  );
});

describe('the address of the database', () => {
  it('is never told', async () => {
    const { host } = new URL(database.url);
    const wrong = `postgresql://nobody:very-secret@${host}/nowhere`;
    const { error } = await lookInto({ query: 'select 1 as id' }, {}, wrong);
    expect(error).toBeInstanceOf(SourceError);
    expect(`${error?.message} ${error?.hint}`).not.toMatch(/very-secret|DATABASE_URL/);
    const odd = await lookInto({ query: 'select 1 as id' }, {}, 'very-secret');
    expect(odd.error?.message).toBe('the secret of the source is not a postgresql:// address');
    // The form that it tells is no secret, so it is shown where secrets are masked.
    expect(maskText(odd.error?.hint ?? '')).toBe(
      'postgresql://<user>:<password>@host:5432/database',
    );
  });
});

describe('a key', () => {
  const query = 'select id, head as title from public.ads';

  it.each([1, 2, 10])('that several rows share is refused, with %i rows at once', async (limit) => {
    await database.admin.query(
      `insert into public.ads (id, head) values (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd')`,
    );
    const first = await lookInto({ query }, { limit });
    const { error } = limit === 1 ? await lookInto({ query }, { ...first, limit }) : first;
    expect(error?.message).toBe('the key is not unique: several rows have the same id');
  });

  it('that is null is refused, at the first look and later', async () => {
    await database.admin.query(`insert into public.ads (id, head) values (null, 'a')`);
    const words = 'a row has null in its key (id)';
    expect((await lookInto({ query })).error?.message).toBe(words);
    await database.admin.query(`insert into public.ads (id, head) values (1, 'a')`);
    const cursor = { key: ['0'], columns: ['id'] };
    expect((await lookInto({ query }, { cursor })).error?.message).toBe(words);
  });
});
