// parse_mode HTML.

import {
  type Entity,
  type EntityType,
  type FormattedText,
  type Range,
  sortEntities,
} from './entities.ts';
import { emojiEntity, linkEntity, timeEntity } from './marked-entities.ts';
import { byteOffset, isBlank, parseFault } from './parse-fault.ts';

interface StartTag {
  readonly name: string;
  /** The value of the attribute that matters. */
  readonly argument: string;
  /** Only of tg-time. */
  readonly unix: string;
}

interface OpenTag extends StartTag {
  /** Where its content begins in the plain text. */
  readonly from: number;
}

const plainTags = new Map<string, EntityType>([
  ['b', 'bold'],
  ['strong', 'bold'],
  ['i', 'italic'],
  ['em', 'italic'],
  ['u', 'underline'],
  ['ins', 'underline'],
  ['s', 'strikethrough'],
  ['strike', 'strikethrough'],
  ['del', 'strikethrough'],
  ['tg-spoiler', 'spoiler'],
  ['span', 'spoiler'],
]);
const otherTags = ['a', 'pre', 'code', 'blockquote', 'tg-emoji', 'tg-time'];
const named = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
]);

export function parseHtml(source: string): FormattedText {
  const open: OpenTag[] = [];
  const entities: Entity[] = [];
  let text = '';
  let isWellFormed = true;
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    const reference = character === '&' ? characterReference(source, at) : undefined;
    if (reference !== undefined) {
      text += reference.character;
      // Two halves of a character, written as two references, do not make a character.
      isWellFormed &&= reference.character.isWellFormed();
      at = reference.end;
    } else if (character !== '<') {
      text += character;
      at += 1;
    } else if (source[at + 1] === '/') {
      at = closeTag(source, at, text, open, entities);
    } else {
      const { tag, end } = readStartTag(source, at);
      open.push({ ...tag, from: text.length });
      at = end;
    }
  }
  const left = open.at(-1);
  if (left !== undefined) {
    throw parseFault(`Can't find end tag corresponding to start tag "${left.name}"`);
  }
  if (!isWellFormed) {
    throw parseFault(
      'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
    );
  }
  // Code had its language only for a `pre` around it, which has been read by now.
  const plain = entities.map((entity) =>
    entity.type === 'code' ? withoutLanguage(entity) : entity,
  );
  return { text, entities: sortEntities(plain) };
}

function withoutLanguage({ type, offset, length }: Entity): Entity {
  return { type, offset, length };
}

function characterReference(
  source: string,
  at: number,
): { readonly character: string; readonly end: number } | undefined {
  const [all, hex, decimal, name] =
    /^&(?:#x([0-9a-fA-F]*)|#(\d*)|([a-zA-Z]*))/.exec(source.slice(at, at + 40)) ?? [];
  if (all === undefined) return undefined;
  const end = at + all.length;
  const after = source[end] === ';' ? end + 1 : end;
  if (name !== undefined) {
    const character = named.get(name);
    return character === undefined ? undefined : { character, end: after };
  }
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex || '0', 16);
  if (code === 0 || code >= 0x10ffff || all.length >= 10) return undefined;
  return { character: String.fromCodePoint(code), end: after };
}

function readStartTag(source: string, begin: number): { tag: StartTag; end: number } {
  const place = () => byteOffset(source, begin);
  let at = begin + 1;
  while (!isBlank(source[at]) && source[at] !== '>') at += 1;
  if (at >= source.length) throw parseFault(`Unclosed start tag at byte offset ${place()}`);
  const name = source.slice(begin + 1, at).toLowerCase();
  if (!plainTags.has(name) && !otherTags.includes(name)) {
    throw parseFault(`Unsupported start tag "${name}" at byte offset ${place()}`);
  }
  let argument = '';
  let unix = '';
  for (;;) {
    at = skipBlanks(source, at);
    if (source[at] === '>') break;
    const attribute = readAttribute(source, at, name, place);
    argument = argumentOf(name, attribute) ?? argument;
    if (name === 'tg-time' && attribute.name === 'unix') unix = attribute.value ?? unix;
    at = attribute.end;
  }
  if (name === 'span' && argument !== 'spoiler') {
    throw parseFault(`Tag "span" must have class "tg-spoiler" at byte offset ${place()}`);
  }
  return { tag: { name, argument, unix }, end: at + 1 };
}

interface Attribute {
  readonly name: string;
  /** Undefined when the attribute has no value. */
  readonly value: string | undefined;
  readonly end: number;
}

