// Times for people. Machines get them in full, as ISO 8601.

const units = [
  { seconds: 86_400, one: 'day', many: 'days' },
  { seconds: 3600, one: 'h', many: 'h' },
  { seconds: 60, one: 'min', many: 'min' },
  { seconds: 1, one: 's', many: 's' },
] as const;

/** Fewer than this many of a unit are shown with the next smaller unit: 1 h 59 min, but 11 h. */
const twoUnitsBelow = 10;

/** How long something takes, rounded to what is shown: 12 s, 3 min 20 s, 1 h 59 min, 11 h, 2 days. */
export function span(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  // Rounding up may fill a larger unit: 9 h 59 min 40 s are 10 h.
  const shown = Math.round(seconds / precisionOf(seconds)) * precisionOf(seconds);
  const n = units.findIndex((each) => shown >= each.seconds);
  const [unit, smaller] = [units[n], units[n + 1]];
  if (unit === undefined) return '0 s';
  const words = counted(Math.floor(shown / unit.seconds), unit);
  const rest = shown % unit.seconds;
  return rest === 0 || smaller === undefined
    ? words
    : `${words} ${counted(rest / smaller.seconds, smaller)}`;
}

/** The smallest unit that is shown of this many seconds, in seconds. */
function precisionOf(seconds: number): number {
  const n = units.findIndex((each) => seconds >= each.seconds);
  const unit = units[n]?.seconds ?? 1;
  return seconds < twoUnitsBelow * unit ? (units[n + 1]?.seconds ?? unit) : unit;
}

function counted(count: number, unit: (typeof units)[number]): string {
  return `${count} ${count === 1 ? unit.one : unit.many}`;
}

/** A time as seen from another: in 12 s, 3 min 20 s ago, now. */
export function relative(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  const length = span(ms);
  if (length === '0 s') return 'now';
  return ms > 0 ? `in ${length}` : `${length} ago`;
}

/** A time in full, to the second. */
export function toTheSecond(at: Date): string {
  return at.toISOString().replace(/\.\d+Z$/, 'Z');
}

/** A time in full, and as seen from another. */
export function inFull(at: Date, now: Date): string {
  return `${toTheSecond(at)} (${relative(at, now)})`;
}
