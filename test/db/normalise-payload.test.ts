import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { rawPost } from '../support/posts/random-posts.ts';

const database = await useDatabase();

async function normalise(raw: unknown): Promise<unknown> {
  const row = z.object({ payload: z.unknown() });
  const sql = 'select outrider.normalize_payload($1) as payload';
  return (await queryRow(database.admin, row, sql, [JSON.stringify(raw)])).payload;
}

const text = { text: 'Lost' };
const normal = { type: 'text', text: 'Lost' };

const cases: readonly (readonly [title: string, raw: unknown, payload: unknown])[] = [
  [
    'has normal texts',
    { text: ' a  b\r\n', title: '\tT\u00a0 ' },
    { type: 'text', text: 'a b', title: 'T' },
  ],
  ['has no empty text', { text: ' ', title: 'T' }, { type: 'text', title: 'T' }],
  ['has no empty title', { ...text, title: '\n' }, normal],
  ['has HTML marked', { ...text, parse_mode: 'HTML' }, { ...normal, parse_mode: 'HTML' }],
  [
    'has Markdown marked',
    { ...text, parse_mode: 'Markdown' },
    { ...normal, parse_mode: 'Markdown' },
  ],
  ['has no mark for plain text', { ...text, parse_mode: 'None' }, normal],
  [
    'has disable_preview only when it is on',
    { ...text, disable_preview: true },
    { ...normal, disable_preview: true },
  ],
  ['has no disable_preview when it is off', { ...text, disable_preview: false }, normal],
  [
    'has its url as a link',
    { url: 'HTTPS://A.example' },
    { type: 'text', links: ['https://a.example/'] },
  ],
  [
    'has its url before its other links, and none twice in any spelling',
    {
      url: 'https://c.example/',
      links: [
        'https://B.example',
        'https://c.example:443',
        'https://a.example',
        'https://b.example/',
      ],
    },
    { type: 'text', links: ['https://c.example/', 'https://b.example/', 'https://a.example/'] },
  ],
  ['has no empty lists', { ...text, links: [], media: [], buttons: [], fields: {} }, normal],
  [
    'has nothing that says how or when the post came',
    {
      ...text,
      tags: ['a'],
      source: { a: 1 },
      source_ref: 'r',
      scheduled_for: '2026-03-02T10:00:00Z',
      trace_id: 't',
      workspace_id: 'w',
    },
    normal,
  ],
  [
    'has no nulls',
    {
      ...text,
      title: null,
      url: null,
      links: null,
      media: null,
      buttons: null,
      fields: null,
      disable_preview: null,
      parse_mode: null,
    },
    normal,
  ],
  [
    'has its media in their order, by the names of their types',
    {
      media: ['video', 'photo', 'document', 'gif', 'audio', 'image', 'file', 'animation'].map(
        (type, n) => ({ type, blob_ref: `B ${n}` }),
      ),
    },
    {
      type: 'media',
      media: ['video', 'image', 'file', 'animation', 'audio', 'image', 'file', 'animation'].map(
        (type, n) => ({ type, blob_ref: `B ${n}` }),
      ),
    },
  ],
  [
    'has normal captions and file names and canonical addresses of media',
    {
      ...text,
      media: [
        { type: 'file', url: 'HTTPS://A.example/%7e', caption: ' a  b ', filename: ' a  b.pdf' },
        { type: 'image', url: null, blob_ref: 'b', caption: ' ', filename: '' },
      ],
    },
    {
      ...normal,
      type: 'media',
      media: [
        { type: 'file', url: 'https://a.example/~', caption: 'a b', filename: 'a b.pdf' },
        { type: 'image', blob_ref: 'b' },
      ],
    },
  ],
  [
    'has its buttons in their rows',
    {
      ...text,
      buttons: [
        [
          { text: ' B ', url: 'https://B.example' },
          { text: 'A', url: 'https://a.example/' },
        ],
        [{ text: ' C', payload: ' C ' }],
      ],
    },
    {
      ...normal,
      buttons: [
        [
          { text: 'B', url: 'https://b.example/' },
          { text: 'A', url: 'https://a.example/' },
        ],
        [{ text: 'C', payload: ' C ' }],
      ],
    },
  ],
  [
    'has fields that are strings',
    {
      ...text,
      fields: {
        s: ' a  b ',
        e: '',
        t: true,
        f: false,
        n: null,
        i: 100,
        d: 1.5,
        z: 0,
        m: -7,
        b: 1e21,
        w: 2.5e-7,
      },
    },
    {
      ...normal,
      fields: {
        s: 'a b',
        e: '',
        t: 'true',
        f: 'false',
        i: '100',
        d: '1.5',
        z: '0',
        m: '-7',
        b: '1000000000000000000000',
        w: '0.00000025',
      },
    },
  ],
  ['has no fields when all are null', { ...text, fields: { a: null } }, normal],
];

describe('a payload', () => {
  it.each(cases)('%s', async (_, raw, payload) => {
    expect(await normalise(raw)).toEqual(payload);
  });

  it('has numbers without needless zeros', async () => {
    const row = z.object({ payload: z.unknown() });
    const sql = 'select outrider.normalize_payload($1::jsonb) as payload';
    const raw =
      '{"text": "Lost", "fields": {"a": 1.500, "b": 2.0, "c": 1e3, "d": 0.00, "e": -0.10, "f": 100}}';
    expect(await queryRow(database.admin, row, sql, [raw])).toEqual({
      payload: { ...normal, fields: { a: '1.5', b: '2', c: '1000', d: '0', e: '-0.1', f: '100' } },
    });
  });

  it('normalised twice is the same as normalised once', async () => {
    await fc.assert(
      fc.asyncProperty(rawPost, async (raw) => {
        const once = await normalise(raw);
        expect(await normalise(once)).toEqual(once);
      }),
      { numRuns: 400 },
    );
  });

  it('has nothing empty in it', async () => {
    const empty = (value: unknown): boolean =>
      value === null ||
      (typeof value === 'object' &&
        (Object.keys(value).length === 0 || Object.values(value).some(empty)));
    await fc.assert(
      fc.asyncProperty(rawPost, async (raw) => {
        expect(empty(await normalise(raw))).toBe(false);
      }),
      { numRuns: 300 },
    );
  });
});
