// parse_mode Markdown, the old one: no nesting, no escapes inside entities.

import type { Entity, FormattedText } from './entities.ts';
import { linkEntity } from './marked-entities.ts';
import { byteOffset, isBlank, parseFault } from './parse-fault.ts';

export function parseMarkdown(source: string): FormattedText {
  const entities: Entity[] = [];
  let text = '';
  let at = 0;
  while (at < source.length) {
    const character = source.charAt(at);
    if (character === '\\' && /[_*`[]/.test(source.charAt(at + 1))) {
      text += source.charAt(at + 1);
      at += 2;
    } else if (!'_*`['.includes(character)) {
      text += character;
      at += 1;
    } else {
      const read = readEntity(source, at);
      const range = { offset: text.length, length: read.content.length };
      if (range.length > 0) entities.push(...read.entities(range));
      text += read.content;
      at = read.end;
    }
  }
  return { text, entities };
}

interface Read {
  readonly content: string;
  readonly end: number;
  entities(range: Pick<Entity, 'offset' | 'length'>): Entity[];
}

function readEntity(source: string, begin: number): Read {
  const mark = source.charAt(begin);
  if (source.startsWith('```', begin)) return readBlock(source, begin);
  const end = endOf(source, begin + 1, mark === '[' ? ']' : mark, begin);
  const content = source.slice(begin + 1, end);
  if (mark === '[') return readLink(source, content, end);
  const type = mark === '_' ? 'italic' : mark === '*' ? 'bold' : 'code';
  return { content, end: end + 1, entities: (range) => [{ type, ...range }] };
}

function readBlock(source: string, begin: number): Read {
  const opening = readFence(source, begin + 3);
  const end = endOf(source, opening.end, '```', begin);
  const language = opening.language === '' ? {} : { language: opening.language };
  return {
    content: source.slice(opening.end, end),
    end: end + 3,
    entities: (range) => [{ type: 'pre', ...range, ...language }],
  };
}

/** The language behind three backticks, and where the code begins: one line break is not part of it. */
export function readFence(source: string, begin: number): { language: string; end: number } {
  let at = begin;
  while (!isBlank(source[at]) && source[at] !== '`') at += 1;
  const named = at !== begin && at < source.length && source[at] !== '`';
  const [lineBreak = ''] = /^(\r\n|\n\r|\n|\r)?/.exec(source.slice(named ? at : begin)) ?? [];
  return {
    language: named ? source.slice(begin, at) : '',
    end: (named ? at : begin) + lineBreak.length,
  };
}

/** Without an address in round brackets, the text in square brackets is the address. */
function readLink(source: string, content: string, end: number): Read {
  if (source[end + 1] !== '(' || content === '') {
    return { content, end: end + 1, entities: (range) => linkEntity(content, range) };
  }
  const close = source.indexOf(')', end + 2);
  const stop = close < 0 ? source.length : close;
  const address = source.slice(end + 2, stop);
  return { content, end: stop + 1, entities: (range) => linkEntity(address, range) };
}

function endOf(source: string, from: number, mark: string, begin: number): number {
  const end = source.indexOf(mark, from);
  if (end >= 0) return end;
  const place = byteOffset(source, begin);
  throw parseFault(`Can't find end of the entity starting at byte offset ${place}`);
}
