// `format: "markdown"`: one asterisk is italic, two are bold. A delimiter without a partner stays text; nothing is
// refused. For the rest the documentation points to CommonMark. We apply its backslash escapes and its rules for "_"
// inside words, and nothing else of it (assumed).

import { linkMark, type Mark, type MarkedText, type MarkType, orderMarks } from './markup.ts';

/** The longer ones first: "**" is not two "*". */
const delimiters: readonly (readonly [string, MarkType])[] = [
  ['**', 'strong'],
  ['__', 'strong'],
  ['~~', 'strikethrough'],
  ['++', 'underline'],
  ['^^', 'highlighted'],
  ['*', 'emphasized'],
  ['_', 'emphasized'],
];

const link = /\[((?:[^[\]\\\n]|\\[^\n])+)\]\(((?:[^()\s\\]|\\\S|\((?:[^()\s\\]|\\\S)*\))+)\)/y;
const fence = /(?<=(?:^|[^\\])(?:\\\\)*)```([^]+?)```/g;
const punctuation = /[!-/:-@[-`{-~]/;
const wordCharacter = /[\p{L}\p{N}]/u;

/** What has been read so far. */
class Page {
  text = '';
  readonly marks: Mark[] = [];

  mark(type: MarkType, write: () => void): void {
    const from = this.text.length;
    write();
    this.marks.push({ type, from, length: this.text.length - from });
  }
}

export function readMarkdown(source: string): MarkedText {
  const page = new Page();
  let at = 0;
  for (const block of source.matchAll(fence)) {
    writeLines(page, source.slice(at, block.index));
    const code = (block[1] ?? '').replace(/^[\w+-]*\n/, '').replace(/\n$/, '');
    page.mark('monospaced', () => {
      page.text += code;
    });
    at = block.index + block[0].length;
  }
  writeLines(page, source.slice(at));
  return { text: page.text, marks: orderMarks(page.marks) };
}

type Block = 'heading' | 'quote' | 'words';

/** A heading is a single line. Lines of quotes, and lines of words, are joined with the next line of the same kind. */
function writeLines(page: Page, source: string): void {
  const blocks: { readonly kind: Block; text: string }[] = [];
  for (const line of source.split('\n')) {
    const kind = line.startsWith('# ') ? 'heading' : line.startsWith('>') ? 'quote' : 'words';
    const text = kind === 'words' ? line : line.replace(/^(?:# +|> ?)/, '');
    const last = blocks.at(-1);
    if (last?.kind === kind && kind !== 'heading') last.text += `\n${text}`;
    else blocks.push({ kind, text });
  }
  for (const [index, { kind, text }] of blocks.entries()) {
    if (index > 0) page.text += '\n';
    if (kind === 'words') writeWords(page, text);
    else page.mark(kind, () => writeWords(page, text));
  }
}

function writeWords(page: Page, source: string): void {
  let at = 0;
  while (at < source.length) {
    const skip = source.slice(at).search(/[\\`*_~+^[]/);
    const next = skip < 0 ? source.length : at + skip;
    page.text += source.slice(at, next);
    at = next < source.length ? writeMarked(page, source, next) : next;
  }
}

/** Reads what starts at the special character. Returns where to go on. */
function writeMarked(page: Page, source: string, at: number): number {
  const character = source[at] ?? '';
  const following = source[at + 1] ?? '';
  if (character === '\\' && punctuation.test(following)) {
    page.text += following;
    return at + 2;
  }
  if (character === '`') {
    const end = source.indexOf('`', at + 1);
    if (end > at + 1) {
      page.mark('monospaced', () => {
        page.text += source.slice(at + 1, end);
      });
      return end + 1;
    }
  }
  link.lastIndex = at;
  const found = link.exec(source);
  if (found !== null) {
    const from = page.text.length;
    writeWords(page, found[1] ?? '');
    page.marks.push(linkMark(unescape(found[2] ?? ''), from, page.text.length - from));
    return at + found[0].length;
  }
  for (const [delimiter, type] of delimiters) {
    if (!source.startsWith(delimiter, at)) continue;
    const end = closing(source, at, delimiter);
    if (end === undefined) continue;
    page.mark(type, () => writeWords(page, source.slice(at + delimiter.length, end)));
    return end + delimiter.length;
  }
  page.text += character;
  return at + 1;
}

/** Where the closing partner of the delimiter is; undefined when it opens nothing. */
function closing(source: string, at: number, delimiter: string): number | undefined {
  const start = at + delimiter.length;
  const sign = delimiter[0] ?? '';
  const inWords = sign === '_' && wordCharacter.test(source[at - 1] ?? '');
  if (inWords || /^\s|^$/.test(source.slice(start, start + 1))) return undefined;
  const paragraph = source.indexOf('\n\n', start);
  const limit = paragraph < 0 ? source.length : paragraph;
  let run = source.indexOf(sign, start);
  while (run >= 0 && run < limit) {
    if (isEscaped(source, run)) {
      run = source.indexOf(sign, run + 1);
      continue;
    }
    let length = 1;
    while (source[run + length] === sign) length += 1;
    const end = run + length - delimiter.length;
    // A run of two closes "**" and not "*": it belongs to bold words inside italic ones.
    const fits = length === delimiter.length || length > 2;
    const joined = sign === '_' && wordCharacter.test(source[run + length] ?? '');
    if (fits && !joined && end > start && !/\s/.test(source[run - 1] ?? '')) return end;
    run = source.indexOf(sign, run + length);
  }
  return undefined;
}

/** Whether there is an odd number of backslashes before it. */
function isEscaped(source: string, at: number): boolean {
  let backslashes = 0;
  while (source[at - 1 - backslashes] === '\\') backslashes += 1;
  return backslashes % 2 === 1;
}

function unescape(text: string): string {
  return text.replaceAll(/\\([!-/:-@[-`{-~])/g, '$1');
}
