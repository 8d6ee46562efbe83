// Dates as sources write them: RFC 822 of RSS with its many flaws, ISO 8601 of everything else, and seconds or milliseconds
// since 1970.

/** Undefined when the text is no date. A time without a zone is taken for UTC. */
export function readDate(text: string | undefined): Date | undefined {
  const trimmed = withKnownParts(text?.trim() ?? '');
  if (trimmed === '' || trimmed.length > 100) return undefined;
  const [, seconds, milliseconds] = /^(?:(\d{10}(?:\.\d+)?)|(\d{13}))$/.exec(trimmed) ?? [];
  if (seconds !== undefined) return new Date(Math.floor(Number(seconds) * 1000));
  if (milliseconds !== undefined) return new Date(Number(milliseconds));
  const isZoned = /(?:Z|[+-]\d\d:?\d\d|GMT|UTC?)$/i.test(trimmed);
  const forms = isZoned
    ? [trimmed]
    : // The name of a zone that nobody knows here is worth less than the time before it.
      [`${trimmed} UTC`, `${trimmed}Z`, trimmed, trimmed.replace(/\s+[A-Za-z]{1,5}$/, ' UTC')];
  return forms.map((form) => new Date(form)).find((date) => isSound(date));
}

/** Years that a database and a reader can make sense of. */
function isSound(date: Date): boolean {
  const year = date.getUTCFullYear();
  return !Number.isNaN(date.getTime()) && year >= 1900 && year <= 9999;
}

/** `02.03.2026` is the second of March, MSK a zone, and `+03` after a time one of whole hours. */
function withKnownParts(text: string): string {
  return text
    .replace(
      /^(\d{1,2})\.(\d{1,2})\.(\d{4})\b/,
      (_, day: string, month: string, year: string) =>
        `${year}-${month.padStart(2, '0')}-${day.padStart(2, '0')}`,
    )
    .replace(/\bMSK$/i, '+0300')
    .replace(/(:\d\d(?:\.\d+)?) ?([+-]\d\d)$/, '$1$2:00');
}