function readAttribute(source: string, begin: number, tag: string, place: () => number): Attribute {
  let at = begin;
  while (!isBlank(source[at]) && !'=>/"\''.includes(source.charAt(at))) at += 1;
  const name = source.slice(begin, at);
  if (name === '') {
    throw parseFault(`Empty attribute name in the tag "${tag}" at byte offset ${place()}`);
  }
  at = skipBlanks(source, at);
  const unclosed = () => parseFault(`Unclosed start tag "${tag}" at byte offset ${place()}`);
  if (at >= source.length) throw unclosed();
  if (source[at] !== '=') return { name, value: undefined, end: at };
  at = skipBlanks(source, at + 1);
  if (at >= source.length) throw unclosed();
  const read = /["']/.test(source.charAt(at)) ? readLiteral(source, at) : readToken(source, at);
  if (read.end >= source.length) throw parseFault(`Unclosed start tag at byte offset ${place()}`);
  return { name, ...read };
}

function readToken(source: string, begin: number): { value: string; end: number } {
  const [value = ''] = /^[a-z0-9.-]*/i.exec(source.slice(begin)) ?? [];
  const end = begin + value.length;
  if (!isBlank(source[end]) && source[end] !== '>') {
    const place = byteOffset(source, begin);
    throw parseFault(`Unexpected end of name token at byte offset ${place}`);
  }
  return { value: value.toLowerCase(), end };
}

function readLiteral(source: string, begin: number): { value: string; end: number } {
  const quote = source[begin];
  let value = '';
  let at = begin + 1;
  while (at < source.length && source[at] !== quote) {
    const reference = source[at] === '&' ? characterReference(source, at) : undefined;
    value += reference?.character ?? source.charAt(at);
    at = reference?.end ?? at + 1;
  }
  return { value, end: Math.min(at + 1, source.length) };
}

function argumentOf(tag: string, { name, value }: Attribute): string | undefined {
  if (tag === 'blockquote' && name === 'expandable') return '1';
  if (tag === 'a' && name === 'href') return value;
  if (tag === 'tg-emoji' && name === 'emoji-id') return value;
  if (tag === 'tg-time' && name === 'format') return value;
  if (tag === 'code' && name === 'class' && value?.startsWith('language-')) return value.slice(9);
  if (tag === 'span' && name === 'class' && value?.startsWith('tg-')) return value.slice(3);
  return undefined;
}

function skipBlanks(source: string, begin: number): number {
  let at = begin;
  while (at < source.length && isBlank(source[at])) at += 1;
  return at;
}

/** Closes the innermost tag. Returns where the text goes on. */
function closeTag(
  source: string,
  begin: number,
  text: string,
  open: OpenTag[],
  entities: Entity[],
): number {
  const place = () => byteOffset(source, begin);
  const tag = open.pop();
  if (tag === undefined) throw parseFault(`Unexpected end tag at byte offset ${place()}`);
  let at = begin + 2;
  while (!isBlank(source[at]) && source[at] !== '>') at += 1;
  const name = source.slice(begin + 2, at).toLowerCase();
  at = skipBlanks(source, at);
  if (source[at] !== '>') throw parseFault(`Unclosed end tag at byte offset ${place()}`);
  if (name !== '' && name !== tag.name) {
    throw parseFault(
      `Unmatched end tag at byte offset ${place()}, expected "</${tag.name}>", found "</${name}>"`,
    );
  }
  if (text.length > tag.from) addEntity(tag, text, entities);
  return at + 1;
}

function addEntity(tag: OpenTag, text: string, entities: Entity[]): void {
  const range = { offset: tag.from, length: text.length - tag.from };
  const style = plainTags.get(tag.name);
  if (style !== undefined) entities.push({ type: style, ...range });
  else if (tag.name === 'a')
    entities.push(...linkEntity(tag.argument || text.slice(tag.from), range));
  else if (tag.name === 'tg-emoji') entities.push(emojiEntity(tag.argument, range));
  else if (tag.name === 'tg-time') entities.push(...timeEntity(tag.unix, tag.argument, range));
  else if (tag.name === 'blockquote') {
    entities.push({ type: tag.argument === '' ? 'blockquote' : 'expandable_blockquote', ...range });
  } else addCode(tag, range, entities);
}

/** A `pre` and a `code` over the same text are one entity: a block with a language. */
function addCode({ name, argument }: OpenTag, range: Range, entities: Entity[]): void {
  const last = entities.at(-1);
  const twin = last !== undefined && last.offset === range.offset && last.length === range.length;
  if (twin && name === 'pre' && last.type === 'code' && last.language !== undefined) {
    entities.splice(-1, 1, { ...last, type: 'pre' });
  } else if (twin && name === 'code' && last.type === 'pre' && argument !== '') {
    entities.splice(-1, 1, { ...last, language: argument });
  } else if (name === 'pre') entities.push({ type: 'pre', ...range });
  else entities.push({ type: 'code', ...range, ...(argument !== '' && { language: argument }) });
}
