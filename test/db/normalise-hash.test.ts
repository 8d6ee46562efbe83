import fc from 'fast-check';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { contentHash } from '../support/oracles/content-hash.ts';
import { rawPost } from '../support/posts/random-posts.ts';

const database = await useDatabase();

const hashed = z.object({ payload: z.record(z.string(), z.unknown()), hash: z.string() });

/** The payload of a post that comes as the text of JSON, and its hash. */
async function hashOfText(json: string): Promise<z.output<typeof hashed>> {
  const sql = `select p.payload, outrider.content_hash(p.payload) as hash
    from outrider.normalize_payload($1::jsonb) as p (payload)`;
  return queryRow(database.admin, hashed, sql, [json]);
}

async function hashOf(raw: unknown): Promise<string> {
  return (await hashOfText(JSON.stringify(raw))).hash;
}

/** A media item without its file name. */
const counted = z
  .object({ type: z.string(), url: z.string(), blob_ref: z.string(), caption: z.string() })
  .partial();

const image = { type: 'image', url: 'https://a.example/1.jpg' };
const video = { type: 'video', blob_ref: 'b' };
const post = {
  text: 'Lost: a ginger dog',
  title: 'Lost',
  links: ['https://a.example/', 'https://b.example/'],
  media: [image, video],
  buttons: [[{ text: 'Call', url: 'https://a.example/' }]],
  fields: { place: 'station', reward: 5000 },
};

