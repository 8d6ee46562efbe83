// Times for people. Machines get them in full, as ISO 8601.

const units = [
  { seconds: 86_400, one: 'day', many: 'days' },
  { seconds: 3600, one: 'h', many: 'h' },
  { seconds: 60, one: 'min', many: 'min' },
  { seconds: 1, one: 's', many: 's' },
] as const;

/** How long something takes, in its largest whole unit: 12 s, 3 min, 5 h, 2 days. */
export function span(ms: number): string {
  const seconds = Math.round(Math.abs(ms) / 1000);
  const unit = units.find((each) => seconds >= each.seconds);
  if (unit === undefined) return '0 s';
  const count = Math.floor(seconds / unit.seconds);
  return `${count} ${count === 1 ? unit.one : unit.many}`;
}

/** A time as seen from another: in 12 s, 3 min ago, now. */
export function relative(at: Date, now: Date): string {
  const ms = at.getTime() - now.getTime();
  const length = span(ms);
  if (length === '0 s') return 'now';
  return ms > 0 ? `in ${length}` : `${length} ago`;
}

/** A time in full, to the second, and as seen from another. */
export function inFull(at: Date, now: Date): string {
  return `${at.toISOString().replace(/\.\d+Z$/, 'Z')} (${relative(at, now)})`;
}
