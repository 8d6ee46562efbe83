// What outrider.read_markup answers, and the one rule that all dialects share.

export interface Reading {
  readonly visible: string | null;
  readonly flat: string | null;
  readonly fault: string | null;
  /** The byte of the visible text at which the first entity begins; only Telegram's dialects have it. */
  readonly firstEntity?: number | undefined;
}

/** What follows the words of a link in a text without markup. */
export function linkSuffix(words: string, url: string): string {
  if (url === '' || /^(?:tg|max):/i.test(url)) return '';
  const bare = (address: string): string => address.replace(/\/$/, '');
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(url)?.[0] ?? '';
  const isSaid = [url, url.slice(scheme.length)].some((one) => bare(one) === bare(words));
  return isSaid ? '' : ` (${url})`;
}
