import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { waitAfter } from '../../src/backoff.ts';

const outage = { baseMs: 100, capMs: 5000 };

describe('the wait after failures in a row', () => {
  it('doubles from the base up to the cap', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 8, 100].map((failures) => waitAfter(failures, outage, 1));
    expect(waits).toEqual([100, 200, 400, 800, 1600, 3200, 5000, 5000, 5000]);
  });

  it('is at least half of that, so that it is never a busy loop', () => {
    expect(waitAfter(1, outage, 0)).toBe(50);
    expect(waitAfter(1_000_000, outage, 0)).toBe(2500);
  });

  it('lies between half and all of it, for any number of failures and any luck', () => {
    const settings = fc.record({
      baseMs: fc.integer({ min: 1, max: 10_000 }),
      capMs: fc.integer({ min: 1, max: 1_000_000 }),
    });
    const random = fc.double({ min: 0, max: 1, noNaN: true });
    const failures = fc.integer({ min: 1, max: 2 ** 31 });
    fc.assert(
      fc.property(failures, settings, random, (times, backoff, luck) => {
        const full = waitAfter(times, backoff, 1);
        const wait = waitAfter(times, backoff, luck);
        expect(full).toBeLessThanOrEqual(backoff.capMs);
        expect(wait).toBeGreaterThanOrEqual(full / 2);
        expect(wait).toBeLessThanOrEqual(full);
        expect(waitAfter(times + 1, backoff, 1)).toBeGreaterThanOrEqual(full);
      }),
    );
  });
});
