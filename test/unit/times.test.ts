import { describe, expect, it } from 'vitest';
import { inFull, parsedSpan, parsedTime, relative, span } from '../../src/cli/screen/times.ts';

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
    [119, 'in 1 min 59 s'],
    [-180, '3 min ago'],
    [-200, '3 min 20 s ago'],
    [599.6, 'in 10 min'],
    [629, 'in 10 min'],
    [-631, '11 min ago'],
    [3569, 'in 59 min'],
    [3599, 'in 1 h'],
    [-3600, '1 h ago'],
    [7140, 'in 1 h 59 min'],
    [7199, 'in 2 h'],
    [-7260, '2 h 1 min ago'],
    [35_980, 'in 10 h'],
    [84_000, 'in 23 h'],
    [86_399, 'in 1 day'],
    [86_400, 'in 1 day'],
    [-(86_400 + 3600), '1 day 1 h ago'],
    [2 * 86_400 - 60, 'in 2 days'],
    [-3 * 86_400, '3 days ago'],
    [400.4 * 86_400, 'in 400 days'],
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
    [90_000, '1 min 30 s'],
    [0, '0 s'],
  ])('of %i ms is %s', (ms, words) => {
    expect(span(ms)).toBe(words);
  });
});

describe('a span as people write it', () => {
  it.each<[string, number | undefined]>([
    ['90s', 90_000],
    ['15m', 900_000],
    ['15 min', 900_000],
    ['2h', 7_200_000],
    ['1d', 86_400_000],
    ['3 days', 259_200_000],
    ['2', undefined],
    ['h', undefined],
    ['1.5h', undefined],
    ['-1h', undefined],
    ['2 weeks', undefined],
    ['36525d', 3_155_760_000_000],
    ['36526d', undefined],
    ['1constructor', undefined],
    ['1hasOwnProperty', undefined],
  ])('is read: %s', (given, ms) => {
    expect(parsedSpan(given)).toBe(ms);
  });
});

describe('a time as people write it', () => {
  it.each<[string, string | undefined]>([
    ['2026-03-02T18:00+03:00', '2026-03-02T15:00:00.000Z'],
    ['2026-03-02 18:00:30Z', '2026-03-02T18:00:30.000Z'],
    ['2026-03-02T18:00:30.5+0300', '2026-03-02T15:00:30.500Z'],
    ['18:00', undefined],
    ['2028-02-29T18:00Z', '2028-02-29T18:00:00.000Z'],
    ['2026-02-29T18:00Z', undefined],
    ['2026-02-30', undefined],
    ['2026-02-31T25:00Z', undefined],
    ['0000-01-01', undefined],
    ['tomorrow', undefined],
    ['1', undefined],
  ])('is read: %s', (given, time) => {
    expect(parsedTime(given)?.toISOString()).toBe(time);
  });

  it('is of this machine’s zone when it names none', () => {
    expect(parsedTime('2026-03-02T18:00')).toEqual(new Date(2026, 2, 2, 18));
    expect(parsedTime('2026-03-02')).toEqual(new Date(2026, 2, 2));
  });
});
