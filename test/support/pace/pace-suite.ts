// What must be true of the pace on every platform, judged at the platform's side.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openDatabase, type TestDatabase } from '../database/test-database.ts';
import { runPacedTraffic, type TrafficOptions } from './paced-traffic.ts';

// Virtual minutes. Two show the same as ten, in a fifth of the time; CONTRIBUTING.md says how to run ten.
const minutes = Number(process.env['PACE_MINUTES'] ?? 2);
const timeout = 300_000;

/** One test for each kind of posts, at the rate of the preset, with more to send than the rate allows. */
export function describePace(title: string, kinds: Readonly<Record<string, TrafficOptions>>): void {
  describe(`${minutes} minutes at the limits of the preset on ${title}`, () => {
    let database: TestDatabase;

    beforeEach(async () => {
      database = await openDatabase();
    });

    afterEach(() => database.close());

    it.each(Object.entries(kinds))(
      'draw no refusal and use nine tenths of the budget: %s',
      async (_kind, options) => {
        const { used, refusals, failures } = await runPacedTraffic(database, options, minutes);
        expect(refusals).toEqual([]);
        expect(failures).toEqual([]);
        expect(used).toBeGreaterThanOrEqual(0.9);
      },
      timeout,
    );
  });
}

const sizes = [10, 2, 9, 3, 10, 8, 1, 10, 2, 10];
const album = (post: number): number => sizes[post % sizes.length] ?? 10;

/** For each kind of posts, how many photos the n-th post has. */
export const photosOf = {
  texts: () => 0,
  albums: album,
  both: (post: number) => (post % 2 === 0 ? 0 : album((post - 1) / 2)),
} as const;
