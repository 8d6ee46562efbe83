// What the readers of the markup dialects have in common.

export interface Reading {
  readonly visible: string | null;
  readonly flat: string | null;
  readonly fault: string | null;
  /** The byte of the visible text at which the first entity begins; only Telegram's readers tell. */
  readonly firstEntity?: number | undefined;
}

/** A place in a visible text in bytes; infinity is no place. */
export function byteOf(visible: string, place: number): number | undefined {
  return Number.isFinite(place) ? Buffer.byteLength(visible.slice(0, place)) : undefined;
}

export const refused = (fault: string): Reading => ({ visible: null, flat: null, fault });

/** The entity at a place of an HTML text: the character that it stands for (U+FFFD for half of a pair). */
export function decodeAt(
  text: string,
  at: number,
  named: Readonly<Record<string, string>>,
  hexMarks: string,
): { character: string; isHalf: boolean; length: number } | undefined {
  if (text[at] !== '&') return undefined;
  let next = at + 1;
  const run = (fits: RegExp): string => {
    const begin = next;
    while (fits.test(text[next] ?? '')) next += 1;
    return text.slice(begin, next);
  };
  let character: string | undefined;
  let isHalf = false;
  if (text[next] === '#') {
    next += 1;
    const isHex = text[next] !== undefined && hexMarks.includes(text[next] ?? ' ');
    if (isHex) next += 1;
    const code = Number.parseInt(isHex ? run(/^[0-9a-fA-F]$/) : run(/^[0-9]$/), isHex ? 16 : 10);
    isHalf = code >= 0xd800 && code <= 0xdfff;
    if (next - at < 10 && code > 0 && code < 0x10ffff) {
      character = isHalf ? '\uFFFD' : String.fromCodePoint(code);
    }
  } else {
    const name = run(/^[A-Za-z]$/);
    character = Object.hasOwn(named, name) ? named[name] : undefined;
  }
  if (character === undefined) return undefined;
  return { character, isHalf, length: next - at + (text[next] === ';' ? 1 : 0) };
}

/** What a text without links says behind the words of one. */
export function linkSuffix(words: string, url: string): string {
  if (url === '' || /^(?:tg|max):/i.test(url)) return '';
  const bare = (address: string): string => address.replace(/\/$/, '');
  const scheme = /^[a-z][a-z0-9+.-]*:(?:\/\/)?/i.exec(url)?.[0] ?? '';
  const isSaid = [url, url.slice(scheme.length)].some((one) => bare(one) === bare(words));
  return isSaid ? '' : ` (${url})`;
}
