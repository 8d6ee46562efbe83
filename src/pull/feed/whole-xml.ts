// Looks whether an XML document is whole. The parser takes half a document for a short one: a feed whose connection broke,
// or that its server wrote only in part, would lose items without a word. Only the elements around items have to be
// closed in their order, because feeds hold all kinds of markup within items.

import { FeedFault, noFeed } from './feed-fault.ts';

const structure: ReadonlySet<string> = new Set(['rss', 'rdf', 'feed', 'channel', 'item', 'entry']);

export interface WholeXml {
  /** The local name of the root, in lower case. */
  readonly root: string;
  /** The local names of the elements around items, and of items, that the document has; in lower case. */
  readonly names: ReadonlySet<string>;
  /**
   * The document without its DOCTYPE. No feed needs one, and it is where entities are declared that grow without end
   * or read files. A < that begins no tag (`x < y`, `<3`) is escaped: the parser would give the whole feed up.
   */
  readonly text: string;
}

export function wholeXml(text: string): WholeXml {
  const open: string[] = [];
  const names = new Set<string>();
  let root: string | undefined;
  const kept: string[] = [];
  let from = 0;
  for (let at = text.indexOf('<'), end = 0; at !== -1; at = text.indexOf('<', end)) {
    const begins = text.slice(at, at + 9);
    const isText = !startsMarkup.test(begins);
    end = isText ? at + 1 : endOf(text, at);
    if (isText || /^<!doctype/i.test(begins)) {
      kept.push(text.slice(from, at), isText ? '&lt;' : '');
      from = end;
    }
    if (isText) continue;
    const tag = structureIn(text.slice(at, end));
    if (tag === undefined) continue;
    root ??= tag.name;
    names.add(tag.name);
    if (tag.isEnd && open.pop() !== tag.name)
      throw new FeedFault(`${malformed}: </${tag.name}> closes nothing`);
    if (tag.isStart) open.push(tag.name);
    if (open.length > 10) throw new FeedFault(`${malformed}: items stand within items`);
  }
  if (root === undefined) throw new FeedFault(noFeed);
  const innermost = open.at(-1);
  if (innermost === undefined) return { root, names, text: kept.join('') + text.slice(from) };
  throw new FeedFault(`sends a feed that breaks off: <${innermost}> is not closed`);
}

/** `</` at the end of the document is the beginning of a tag, too. */
const startsMarkup = /^<(?:[!?]|\/$|\/?[A-Za-z_])/;
const malformed = 'sends XML with a fault';

/** Where the tag, comment, section, instruction or declaration that begins at `at` ends. */
function endOf(text: string, at: number): number {
  if (text.startsWith('<!--', at)) return after(text, '-->', at + 4, 'a comment');
  if (text.startsWith('<![CDATA[', at)) return after(text, ']]>', at + 9, 'a CDATA section');
  if (text.startsWith('<?', at)) return after(text, '?>', at + 2, 'an instruction');
  if (text.startsWith('<!', at)) return endOfDeclaration(text, at + 2);
  return endOfTag(text, at + 1);
}

function after(text: string, mark: string, from: number, what: string): number {
  const found = text.indexOf(mark, from);
  if (found === -1) throw new FeedFault(`sends a feed that breaks off: ${what} does not end`);
  return found + mark.length;
}

/** A > in quotes that follow an equals sign does not end the tag; other quotes are part of some text. */
function endOfTag(text: string, from: number): number {
  for (let at = from, before = ''; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '>') return at + 1;
    if (before === '=' && (character === '"' || character === "'")) {
      at = after(text, character, at + 1, 'an attribute') - 1;
    }
    if (!/\s/.test(character)) before = character;
  }
  throw new FeedFault('sends a feed that breaks off: a tag does not end');
}

/** A declaration ends after its own >, which is neither in quotes nor in the brackets of declarations within it. */
function endOfDeclaration(text: string, from: number): number {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"' || character === "'")
      at = after(text, character, at + 1, 'a declaration') - 1;
    else if (text.startsWith('<!--', at)) at = after(text, '-->', at + 4, 'a comment') - 1;
    else if (character === '[') depth += 1;
    else if (character === ']') depth -= 1;
    else if (character === '>' && depth <= 0) return at + 1;
  }
  throw new FeedFault('sends a feed that breaks off: a declaration does not end');
}

interface StructureTag {
  readonly name: string;
  readonly isStart: boolean;
  readonly isEnd: boolean;
}

/** Undefined for everything but tags of elements that items stand in, with any prefix. */
function structureIn(tag: string): StructureTag | undefined {
  const [, slash = '', name = ''] = /^<(\/?)(?:[\w.-]+:)?([\w.-]+)/.exec(tag.slice(0, 100)) ?? [];
  const lowered = name.toLowerCase();
  if (!structure.has(lowered)) return undefined;
  const isEnd = slash !== '';
  return { name: lowered, isEnd, isStart: !isEnd && !tag.endsWith('/>') };
}
