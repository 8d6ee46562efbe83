// A second implementation of the rules in the header of outrider.read_max_markdown, which tests judge by it. The
// sandbox cannot judge it: MAX does not document its Markdown in full, and the two make different assumptions.

import { linkSuffix, type Reading } from './markup-reading.ts';

/** A character. A plain one, from code or from behind a backslash, is never a mark. */
interface Atom {
  readonly text: string;
  readonly isPlain: boolean;
}

interface Opener {
  readonly sign: string;
  readonly node: number;
  left: number;
}

interface Link {
  readonly from: number;
  readonly to: number;
  readonly url: string;
}

const punctuation = new Set('!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~');
const spaces = new Set([' ', '\t', '\r', '\n', '\v', '\f', '']);
const signs = new Set('*_~+^');
/** Controls, ASCII and Latin-1 punctuation, general punctuation and symbols, CJK punctuation, emoji. */
const ranges = [
  [0x01, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0xbf],
  [0x20_00, 0x2b_ff],
  [0x30_00, 0x30_3f],
  [0xfe_00, 0xfe_0f],
  [0x1_f0_00, 0x1_fa_ff],
] as const;

function isWord(character: string): boolean {
  const code = character.codePointAt(0);
  return code !== undefined && !ranges.some(([first, last]) => code >= first && code <= last);
}

export function readMaxMarkdown(text: string): Reading {
  return new MaxMarkdown(takeCode(Array.from(text))).read();
}

/** Turns escapes, code and backticks without a partner into plain characters. */
function takeCode(characters: readonly string[]): Atom[] {
  const atoms: Atom[] = [];
  const plain = (text: string): void => {
    atoms.push({ text, isPlain: true });
  };
  const ticksAt = (at: number): number => {
    let count = 0;
    while (characters[at + count] === '`') count += 1;
    return count;
  };
  for (let at = 0; at < characters.length; ) {
    const one = characters[at] ?? '';
    const next = characters[at + 1] ?? '';
    if (one === '\\') {
      plain(punctuation.has(next) ? next : one);
      at += punctuation.has(next) ? 2 : 1;
      continue;
    }
    if (one !== '`') {
      atoms.push({ text: one, isPlain: false });
      at += 1;
      continue;
    }
    const width = ticksAt(at);
    let end = at + width;
    while (end < characters.length && ticksAt(end) !== width) end += Math.max(1, ticksAt(end));
    const isCode = end < characters.length;
    const shown = isCode
      ? codeText(characters.slice(at + width, end).join(''), width)
      : '`'.repeat(width);
    for (const each of shown) plain(each);
    at = isCode ? end + width : at + width;
  }
  return atoms;
}

function codeText(inside: string, width: number): string {
  if (width < 3) return inside;
  const firstLine = /^(?:[^ \t\r\n\v\f]*)\r?\n/.exec(inside)?.[0] ?? '';
  const rest = inside.slice(firstLine.length);
  if (rest.endsWith('\r\n')) return rest.slice(0, -2);
  return rest.endsWith('\n') ? rest.slice(0, -1) : rest;
}

class MaxMarkdown {
  readonly #atoms: readonly Atom[];
  #at = 0;
  /** The visible text in pieces. A mark is its own piece, and loses the characters that find their partner. */
  readonly #nodes: string[] = [];
  readonly #links: Link[] = [];
  #openers: Opener[] = [];
  #isLineStart = true;

  constructor(atoms: readonly Atom[]) {
    this.#atoms = atoms;
  }

