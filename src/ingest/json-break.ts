// Finds the place where a text stops being JSON. The messages of JSON.parse name a place for some errors only, and
// quote the text for the others.

/** Counted from 1; columns in characters. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** The first place at which the text cannot be JSON any more; undefined when it is JSON. */
export function jsonBreak(text: string): Place | undefined {
  const index = breakAt(text);
  return index === undefined ? undefined : placeIn(text, index);
}

export function placeIn(text: string, index: number): Place {
  const before = text.slice(0, index).split(/\r\n|\r|\n/);
  return { line: before.length, column: Array.from(before.at(-1) ?? '').length + 1 };
}

// What may come next, outside of strings and numbers:
//   value: any value · item: a value or ] · key: a string or } · name: a string · colon: : · comma: , or the end
type Expected = 'value' | 'item' | 'key' | 'name' | 'colon' | 'comma';

const space = /[ \t\r\n]*/y;
const word = /true|false|null/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

function breakAt(text: string, first: Expected = 'value'): number | undefined {
  const open: ('[' | '{')[] = [];
  let expected = first;
  let index = skip(space, text, 0);
  while (index < text.length) {
    const character = text.charAt(index);
    const inside = open.at(-1);
    if (expected === 'colon') {
      if (character !== ':') return index;
      expected = 'value';
      index += 1;
    } else if (closes(character, inside, expected)) {
      open.pop();
      expected = 'comma';
      index += 1;
    } else if (expected === 'comma') {
      if (character !== ',' || inside === undefined) return index;
      expected = inside === '{' ? 'name' : 'value';
      index += 1;
    } else if (character === '"') {
      const end = endOfString(text, index);
      if (!end.ok) return end.at;
      expected = expected === 'key' || expected === 'name' ? 'colon' : 'comma';
      index = end.at;
    } else if (expected === 'key' || expected === 'name') {
      return index;
    } else if (character === '{' || character === '[') {
      open.push(character);
      expected = character === '{' ? 'key' : 'item';
      index += 1;
    } else {
      const end = Math.max(skip(word, text, index), skip(number, text, index));
      if (end === index) return index;
      expected = 'comma';
      index = end;
    }
    index = skip(space, text, index);
  }
  return expected === 'comma' && open.length === 0 ? undefined : text.length;
}

function closes(character: string, inside: string | undefined, expected: Expected): boolean {
  if (character === ']') return inside === '[' && (expected === 'item' || expected === 'comma');
  if (character === '}') return inside === '{' && (expected === 'key' || expected === 'comma');
  return false;
}

/** Where a match of the sticky pattern ends that begins at the index; the index itself without a match. */
function skip(pattern: RegExp, text: string, index: number): number {
  pattern.lastIndex = index;
  return pattern.test(text) ? pattern.lastIndex : index;
}

const plain = /[^"\\\u0000-\u001f]*/y; // oxlint-disable-line no-control-regex -- those are what JSON forbids in strings
const escape = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

/** The index behind the string that begins here, or the index at which it breaks. */
function endOfString(text: string, start: number): { ok: boolean; at: number } {
  let index = start + 1;
  for (;;) {
    index = skip(plain, text, index);
    if (text.charAt(index) === '"') return { ok: true, at: index + 1 };
    const end = skip(escape, text, index);
    if (end === index) return { ok: false, at: index };
    index = end;
  }
}
