// Places in texts: a line and a column, and an excerpt with a mark under the place.

export interface Place {
  /** In characters, from 0. */
  readonly offset: number;
  /** From 1. */
  readonly line: number;
  /** In characters, from 1. */
  readonly column: number;
  /** Of the line that it is in. */
  readonly excerpt: string;
  /** Where in the excerpt it is, in characters from 0. */
  readonly excerptOffset: number;
}

const before = 30;
const behind = 30;

/** `at` counts UTF-16 units. */
export function placeIn(text: string, at: number): Place {
  const head = text.slice(0, at);
  const start = head.lastIndexOf('\n') + 1;
  const end = text.indexOf('\n', at);
  const left = Array.from(text.slice(start, at));
  const right = Array.from(text.slice(at, end === -1 ? text.length : end));
  const cutsLeft = left.length > before + 1;
  const cutsRight = right.length > behind + 1;
  const shownLeft = cutsLeft ? ['…', ...left.slice(-before)] : left;
  const shownRight = cutsRight ? [...right.slice(0, behind), '…'] : right;
  return {
    offset: Array.from(head).length,
    line: head.split('\n').length,
    column: left.length + 1,
    excerpt: [...shownLeft, ...shownRight].join(''),
    excerptOffset: shownLeft.length,
  };
}

/** The UTF-16 unit that a byte of the text's UTF-8 belongs to. */
export function unitAtByte(text: string, byte: number): number {
  return new TextDecoder().decode(new TextEncoder().encode(text).subarray(0, byte)).length;
}

/** The UTF-16 unit after so many characters, or units, of a text. */
export function unitBehind(text: string, count: number, unit: 'code_points' | 'utf16'): number {
  if (unit === 'code_points') return Array.from(text).slice(0, count).join('').length;
  const splitsPair = /[\udc00-\udfff]/.test(text.charAt(count));
  return splitsPair ? count - 1 : count;
}

/**
 * Finds a place of a normalised text in the text as it came. Normalising has joined white space and dropped control
 * characters. Undefined when the two differ in more than that up to the place, or right after it.
 */
export function unitInOriginal(original: string, normal: string, at: number): number | undefined {
  if (original === normal) return at;
  const wanted = substanceOf(normal.slice(0, at));
  let low = 0;
  let high = original.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (substanceOf(original.slice(0, middle)).length < wanted.length) low = middle + 1;
    else high = middle;
  }
  if (substanceOf(original.slice(0, low)) !== wanted) return undefined;
  const next = substanceOf(normal.slice(at)).slice(0, compared);
  if (substanceOf(original.slice(low)).slice(0, compared) !== next) return undefined;
  const isBlank = /^\s/.test(normal.charAt(at));
  const blanks = isBlank ? 0 : (/^[\s\p{Cc}]*/u.exec(original.slice(low))?.[0].length ?? 0);
  return low + blanks;
}

/** How many characters after the place must be the same as well. */
const compared = 16;

function substanceOf(text: string): string {
  return text.replaceAll(/[\s\p{Cc}]+/gu, '').normalize('NFC');
}
