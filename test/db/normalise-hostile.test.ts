import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';

// Whoever knows an endpoint's secret can send anything.

const database = await useDatabase();

/** What is wrong with a post that comes as the text of JSON. */
async function faultOf(json: string): Promise<string | null> {
  const row = z.object({ fault: z.string().nullable() });
  const sql = 'select outrider.payload_fault($1::jsonb) as fault';
  return (await queryRow(database.admin, row, sql, [json])).fault;
}

const unknownPart = (key: string): string =>
  `a post cannot have "${key}", only buttons, disable_preview, fields, links, media, parse_mode, scheduled_for, source, source_ref, tags, text, title, trace_id, url, workspace_id`;
const nested = (depth: number, open = '[', close = ']', inside = ''): string =>
  open.repeat(depth) + inside + close.repeat(depth);

describe('JSON that PostgreSQL does not take', () => {
  it.each([
    ['a null character', String.raw`{"text": "a\u0000b"}`, '22P05'],
    ['a null character in a key', String.raw`{"a\u0000": 1}`, '22P05'],
    ['half of a surrogate pair', String.raw`{"text": "\ud83d"}`, '22P02'],
    ['the other half', String.raw`{"text": "\udc15 dog"}`, '22P02'],
    ['two first halves', String.raw`{"text": "\ud83d\ud83d"}`, '22P02'],
    ['a number beyond all numbers', '{"fields": {"a": 1e999999}}', '22003'],
    ['an end that is missing', '{"text": "Lost"', '22P02'],
    ['100,000 levels', `{"source": {"a": ${nested(100_000)}}}`, '54001'],
  ])('is refused before us: %s', async (_, json, code) => {
    await expect(faultOf(json)).rejects.toMatchObject({ code });
  });
});

describe('JSON that it takes', () => {
  const tooLongSource = 'source has more than 8192 bytes as JSON, which is the limit';
  const tooLongNumber =
    'source holds a number with more than 100 digits before or after its point, which is the limit';
  const cases: readonly (readonly [title: string, json: string, fault: string | null])[] = [
    [
      '1 MB of text',
      `{"text": "${'x'.repeat(2 ** 20)}"}`,
      'text has 1048576 characters; the limit is 65536',
    ],
    [
      '10,000 tags',
      `{"text": "a", "tags": [${'"a",'.repeat(9999)}"a"]}`,
      'tags has 10000 entries; the limit is 100',
    ],
    [
      '10,000 fields',
      `{"text": "a", "fields": {${Array.from({ length: 10_000 }, (_, n) => `"f${n}": 1`).join()}}}`,
      'fields has 10000 entries; the limit is 100',
    ],
    [
      '100,000 media',
      `{"media": [${'1,'.repeat(99_999)}1]}`,
      'media has 100000 entries; the limit is 100',
    ],
    ['5,000 levels as a text', `{"text": ${nested(5000)}}`, 'text must be a string, not an array'],
    [
      '5,000 levels in a field',
      `{"text": "a", "fields": {"a": ${nested(5000)}}}`,
      'fields.a must be a string, a number, a boolean or null, not an array',
    ],
    [
      '5,000 levels in the source',
      `{"text": "a", "source": ${nested(5000, '{"a":', '}', '1')}}`,
      tooLongSource,
    ],
    [
      '2,000 levels in the source',
      `{"text": "a", "source": {"a": ${nested(2000)}}}`,
      'source is nested more than 32 levels deep, which is the limit',
    ],
    ['5,000 levels of a workspace_id', `{"text": "a", "workspace_id": ${nested(5000)}}`, null],
    ['5,000 levels of an unknown part', `{"text": "a", "b": ${nested(5000)}}`, unknownPart('b')],
    [
      'a field of 100,001 digits',
      '{"text": "a", "fields": {"a": 1e100000}}',
      'fields.a has 100001 characters; the limit is 4096',
    ],
    [
      'a field of 10,000 decimals',
      '{"text": "a", "fields": {"a": 1e-10000}}',
      'fields.a has 10002 characters; the limit is 4096',
    ],
    // Gigabytes, were they written out.
    [
      'a source of numbers with 131,072 digits',
      `{"text": "a", "source": {"a": [${'1e131071,'.repeat(2000)}1]}}`,
      tooLongNumber,
    ],
    [
      'a source of numbers with 16,383 decimals',
      `{"text": "a", "source": {"a": [${'0e-16383,'.repeat(2000)}1]}}`,
      tooLongNumber,
    ],
    [
      'a source of ten thousand such numbers',
      `{"text": "a", "source": {"a": [${'1e131071,'.repeat(10_000)}1]}}`,
      tooLongSource,
    ],
    [
      'a workspace_id of ten thousand such numbers',
      `{"text": "a", "workspace_id": [${'1e131071,'.repeat(10_000)}1]}`,
      null,
    ],
    ['a key of 1 MB', `{"${'k'.repeat(2 ** 20)}": 1}`, unknownPart(`${'k'.repeat(60)}…`)],
  ];

  it.each(cases)('is judged in a moment: %s', async (_, json, fault) => {
    const client = await database.admin.connect();
    try {
      await client.query("set statement_timeout = '5s'");
      const answer = client.query('select outrider.payload_fault($1::jsonb) as fault', [json]);
      await expect(answer).resolves.toMatchObject({ rows: [{ fault }] });
    } finally {
      client.release(true);
    }
  });

  it('never makes the judge fail, and makes a message whenever he finds no fault', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(anything, almostPost), async (value) => {
        const row = z.object({ fine: z.boolean() });
        const sql = `select case when outrider.payload_fault($1) is null
          then payload ->> 'type' in ('text', 'media') and cardinality(outrider.message_tags(payload, $1::jsonb -> 'tags')) <= 200
            and outrider.content_hash(payload) ~ '^[0-9a-f]{64}$'
          else true end as fine
          from (select case when outrider.payload_fault($1) is null then outrider.normalize_payload($1) end) as n (payload)`;
        const found = await queryRow(database.admin, row, sql, [JSON.stringify(value)]);
        expect(found).toEqual({ fine: true });
      }),
      { numRuns: 400 },
    );
  });
});

