import fc from 'fast-check';
import { beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { queryRow } from '../../src/db/query-rows.ts';
import { addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import type { Draft, Platform } from '../support/oracles/preflight.ts';
import { short, stored } from '../support/oracles/preflight-corpus.ts';
import { disagreements } from '../support/oracles/preflight-verdicts.ts';
import { composePost, payloadOf, storeBlobs } from '../support/posts/composed-posts.ts';

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  await storeBlobs(database.admin, [1000]);
});

const draft: fc.Arbitrary<Draft> = fc.record(
  {
    title: fc.constantFrom('Lost', 'Found'),
    text: fc.oneof(
      fc.constant(short),
      fc.integer({ min: 1, max: 5000 }).map((length) => {
        const words = 'a'.repeat(length);
        return { source: words, visible: words };
      }),
    ),
    media: fc.array(
      fc
        .tuple(
          fc.constantFrom('image', 'image', 'video', 'file', 'audio', 'animation'),
          fc.constantFrom(undefined, undefined, undefined, 'caption'),
        )
        .map(([type, caption]) => stored(type, caption)),
      { minLength: 1, maxLength: 30 },
    ),
    buttons: fc.constant([{ text: 'Open', url: 'https://a.b/c' }]),
    sendMode: fc.constantFrom('mixed', 'mixed', 'text', 'media'),
  },
  { requiredKeys: [] },
);
const platform = fc.constantFrom<Platform[]>('telegram', 'max', 'vk');

describe('any post', () => {
  it('is refused or planned as the oracle says', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(draft, { minLength: 20, maxLength: 20 }),
        platform,
        async (drafts, where) => {
          expect(await disagreements(database.admin, drafts, where)).toEqual([]);
        },
      ),
      { numRuns: 40 },
    );
  });

  it('goes out with every medium once and in order, its text once, its buttons once', async () => {
    await fc.assert(
      fc.asyncProperty(draft, platform, async (given, where) => {
        const payload = payloadOf(given);
        const post = await composePost(database.admin, { payload, platform: where });
        if (post.fault !== null) return;
        const parts = post.render_meta.parts ?? [];
        expect(parts.flatMap((part) => part.media ?? [])).toEqual(
          (given.media ?? []).map((_, place) => place),
        );
        const texts = parts.filter((part) => part.kind === 'text' || part.caption);
        expect(texts).toHaveLength(post.rendered_text === '' ? 0 : 1);
        expect(texts.every((part) => part === parts[0])).toBe(true);
        const keyboards = parts.filter((part) => part.buttons);
        expect(keyboards).toHaveLength(post.render_meta.buttons === undefined ? 0 : 1);
        expect(post.render_meta.buttons).toEqual(where === 'vk' ? undefined : payload['buttons']);
      }),
      { numRuns: 200 },
    );
  });
});

describe('the length of a text', () => {
  it('is in code points or in units of UTF-16', async () => {
    const lengths = z.object({ points: z.number(), units: z.number() });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (given) => {
        const text = given.replaceAll('\0', '');
        const found = await queryRow(
          database.admin,
          lengths,
          `select outrider.text_length($1, 'code_points') as points, outrider.text_length($1, 'utf16') as units`,
          [text],
        );
        expect(found).toEqual({ points: Array.from(text).length, units: text.length });
      }),
      { numRuns: 200 },
    );
  });
});
