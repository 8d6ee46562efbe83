import { z } from 'zod';
import type { Queryable } from '../../../src/db/pool.ts';
import { queryRow } from '../../../src/db/query-rows.ts';

export const days = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] as const;
export type Day = (typeof days)[number];
export type Window = Partial<Record<Day, readonly (readonly [string, string])[]>>;

/** When the window is open next, in UTC; `at` itself if it is open then. */
export async function opening(
  admin: Queryable,
  window: Window,
  zone: string,
  at: string,
): Promise<string> {
  const { opens } = await queryRow(
    admin,
    z.object({ opens: z.string() }),
    'select outrider.window_opening($1, $2, $3) as opens',
    [JSON.stringify(window), zone, at],
  );
  return opens === 'infinity' ? opens : new Date(opens.replace('+00', 'Z')).toISOString();
}

export interface WindowCase {
  readonly window: Window;
  readonly zone: string;
  /** For each moment, when the window is open next. */
  readonly openings: Readonly<Record<string, string>>;
}

/** The openings that the database finds for the moments of a case. */
export async function openingsOf(
  admin: Queryable,
  { window, zone, openings }: WindowCase,
): Promise<Record<string, string>> {
  const opens: Record<string, string> = {};
  for (const at of Object.keys(openings)) opens[at] = await opening(admin, window, zone, at);
  return opens;
}

/** A time in UTC, on Monday 2026-03-02 unless another day is given. */
export const utc = (time: string, day = '2026-03-02'): string => `${day}T${time}:00.000Z`;

/** A time of day, from the minutes since midnight. */
export const clock = (minutes: number): string =>
  `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`;
