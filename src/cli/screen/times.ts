// Times as people write them on the command line, and as it shows them.

export { inFull, relative, span } from '../../times.ts';

const spanUnits: Readonly<Record<string, number>> = {
  s: 1,
  min: 60,
  m: 60,
  h: 3600,
  d: 86_400,
  day: 86_400,
  days: 86_400,
};

/** A century. More is a typing error, and far beyond it lie years that a database does not know. */
const longestSeconds = 36_525 * 86_400;

/** A span as people write it, such as 90s, 15m, 2h or 3d; undefined for anything else. */
export function parsedSpan(given: string): number | undefined {
  const [, count = '', unit = ''] = /^(\d{1,6}) ?([a-z]+)$/.exec(given) ?? [];
  const seconds = Number(count) * (spanUnits[unit] ?? Number.NaN);
  return seconds <= longestSeconds ? seconds * 1000 : undefined;
}

/** A time as people write it, such as 2026-03-02T18:00 (in this machine's zone) or with a zone; else undefined. */
export function parsedTime(given: string): Date | undefined {
  if (!/^[12]\d{3}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(given))
    return undefined;
  if (!isDay(given.slice(0, 10))) return undefined;
  // JavaScript would read a date alone as midnight in UTC.
  const at = new Date(given.length === 10 ? `${given}T00:00` : given.replace(' ', 'T'));
  return Number.isNaN(at.getTime()) ? undefined : at;
}

/** Whether the calendar has the day: a Date takes 30 February for 2 March. */
function isDay(day: string): boolean {
  const at = new Date(`${day}T00:00Z`);
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(day);
}