describe('the whole of a post', () => {
  /** A post of an exact number of bytes as PostgreSQL writes it, and what more it is to have. */
  async function postOf(bytes: number, more: object = {}): Promise<string> {
    const caption = 'я'.repeat(4096);
    const media = Array.from({ length: 100 }, () => ({ type: 'file', blob_ref: 'b', caption }));
    const text = 'я'.repeat(65_536);
    const long = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`f${n}`, caption]));
    const filled = (a: string): object => ({ text, media, fields: { a, ...long } });
    const { left } = await queryRow(
      database.admin,
      z.object({ left: z.number() }),
      'select $1 - octet_length($2::jsonb::text) as left',
      [bytes, JSON.stringify(filled(''))],
    );
    return JSON.stringify({ ...filled('x'.repeat(left)), ...more });
  }

  it('has at most 1 MiB as JSON', async () => {
    expect(await faultOf(await postOf(1_048_576))).toBeNull();
    const fault = 'a post has at most 1048576 bytes as JSON; this one has 1048577';
    expect(await faultOf(await postOf(1_048_577))).toBe(fault);
  });

  it('does not include the workspace_id, which is ignored', async () => {
    expect(await faultOf(await postOf(1_048_576, { workspace_id: 'w'.repeat(1000) }))).toBeNull();
  });
});

/** JSON of any kind, without the character that jsonb refuses. */
const anything: fc.Arbitrary<unknown> = fc
  .json({ maxDepth: 4, stringUnit: 'binary' })
  .map((json): unknown => z.unknown().parse(JSON.parse(json.replaceAll(String.raw`\u0000`, ''))));
const almostPost = fc.dictionary(
  fc.constantFrom(
    'text',
    'title',
    'url',
    'links',
    'media',
    'buttons',
    'fields',
    'tags',
    'source',
    'scheduled_for',
    'parse_mode',
    'disable_preview',
    'workspace_id',
  ),
  fc.oneof(
    anything,
    fc.constantFrom(
      'https://a.example/',
      [],
      {},
      [{}],
      [[{}]],
      [{ type: 'image', url: 'https://A.example' }],
      [[{ text: 'a', url: 'https://A.example' }]],
      'HTML',
      true,
      null,
    ),
  ),
  { maxKeys: 5 },
);
