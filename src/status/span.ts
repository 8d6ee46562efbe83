// The spans of time that the page can show.

export interface SpanOfTime {
  /** In addresses. */
  readonly key: '3h' | '24h' | '7d';
  /** As PostgreSQL reads it. */
  readonly interval: string;
  readonly ms: number;
  /** Bars of a channel's sparkline. */
  readonly bars: number;
  readonly words: string;
}

const hourMs = 3_600_000;

const day: SpanOfTime = {
  key: '24h',
  interval: '24 hours',
  ms: 24 * hourMs,
  bars: 48,
  words: '24 hours',
};

export const spans: readonly SpanOfTime[] = [
  { key: '3h', interval: '3 hours', ms: 3 * hourMs, bars: 36, words: '3 hours' },
  day,
  { key: '7d', interval: '7 days', ms: 7 * 24 * hourMs, bars: 42, words: '7 days' },
];

/** The span of an address; a day where it names none. */
export function spanOf(key: string | undefined): SpanOfTime {
  return spans.find((each) => each.key === key) ?? day;
}