  read(): Reading {
    while (this.#at < this.#atoms.length) this.#step();
    const suffixes = new Map(
      this.#links.map(({ from, to, url }) => {
        const words = this.#nodes.slice(from, to).join('');
        return [to, words === '' ? '' : linkSuffix(words, url)];
      }),
    );
    return {
      visible: this.#nodes.join(''),
      flat: this.#nodes.map((node, index) => node + (suffixes.get(index) ?? '')).join(''),
      fault: null,
    };
  }

  #step(): void {
    if (this.#isLineStart) this.#skipPrefix();
    const { text, isPlain } = this.#atoms[this.#at] ?? { text: '', isPlain: true };
    if (text === '\n') {
      this.#nodes.push('\n');
      this.#at += 1;
      this.#isLineStart = true;
      return;
    }
    if (!isPlain && signs.has(text)) {
      this.#mark(text);
    } else if (!isPlain && text === '[') {
      this.#openers.push({ sign: '[', node: this.#nodes.length, left: 1 });
      this.#nodes.push('[');
      this.#at += 1;
    } else if (!isPlain && text === ']') {
      this.#endLink();
    } else {
      this.#nodes.push(text);
      this.#at += 1;
    }
    this.#isLineStart = false;
  }

  #skipPrefix(): void {
    if (this.#isRaw('>')) {
      this.#at += 1;
      if (this.#atoms[this.#at]?.text === ' ') this.#at += 1;
    }
    let end = this.#at + 1;
    while (['\t', ' '].includes(this.#atoms[end]?.text ?? '')) end += 1;
    if (this.#isRaw('#') && end > this.#at + 1) this.#at = end;
  }

  #mark(sign: string): void {
    const before = this.#isLineStart ? ' ' : (this.#atoms[this.#at - 1]?.text ?? '');
    const node = this.#nodes.length;
    let left = 0;
    while (this.#isRaw(sign)) {
      left += 1;
      this.#at += 1;
    }
    const after = this.#atoms[this.#at]?.text ?? '';
    const isMark = sign === '*' || sign === '_' || left === 2;
    const isWordSafe = (neighbour: string): boolean => sign !== '_' || !isWord(neighbour);
    if (isMark && !spaces.has(before) && isWordSafe(after)) left -= this.#close(sign, left);
    this.#nodes.push(sign.repeat(left));
    if (isMark && left > 0 && !spaces.has(after) && isWordSafe(before)) {
      this.#openers.push({ sign, node, left });
    }
  }

  /** Closes the nearest openers of the sign. Marks that were opened after them stay literal. */
  #close(sign: string, count: number): number {
    let used = 0;
    while (used < count) {
      const index = this.#openers.findLastIndex((opener) => opener.sign === sign);
      const opener = this.#openers[index];
      if (opener === undefined) break;
      const both = Math.min(opener.left, count - used);
      opener.left -= both;
      used += both;
      this.#nodes[opener.node] = sign.repeat(opener.left);
      this.#openers = this.#openers.slice(0, opener.left === 0 ? index : index + 1);
    }
    return used;
  }

  #endLink(): void {
    const found = this.#addressAt(this.#at + 1);
    const from = this.#openers.findLast((opener) => opener.sign === '[')?.node;
    if (found === undefined || from === undefined) {
      const end = found?.end ?? this.#at + 1;
      // Marks in an address that belongs to no link stay literal.
      this.#nodes.push(this.#sourceOf(this.#at, end));
      this.#at = end;
      return;
    }
    this.#close('[', 1);
    this.#links.push({ from, to: this.#nodes.length, url: found.url });
    this.#nodes.push('');
    this.#at = found.end;
  }

  #sourceOf(begin: number, end: number): string {
    return this.#atoms
      .slice(begin, end)
      .map((atom) => atom.text)
      .join('');
  }

  /** `(address)`, without white space. Parentheses in it must come in pairs, nested once at most. */
  #addressAt(begin: number): { url: string; end: number } | undefined {
    if (!this.#isRaw('(', begin)) return undefined;
    let depth = 1;
    let at = begin + 1;
    for (; depth > 0; at += 1) {
      if (spaces.has(this.#atoms[at]?.text ?? '')) return undefined;
      if (this.#isRaw('(', at)) depth += 1;
      if (this.#isRaw(')', at)) depth -= 1;
      if (depth > 2) return undefined;
    }
    return { url: this.#sourceOf(begin + 1, at - 1), end: at };
  }

  #isRaw(text: string, at = this.#at): boolean {
    const atom = this.#atoms[at];
    return atom !== undefined && !atom.isPlain && atom.text === text;
  }
}
