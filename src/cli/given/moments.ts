// Times as a command line says them: a time, so long before now, or so long after it.

import { databaseTime } from '../../db/health.ts';
import type { Place } from '../asking.ts';
import { UsageError } from '../command.ts';
import { inFull, parsedSpan, parsedTime, span } from '../screen/times.ts';

/** A time, or a number of milliseconds before now. */
export type Moment = { readonly at: Date } | { readonly ago: number };

/** What an option says. A wrong one is refused here, before a database is opened. */
export function momentOf(name: string, given: string | undefined): Moment | undefined {
  if (given === undefined) return undefined;
  const ago = parsedSpan(given);
  if (ago !== undefined) return { ago };
  const at = parsedTime(given);
  if (at !== undefined) return { at };
  throw new UsageError(
    `--${name} ${given}: it is a span such as 30m, 2h or 1d, or a time such as 2026-03-02T18:00+03:00`,
  );
}

export interface Bounds {
  readonly leastMs: number;
  readonly mostMs: number;
}

/** A length of time, such as 10m, in the form that PostgreSQL takes. */
export function lengthOf(name: string, given: string, { leastMs, mostMs }: Bounds): string {
  const ms = parsedSpan(given);
  if (ms !== undefined && ms >= leastMs && ms <= mostMs) return `${ms / 1000} seconds`;
  throw new UsageError(
    `--${name} ${given}: it is a span such as 10m, of ${span(leastMs)} to ${span(mostMs)}`,
  );
}

/** From one moment to another, by the database's clock; something must lie between. */
export async function spanOf(
  { client }: Place,
  since: Moment | undefined,
  until: Moment | undefined,
): Promise<{ readonly since: string | undefined; readonly until: string | undefined }> {
  const now = 'ago' in { ...since, ...until } ? await databaseTime(client) : new Date();
  const [from, to] = [timeOf(since, now), timeOf(until, now)];
  if (from !== undefined && to !== undefined && from >= to) {
    throw new UsageError(
      `--since is ${inFull(from, now)} and --until ${inFull(to, now)}: nothing lies between`,
    );
  }
  return { since: from?.toISOString(), until: to?.toISOString() };
}

/** When something ends that begins now: after `--for`, or at `--until`. One of the two is given. */
export function endOf(given: {
  readonly for?: string | undefined;
  readonly until?: string | undefined;
}): (place: Place) => Promise<Date> {
  const { for: length, until } = given;
  if (length !== undefined) {
    const ms = parsedSpan(length);
    if (ms === undefined || ms === 0) {
      throw new UsageError(`--for ${length}: it is a span such as 30m, 2h or 1d`);
    }
    return async ({ client }) => new Date((await databaseTime(client)).getTime() + ms);
  }
  const at = parsedTime(until ?? '');
  if (at === undefined) {
    throw new UsageError(`--until ${until}: it is a time such as 2026-03-02T18:00+03:00`);
  }
  return async () => at;
}

function timeOf(moment: Moment | undefined, now: Date): Date | undefined {
  if (moment === undefined) return undefined;
  return 'at' in moment ? moment.at : new Date(now.getTime() - moment.ago);
}
