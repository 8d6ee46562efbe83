import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

type Rule = 'include_any' | 'include_all' | 'exclude';
type Filter = Partial<Record<Rule, readonly string[]>>;

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
});

const asJson = (value: unknown): string | null => (value === null ? null : JSON.stringify(value));

async function whyNotRouted(
  tags: readonly string[] | null,
  filter: Filter | null,
): Promise<string | null> {
  const { why } = await queryRow(
    database.admin,
    z.object({ why: z.string().nullable() }),
    'select outrider.excluding_rule($1, $2) as why',
    [tags, asJson(filter)],
  );
  return why;
}

const contract: readonly (readonly [
  claim: string,
  filter: Filter | null,
  tags: readonly string[] | null,
  keptOutBy: Rule | null,
])[] = [
  ['no filter takes a message with tags', null, ['news'], null],
  ['no filter takes a message with an empty list of tags', null, [], null],
  ['no filter takes a message without tags', null, null, null],
  ['a filter without rules takes a message with tags', {}, ['news'], null],
  ['a filter without rules takes a message without tags', {}, null, null],

  ['include_any takes a message with one of its tags', { include_any: ['ru', 'en'] }, ['en'], null],
  [
    'include_any takes a message with all of its tags',
    { include_any: ['a', 'b'] },
    ['b', 'a'],
    null,
  ],
  ['include_any keeps out what has none of them', { include_any: ['a'] }, ['b'], 'include_any'],
  ['include_any keeps out an empty list of tags', { include_any: ['a'] }, [], 'include_any'],
  ['include_any keeps out a message without tags', { include_any: ['a'] }, null, 'include_any'],
  ['an empty include_any is as if absent', { include_any: [] }, ['a'], null],
  ['an empty include_any takes a message without tags', { include_any: [] }, null, null],

  [
    'include_all takes a message with all of its tags',
    { include_all: ['a', 'b'] },
    ['b', 'c', 'a'],
    null,
  ],
  ['include_all keeps out what lacks one', { include_all: ['a', 'b'] }, ['a', 'c'], 'include_all'],
  ['include_all keeps out an empty list of tags', { include_all: ['a'] }, [], 'include_all'],
  ['include_all keeps out a message without tags', { include_all: ['a'] }, null, 'include_all'],
  ['include_all does not mind a tag named twice', { include_all: ['a', 'a'] }, ['a'], null],
  ['an empty include_all is as if absent', { include_all: [] }, ['a'], null],
  ['an empty include_all takes a message without tags', { include_all: [] }, null, null],

  ['exclude keeps out what has one of its tags', { exclude: ['a', 'b'] }, ['c', 'b'], 'exclude'],
  ['exclude takes what has none of them', { exclude: ['a', 'b'] }, ['c'], null],
  ['exclude takes an empty list of tags', { exclude: ['a'] }, [], null],
  ['exclude takes a message without tags', { exclude: ['a'] }, null, null],
  ['an empty exclude is as if absent', { exclude: [] }, ['a'], null],

  [
    'a message has to pass all three rules',
    { include_any: ['crypto', 'ru'], include_all: ['listing'], exclude: ['nsfw'] },
    ['listing', 'ru'],
    null,
  ],
  [
    'include_any is named before include_all',
    { include_any: ['a'], include_all: ['b'], exclude: ['c'] },
    ['c'],
    'include_any',
  ],
  [
    'include_all is named before exclude',
    { include_any: ['a'], include_all: ['b'], exclude: ['c'] },
    ['a', 'c'],
    'include_all',
  ],
  [
    'exclude outweighs the includes',
    { include_any: ['a'], include_all: ['b'], exclude: ['c'] },
    ['a', 'b', 'c'],
    'exclude',
  ],
  ['one rule does not ask for the others', { include_any: [], exclude: ['b'] }, ['a'], null],
  [
    'tags are whole words',
    { include_any: ['lost'], exclude: ['lostpets'] },
    ['lost pets'],
    'include_any',
  ],
  ['tags are of any script', { include_any: ['пропала собака', '🐕'] }, ['🐕'], null],
  [
    'tags may hold quotes and braces',
    { include_all: ['"a"', '{b,c}', '\\'] },
    ['{b,c}', '\\', '"a"'],
    null,
  ],
];

