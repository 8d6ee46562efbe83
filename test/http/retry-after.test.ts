import { describe, expect, it } from 'vitest';
import { readRetryAfter } from '../../src/http/retry-after.ts';

const now = new Date('2026-03-02T10:00:00Z');

describe('Retry-After', () => {
  it.each([
    ['7', 7000],
    [' 0.25 ', 250],
    ['0', 0],
    [new Date(now.getTime() + 9000).toUTCString(), 9000],
    [new Date(now.getTime() - 9000).toUTCString(), 0],
  ])('is a number of seconds or a date: %s', (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });

  it.each([undefined, '', 'soon', '-1', '1e3', 'Mon, never', '2026-03-02'])(
    'says nothing in another form: %s',
    (header) => {
      expect(readRetryAfter(header, now)).toBeUndefined();
    },
  );
});
