// MAX's HTML as read_max_html promises to read it, one character after the other. It shares nothing with
// the function that it judges.

import { decodeAt, linkSuffix, type Reading, refused } from './markup-reading.ts';

interface OpenTag {
  readonly name: string;
  readonly at: number;
  readonly url: string;
  readonly from: number;
}

const known = new Set('i em b strong s del u ins a pre code mark h1 blockquote'.split(' '));
const named = { lt: '<', gt: '>', amp: '&', quot: '"', nbsp: '\u00A0', apos: "'" };

export function maxHtml(text: string): Reading {
  let visible = '';
  let flat = '';
  const open: OpenTag[] = [];
  let unfinished: string | undefined;
  const place = (at: number): number => Array.from(text.slice(0, at)).length + 1;
  const show = (shown: string): void => {
    visible += shown;
    flat += shown;
  };

  for (let at = 0; at < text.length; ) {
    const after = text[at] === '<' ? endOfTag(text, at) : undefined;
    if (after === undefined) {
      const entity = decodeAt(text, at, named, 'xX');
      show(entity?.character ?? text[at] ?? '');
      at += entity?.length ?? 1;
      continue;
    }
    const tag = text.slice(at, after);
    const name = nameOf(tag);
    if (after === Number.POSITIVE_INFINITY) {
      if (known.has(name)) {
        unfinished ??= `The tag ${/^<\/?[^ \t\r\n\v/>]*/.exec(tag)?.[0]} at character ${place(at)} has no ">"`;
      }
      // What does not end is text, tags in it included.
      show(decoded(tag));
      break;
    }
    if (known.has(name) && tag[1] !== '/') {
      const url = name === 'a' ? href(tag) : '';
      open.push({ name, at, url, from: visible.length });
    } else if (known.has(name)) {
      const last = open.pop();
      if (last === undefined || last.name !== name) {
        return refused(
          last !== undefined && open.some((one) => one.name === name)
            ? `The tag </${name}> at character ${place(at)} comes too early: <${last.name}> at character ${place(last.at)} is still open`
            : `The tag </${name}> at character ${place(at)} closes nothing: no <${name}> is open`,
        );
      }
      if (visible.length > last.from) flat += linkSuffix(visible.slice(last.from), last.url);
    }
    at = after;
  }
  if (unfinished !== undefined) return refused(unfinished);
  const left = open.at(-1);
  if (left === undefined) return { visible, flat, fault: null };
  return refused(`The tag <${left.name}> at character ${place(left.at)} is not closed`);
}

/** Where the tag that begins here is over; infinity: never; undefined: it is no tag. */
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
    const entity = decodeAt(value, at, named, 'xX');
    all += entity?.character ?? value[at] ?? '';
    at += entity?.length ?? 1;
  }
  return all;
}
