import { describe, expect, it } from 'vitest';
import { inFull, relative, span } from '../../src/cli/times.ts';

const now = new Date('2026-03-02T10:00:00.000Z');

function at(seconds: number): Date {
  return new Date(now.getTime() + seconds * 1000);
}

describe('a time as seen from another', () => {
  it.each([
    [0, 'now'],
    [0.4, 'now'],
    [-0.4, 'now'],
    [1, 'in 1 s'],
    [12, 'in 12 s'],
    [59, 'in 59 s'],
    [59.6, 'in 1 min'],
    [60, 'in 1 min'],
    [119, 'in 1 min'],
    [-180, '3 min ago'],
    [3599, 'in 59 min'],
    [-3600, '1 h ago'],
    [86_399, 'in 23 h'],
    [86_400, 'in 1 day'],
    [-3 * 86_400, '3 days ago'],
    [400 * 86_400, 'in 400 days'],
  ])('is, %f seconds away: %s', (seconds, words) => {
    expect(relative(at(seconds), now)).toBe(words);
  });

  it('stands beside the time itself where both matter', () => {
    expect(inFull(at(-180.25), now)).toBe('2026-03-02T09:56:59Z (3 min ago)');
  });
});

describe('a span', () => {
  it.each([
    [30_000, '30 s'],
    [1_499, '1 s'],
    [90_000, '1 min'],
    [0, '0 s'],
  ])('of %i ms is %s', (ms, words) => {
    expect(span(ms)).toBe(words);
  });
});