describe('routing', () => {
  it.each(contract)('%s: %j × %j → %s', async (_claim, filter, tags, keptOutBy) => {
    expect(await whyNotRouted(tags, filter)).toBe(keptOutBy);
  });

  it('is an expression that stands in the plan itself, not a call for each channel', async () => {
    const plan = await queryRows(
      database.admin,
      z.object({ 'QUERY PLAN': z.string() }),
      `explain (verbose, costs off)
       select c.channel_id from outrider.channels c where outrider.excluding_rule('{a}', c.route_filter) is null`,
    );
    const text = plan.map((line) => line['QUERY PLAN']).join('\n');
    expect(text).toContain('include_any');
    expect(text).not.toContain('excluding_rule');
  });
});

/** The contract once more, rule by rule. */
function oracle(tags: readonly string[] | null, filter: Filter | null): Rule | null {
  const has = new Set(tags);
  const any = filter?.include_any ?? [];
  const all = filter?.include_all ?? [];
  const none = filter?.exclude ?? [];
  if (any.length > 0 && !any.some((tag) => has.has(tag))) return 'include_any';
  if (!all.every((tag) => has.has(tag))) return 'include_all';
  if (none.some((tag) => has.has(tag))) return 'exclude';
  return null;
}

describe('a thousand channels', () => {
  const word = fc.constantFrom('a', 'b', 'c', 'd', 'ru', 'lost', 'lost pets', 'собака', '"', '{}');
  const words = (maxLength: number): fc.Arbitrary<string[]> => fc.array(word, { maxLength });
  const filter: fc.Arbitrary<Filter | null> = fc.option(
    fc.record(
      { include_any: words(4), include_all: words(2), exclude: words(2) },
      { requiredKeys: [] },
    ),
    { freq: 20 },
  );
  const tagsOfMessage = fc.option(words(6), { freq: 20 });

  it('take of a thousand messages what a plain reading of the contract gives them', async () => {
    const filters = fc.sample(filter, { numRuns: 1000, seed: 7 });
    const messages = fc.sample(tagsOfMessage, { numRuns: 1000, seed: 11 });
    await database.admin.query(
      `insert into outrider.channels
         (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, route_filter, created_at, updated_at)
       select 'w', f.n, 'telegram', f.n, 'bot', 'bot', nullif(f.filter, 'null'), $2, $2
       from jsonb_array_elements($1) with ordinality as f (filter, n)`,
      [JSON.stringify(filters), start],
    );
    const found = await queryRows(
      database.admin,
      z.object({ verdicts: z.string() }),
      `with messages as materialized (
         select t.n, case when t.tags <> 'null' then array(select jsonb_array_elements_text(t.tags)) end as tags
         from jsonb_array_elements($1) with ordinality as t (tags, n)
       )
       select string_agg(coalesce(outrider.excluding_rule(m.tags, c.route_filter), '-'), ' ' order by m.n) as verdicts
       from outrider.channels c
       cross join messages m
       where c.workspace_id = 'w'
       group by c.channel_id
       order by c.channel_id::integer`,
      [JSON.stringify(messages)],
    );
    const expected = filters.map((each) => messages.map((tags) => oracle(tags, each) ?? '-'));
    expect(found.map((row) => row.verdicts)).toEqual(expected.map((row) => row.join(' ')));
    expect(new Set(expected.flat()).size).toBe(4);
  });
});

describe('a channel’s filter', () => {
  let count = 0;
  async function add(filter: string | null): Promise<void> {
    count += 1;
    await addChannel(database.admin, 'w', `filter-${count}`, { route_filter: filter });
  }

  it.each([
    null,
    '{}',
    '{"include_any": []}',
    '{"include_any": ["crypto", "ru"], "include_all": ["listing"], "exclude": ["nsfw"]}',
    '{"exclude": ["пропала собака", "a\\nb", "\\u001f", "{x}", "🐕", "0"]}',
  ])('may be %s', async (filter) => {
    await expect(add(filter)).resolves.toBeUndefined();
  });

  it.each([
    'null',
    '[]',
    '"include_any"',
    '7',
    '{"include": ["a"]}',
    '{"include_any": ["a"], "tags": []}',
    '{"Exclude": ["a"]}',
    '{"exclude\\n": ["a"]}',
    '{"": []}',
    '{"include_any": ["Crypto"]}',
    '{"exclude": ["СОБАКА"]}',
    '{"include_any": "a"}',
    '{"include_any": null}',
    '{"include_any": {"a": "b"}}',
    '{"include_any": 7}',
    '{"include_all": [7]}',
    '{"include_all": ["a", null]}',
    '{"include_all": [true]}',
    '{"exclude": [["a"]]}',
    '{"exclude": [{"a": "b"}]}',
  ])('may not be %s', async (filter) => {
    await expect(add(filter)).rejects.toMatchObject({
      code: '23514',
      constraint: 'route_filter_holds_lists_of_lower_case_tags',
    });
  });
});
