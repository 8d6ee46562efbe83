// Numbers as the screen shows them.

/** With commas; one that was counted up to a bound and reached it has a plus. */
export function number(count: number, countsTo = Number.POSITIVE_INFINITY): string {
  return `${count.toLocaleString('en')}${count >= countsTo ? '+' : ''}`;
}

/** A number a second as one a minute: 36, 1.5, 0.02. */
export function perMinute(perSecond: number): string {
  const rate = perSecond * 60;
  if (rate >= 10 || Number.isInteger(rate)) return number(Math.round(rate));
  return String(Number(rate.toPrecision(2)));
}

/** How a count has changed: ▲12, ▼3, or nothing. */
export function changeInWords(before: number | undefined, now: number): string {
  if (before === undefined || before === now) return '';
  return now > before ? `▲${number(now - before)}` : `▼${number(before - now)}`;
}
