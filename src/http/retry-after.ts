// The `Retry-After` header: how long a server asks to be left alone.

/** In milliseconds, from seconds or a date; undefined when the header cannot be read. */
export function readRetryAfter(header: string | undefined, now: Date): number | undefined {
  const value = header?.trim() ?? '';
  if (/^\d{1,9}(\.\d{1,9})?$/.test(value)) return Math.ceil(Number(value) * 1000);
  if (!/^[A-Z][a-z]{2}, /.test(value)) return undefined;
  const until = Date.parse(value);
  return Number.isNaN(until) ? undefined : Math.max(0, until - now.getTime());
}
