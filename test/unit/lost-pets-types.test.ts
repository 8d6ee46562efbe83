import { describe, expect, it } from 'vitest';
import { readPost } from '../../src/lost-pets/read-post.ts';
import { addRules, judgedKinds, likeliest, scaleOf } from '../../src/lost-pets/type-mix.ts';
import { featureName, tableRows } from '../../src/lost-pets/type-table.ts';
import { wordStemOf } from '../../src/lost-pets/word-stem.ts';

describe('the stem of a word', () => {
  it.each([
    ['собаками', 'собак'],
    ['собаку', 'собак'],
    ['потерялась', 'потерялся'],
    ['потеряла', 'потерял'],
    ['кот', 'кот'],
  ])('is what its forms share: %s', (word, stem) => {
    expect(wordStemOf(word)).toBe(stem);
  });
});

describe('what was learned', () => {
  it('is a small table', () => {
    expect(tableRows).toBeLessThanOrEqual(1_500);
  });

  it('knows words by themselves, at the beginning and with their neighbours', () => {
    const { rows } = featureName('@gone');
    expect(rows?.any).toBeGreaterThanOrEqual(0);
    expect(rows?.first).toBeGreaterThanOrEqual(0);
    expect(rows?.next.size).toBeGreaterThan(0);
    expect(featureName('абракадабр').rows).toBeUndefined();
  });

  it('counts less for each feature of a very short or a very long post', () => {
    expect(scaleOf(50)).toBe(1);
    expect(scaleOf(4)).toBeLessThan(0.2);
    expect(scaleOf(240)).toBe(0.5);
  });

  it('gives way to what the rules decide if it says nothing', () => {
    const scores = { lost: 0, found: 3, sighting: 0, adoption: 0, fundraising: 0, news: 0 };
    const sums = new Float64Array(judgedKinds.length);
    addRules(sums, { kind: 'found', scores }, { decision: 1, score: 0 });
    expect(likeliest(sums)).toBe('found');
  });

  it('shows words of the text for each type', () => {
    const text =
      'Ехала вечером с работы, а она сидит на остановке и дрожит. Посадила в машину, дома отмыла и накормила. Собака ухоженная, в ошейнике. Хозяева, где вы?';
    const { type, words } = readPost(text);
    expect(type).toBe('found');
    expect(words['type']?.length).toBeGreaterThan(0);
  });
});
