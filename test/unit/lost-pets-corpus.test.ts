import { describe, expect, it } from 'vitest';
import { readPost } from '../../src/lost-pets/read-post.ts';
import { casesOf, parts, scoreOf } from '../support/lost-pets/corpus.ts';

/** The least share of posts that must be read exactly as a person reads them. */
const least = {
  open: { type: 0.99, animal: 0.99, phones: 1, place: 0.95, vk: 0.99, breed: 0.92, care: 0.94 },
  // What is aimed at: type 0.95, animal 0.96, phones 1, place 0.8.
  kept: { type: 0.95, animal: 0.98, phones: 1, place: 0.82 },
} as const;

describe.each(parts)('the %s part of the corpus', (part) => {
  const cases = casesOf(part);

  it('has posts with ids of their own', () => {
    expect(cases.length).toBeGreaterThanOrEqual(part === 'open' ? 300 : 100);
    expect(new Set(cases.map(({ id }) => id)).size).toBe(cases.length);
  });

  it.each(Object.entries(least[part]))(
    'is read right in its %s in %s of the posts',
    (field, share) => {
      const { shares } = scoreOf(cases);
      expect(Object.entries(shares).find(([name]) => name === field)?.[1]).toBeGreaterThanOrEqual(
        share,
      );
    },
  );

  it('has words in the text for everything that is read', () => {
    for (const { text } of cases) {
      const { words, place, when, name } = readPost(text);
      for (const [field, value] of Object.entries({ place, when, name })) {
        const [span] = words[field] ?? [];
        expect(span && text.slice(span.start, span.end)).toBe(value);
      }
    }
  });
});
