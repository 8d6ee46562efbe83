// Numbers and spans as people read them.

const units = [
  { ms: 86_400_000, words: 'days' },
  { ms: 3_600_000, words: 'h' },
  { ms: 60_000, words: 'min' },
  { ms: 1000, words: 's' },
] as const;

/** How long something lasts, in the largest unit that fits: 12 s, 45 min, 3 h, 2 days. */
export function span(ms: number): string {
  const unit = units.find((each) => Math.abs(ms) >= 2 * each.ms) ?? units[3];
  return `${Math.round(Math.abs(ms) / unit.ms)} ${unit.words}`;
}

export function inMegabytes(bytes: number): string {
  return `${Math.round(bytes / 1024 ** 2)} MB`;
}

/** A rate without the digits that nobody configured. */
export function rate(rps: number): string {
  return String(Number(rps.toPrecision(3)));
}

/** Several names in a sentence, the first few of them. */
export function some(names: readonly string[], most = 5): string {
  const shown = names.slice(0, most).join(', ');
  return names.length > most ? `${shown} and ${names.length - most} more` : shown;
}
