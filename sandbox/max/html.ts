// `format: "html"`: the tags that MAX knows become marks, every other tag is taken out and its content stays. Nothing
// is refused. Nobody knows how MAX repairs tags that are left open or cross one another. Here an open tag reaches to
// the end, and crossing tags make crossing marks.

import { linkMark, type Mark, type MarkedText, type MarkType, orderMarks } from './markup.ts';

const known: Readonly<Record<string, MarkType>> = {
  i: 'emphasized',
  em: 'emphasized',
  b: 'strong',
  strong: 'strong',
  s: 'strikethrough',
  del: 'strikethrough',
  u: 'underline',
  ins: 'underline',
  pre: 'monospaced',
  code: 'monospaced',
  mark: 'highlighted',
  h1: 'heading',
  blockquote: 'quote',
  a: 'link',
};

const entities: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
};

/** A tag, a comment or an entity. A lone "<" or "&" stays text. */
const special =
  /<(?<slash>\/?)(?<name>[a-z][a-z0-9-]*)(?<rest>(?:[^<>"']|"[^"]*"|'[^']*')*)>|<!--[^]*?-->|&(?<entity>#x[0-9a-f]{1,6}|#\d{1,7}|[a-z]{2,8});/gi;

const address = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

interface OpenTag {
  readonly name: string;
  readonly type: MarkType;
  readonly from: number;
  readonly url: string;
}

export function readHtml(source: string): MarkedText {
  const open: OpenTag[] = [];
  const marks: Mark[] = [];
  let text = '';
  let at = 0;

  function close(tag: OpenTag | undefined): void {
    if (tag === undefined) return;
    open.splice(open.indexOf(tag), 1);
    const length = text.length - tag.from;
    if (tag.type !== 'link') marks.push({ type: tag.type, from: tag.from, length });
    else if (tag.url !== '') marks.push(linkMark(tag.url, tag.from, length));
  }

  for (const match of source.matchAll(special)) {
    text += source.slice(at, match.index);
    at = match.index + match[0].length;
    const { slash, rest = '', entity } = match.groups ?? {};
    if (entity !== undefined) text += character(entity) ?? match[0];
    const name = match.groups?.['name']?.toLowerCase() ?? '';
    const type = known[name];
    if (type === undefined) continue;
    if (slash === '/') close(open.findLast((tag) => tag.name === name));
    else open.push({ name, type, from: text.length, url: hrefOf(rest) });
  }
  text += source.slice(at);
  while (open.length > 0) close(open.at(-1));
  return { text, marks: orderMarks(marks) };
}

function hrefOf(attributes: string): string {
  const found = address.exec(attributes);
  const written = found?.[1] ?? found?.[2] ?? found?.[3] ?? '';
  return written.replaceAll('&amp;', '&');
}

function character(entity: string): string | undefined {
  if (!entity.startsWith('#')) return entities[entity.toLowerCase()];
  const hexadecimal = entity[1] === 'x' || entity[1] === 'X';
  const code = hexadecimal ? Number.parseInt(entity.slice(2), 16) : Number(entity.slice(1));
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
