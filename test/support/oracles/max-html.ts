// A second implementation of the rules in the header of outrider.read_max_html, which tests judge by it. The sandbox
// cannot judge it: nobody knows how MAX reads broken HTML, and the two make different assumptions.

import { linkSuffix, type Reading } from './markup-reading.ts';

const named = new Map([
  ['lt', '<'],
  ['gt', '>'],
  ['amp', '&'],
  ['quot', '"'],
  ['nbsp', '\u00A0'],
  ['apos', "'"],
]);

export function maxHtml(text: string): Reading {
  let visible = '';
  let flat = '';
  const links: { readonly url: string; readonly from: number }[] = [];
  const show = (shown: string): void => {
    visible += shown;
    flat += shown;
  };
  const closeLink = (): void => {
    const link = links.pop();
    if (link === undefined || visible.length === link.from) return;
    flat += linkSuffix(visible.slice(link.from), link.url);
  };

  for (let at = 0; at < text.length; ) {
    const after = text[at] === '<' ? endOfTag(text, at) : undefined;
    if (after === undefined) {
      const entity = entityAt(text, at);
      show(entity?.character ?? text[at] ?? '');
      at += entity?.length ?? 1;
      continue;
    }
    const tag = text.slice(at, after);
    if (after === Number.POSITIVE_INFINITY) {
      // A tag that does not end is text, together with all tags in it.
      show(decoded(tag));
      break;
    }
    if (nameOf(tag) === 'a' && tag[1] === '/') closeLink();
    else if (nameOf(tag) === 'a') links.push({ url: href(tag), from: visible.length });
    at = after;
  }
  while (links.length > 0) closeLink();
  return { visible, flat, fault: null };
}

/** The place behind the tag that begins here; infinity if it does not end, undefined if it is no tag. */
function endOfTag(text: string, at: number): number | undefined {
  const never = Number.POSITIVE_INFINITY;
  const found = (mark: string, from: number): number => {
    const index = text.indexOf(mark, from);
    return index === -1 ? never : index + mark.length;
  };
  if (text.startsWith('<!--', at)) return found('-->', at + 4);
  if (text[at + 1] === '!' || text[at + 1] === '?') return found('>', at);
  if (!/^<\/?[A-Za-z]/.test(text.slice(at, at + 3))) return undefined;
  let afterEquals = false;
  for (let i = at + 1; i < text.length; i += 1) {
    const c = text[i] ?? '';
    if (c === '>') return i + 1;
    if (afterEquals && (c === '"' || c === "'")) {
      const close = text.indexOf(c, i + 1);
      if (close === -1) return never;
      i = close;
      afterEquals = false;
    } else if (!' \t\r\n\v'.includes(c)) {
      afterEquals = c === '=';
    }
  }
  return never;
}

const nameOf = (tag: string): string =>
  (/^<\/?([^ \t\r\n\v/>]*)/.exec(tag)?.[1] ?? '').replaceAll(/[A-Z]/g, (c) => c.toLowerCase());

/** The first href of a tag. */
function href(tag: string): string {
  const rest = tag.replace(/^<[^ \t\r\n\v/>]*/, '');
  const attributes = rest.matchAll(
    /([^ \t\r\n\v=>/"']+)[ \t\r\n\v]*(?:=[ \t\r\n\v]*(?:"([^"]*)"|'([^']*)'|([^ \t\r\n\v>"']*)))?/g,
  );
  for (const [, name = '', double, single, bare] of attributes) {
    if (name.toLowerCase() === 'href') return decoded(double ?? single ?? bare ?? '');
  }
  return '';
}

function decoded(value: string): string {
  let all = '';
  for (let at = 0; at < value.length; ) {
    const entity = entityAt(value, at);
    all += entity?.character ?? value[at] ?? '';
    at += entity?.length ?? 1;
  }
  return all;
}

/** The character that an entity at this place stands for, U+FFFD for half of a pair; undefined: it is no entity. */
function entityAt(text: string, at: number): { character: string; length: number } | undefined {
  const [all, hex, decimal, name = ''] =
    /^&(?:#[xX]([0-9a-fA-F]*)|#([0-9]*)|([A-Za-z]*))/.exec(text.slice(at)) ?? [];
  if (all === undefined) return undefined;
  const digits = hex ?? decimal;
  const character = digits === undefined ? named.get(name) : coded(all, digits, hex !== undefined);
  if (character === undefined) return undefined;
  return { character, length: all.length + (text[at + all.length] === ';' ? 1 : 0) };
}

function coded(all: string, digits: string, isHex: boolean): string | undefined {
  const code = Number.parseInt(digits, isHex ? 16 : 10);
  if (all.length >= 10 || !(code > 0 && code < 0x10ffff)) return undefined;
  return code >= 0xd800 && code <= 0xdfff ? '\uFFFD' : String.fromCodePoint(code);
}