describe('the hash of a post', () => {
  const same: readonly (readonly [title: string, raw: unknown])[] = [
    ['white space', { ...post, text: ' Lost:  a ginger\u00a0dog\n' }],
    ['the way that a letter was typed', { ...post, text: 'Lost: a ginger dog'.normalize('NFD') }],
    [
      'the spelling of addresses',
      { ...post, links: ['HTTPS://A.example:443', 'https://b.example/a/..'] },
    ],
    [
      'where the first link stands',
      { ...post, url: 'https://a.example', links: ['https://b.example/'] },
    ],
    ['a link that is there twice', { ...post, links: [...post.links, 'https://A.example'] }],
    [
      'what a file is called',
      {
        ...post,
        media: [
          { ...image, filename: 'a.jpg' },
          { ...video, filename: 'b.mp4' },
        ],
      },
    ],
    ['another name of a type', { ...post, media: [{ ...image, type: 'photo' }, video] }],
    ['a number or its text', { ...post, fields: { reward: '5000', place: ' station' } }],
    [
      'what is absent or null or empty',
      { ...post, parse_mode: 'None', url: null, disable_preview: false },
    ],
    ['its tags', { ...post, tags: ['News'] }],
    [
      'where and when it came from',
      {
        ...post,
        source: { feed: 'a' },
        source_ref: '7',
        trace_id: 't',
        scheduled_for: '2026-03-02T10:00:00Z',
        workspace_id: 'w',
      },
    ],
  ];

  it.each(same)('does not depend on %s', async (_, raw) => {
    expect(await hashOf(raw)).toBe(await hashOf(post));
  });

  const other: readonly (readonly [title: string, raw: unknown])[] = [
    ['its text', { ...post, text: 'Lost: a ginger cat' }],
    ['the case of its text', { ...post, text: 'LOST: a ginger dog' }],
    ['its title', { ...post, title: 'Found' }],
    ['its format', { ...post, parse_mode: 'HTML' }],
    ['its links', { ...post, links: ['https://a.example/'] }],
    ['the order of its links', { ...post, links: post.links.toReversed() }],
    [
      'the parameters of a link',
      { ...post, links: ['https://a.example/?utm_source=a', 'https://b.example/'] },
    ],
    ['the order of its media', { ...post, media: [video, image] }],
    ['how often an image is there', { ...post, media: [image, image, video] }],
    ['the type of its media', { ...post, media: [{ ...image, type: 'file' }, video] }],
    [
      'the address of its media',
      { ...post, media: [{ ...image, url: 'https://a.example/2.jpg' }, video] },
    ],
    ['the blob of its media', { ...post, media: [image, { ...video, blob_ref: 'c' }] }],
    ['a caption', { ...post, media: [{ ...image, caption: 'a' }, video] }],
    ['its buttons', { ...post, buttons: [[{ text: 'Write', url: 'https://a.example/' }]] }],
    ['whether links are previewed', { ...post, disable_preview: true }],
    ['its fields', { ...post, fields: { ...post.fields, reward: 6000 } }],
  ];

  it.each(other)('depends on %s', async (_, raw) => {
    expect(await hashOf(raw)).not.toBe(await hashOf(post));
  });

  it('prefers a blob to an address, which may change while the blob does not', async () => {
    const sql = 'select outrider.content_hash($1) = outrider.content_hash($2) as same';
    const at = (url: string): string =>
      JSON.stringify({ type: 'media', media: [{ type: 'image', blob_ref: 'b', url }] });
    const row = z.object({ same: z.boolean() });
    const values = [at('https://a.example/1'), at('https://a.example/2')];
    expect(await queryRow(database.admin, row, sql, values)).toEqual({ same: true });
  });

  it('is known for one post: a change of it needs a new hash_version', async () => {
    const { payload, hash } = await hashOfText(JSON.stringify(post));
    const row = z.object({ version: z.number() });
    const version = await queryRow(
      database.admin,
      row,
      'select outrider.hash_version() as version',
    );
    expect({ ...version, hash }).toEqual({
      version: 1,
      hash: '49215e867583e9b68abc0c921d305b166f6db684d8609f5b088e09ee194f9ef3',
    });
    expect(contentHash(payload)).toBe(hash);
  });

  it('is the one that plain TypeScript computes', async () => {
    await fc.assert(
      fc.asyncProperty(rawPost, async (raw) => {
        const { payload, hash } = await hashOfText(JSON.stringify(raw));
        expect(contentHash(payload)).toBe(hash);
      }),
      { numRuns: 400 },
    );
  });

  it('does not depend on the order of keys, on spacing or on escapes in the JSON', async () => {
    await fc.assert(
      fc.asyncProperty(rawPost, fc.array(fc.nat(5), { minLength: 30 }), async (raw, rolls) => {
        let roll = 0;
        const { hash } = await hashOfText(written(raw, () => rolls[roll++ % rolls.length] ?? 0));
        expect(hash).toBe(await hashOf(raw));
      }),
      { numRuns: 200 },
    );
  });

  it('does not depend on the way into the database', async () => {
    await fc.assert(
      fc.asyncProperty(rawPost, async (raw) => {
        const json = JSON.stringify(raw);
        const sql = `select outrider.content_hash(outrider.normalize_payload(${pg.escapeLiteral(json)})) as literal,
          outrider.content_hash(outrider.normalize_payload($1)) as parameter,
          outrider.content_hash(outrider.normalize_payload($2::text::jsonb)) as text`;
        const row = z.object({ literal: z.string(), parameter: z.string(), text: z.string() });
        const { literal, parameter, text } = await queryRow(database.admin, row, sql, [raw, json]);
        expect([literal, parameter, text]).toEqual([parameter, parameter, parameter]);
      }),
      { numRuns: 200 },
    );
  });

  it('changes with the order of media that differ, and only then', async () => {
    const several = rawPost.filter(({ media = [] }) => media.length > 1);
    await fc.assert(
      fc.asyncProperty(several, async (raw) => {
        const { payload, hash } = await hashOfText(JSON.stringify(raw));
        const turned = await hashOfText(JSON.stringify({ ...raw, media: raw.media?.toReversed() }));
        const items = z
          .array(counted)
          .parse(payload['media'])
          .map((item) => JSON.stringify(item));
        const palindrome = items.join() === items.toReversed().join();
        expect(turned.hash === hash).toBe(palindrome);
      }),
      { numRuns: 200 },
    );
  });
});

/** The same JSON by another hand: keys in any order, blanks anywhere, letters as their codes. */
function written(value: unknown, chance: () => number): string {
  const blank = (): string => ['', ' ', '\n', '\t', '  ', '\r\n'][chance()] ?? '';
  if (Array.isArray(value)) {
    return `[${value.map((each) => blank() + written(each, chance)).join(`${blank()},`)}]`;
  }
  if (typeof value === 'object' && value !== null) {
    const entries = Object.entries(value)
      .map(([key, inner]) => [chance(), key, inner] as const)
      .toSorted(([a], [b]) => a - b)
      .map(
        ([, key, inner]) =>
          `${blank()}${written(key, chance)}${blank()}:${blank()}${written(inner, chance)}`,
      );
    return `{${entries.join()}${blank()}}`;
  }
  const json = JSON.stringify(value);
  if (typeof value !== 'string' || chance() > 2) return json;
  return json.replaceAll(/[\u0080-\uffff]/g, (unit) => {
    return `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
