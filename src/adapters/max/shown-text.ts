// Whether a message shows a text that was sent. MAX gives messages back without their markup, and how it
// reads markup is known only roughly: a text with markup is compared by its letters, digits and pictures.

import type { Format } from '../adapter.ts';

export function showsText(shown: string, sent: string, format: Format): boolean {
  if (format === 'None') return withoutSpace(shown) === withoutSpace(sent);
  if (format === 'HTML') return coreOf(shown) === coreOf(readHtml(sent));
  const core = coreOf(withoutLinks(shown));
  return readMarkdown(sent).some((reading) => coreOf(reading) === core);
}

function withoutSpace(text: string): string {
  return text.normalize('NFC').replaceAll(/[\s\p{Cf}]+/gu, '');
}

const marks = /[*_~+^`\\]/g;
/** Signs between digits make another number; elsewhere they may be markup. */
const substance = /[[\p{L}\p{N}\p{M}\p{So}\p{Sc}]--[\uFE0F]]|(?<=\p{N})[.,:\/\-](?=\p{N})/gv;

/** The characters of substance in a text; the whole text when it has none. */
function coreOf(text: string): string {
  const plain = text.normalize('NFC').replaceAll(marks, '');
  return (plain.match(substance) ?? [withoutSpace(plain)]).join('');
}

const tag = /<!--[^]*?-->|<\/?[a-z](?:[^<>"']|"[^"]*"|'[^']*')*>/gi;
const entity = /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z][a-z0-9]{1,31}));/gi;
const named: Readonly<Record<string, string>> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  apos: "'",
};

function readHtml(sent: string): string {
  return sent
    .replaceAll(tag, '')
    .replaceAll(entity, (_all, hexadecimal?: string, decimal?: string, name?: string) =>
      name === undefined
        ? character(
            Number.parseInt(hexadecimal ?? decimal ?? '', hexadecimal === undefined ? 10 : 16),
          )
        : (named[name.toLowerCase()] ?? ''),
    );
}

function character(code: number): string {
  return code <= 0x10_ff_ff ? String.fromCodePoint(code) : '';
}

const language = /```[^\s`]*\n/g;
const address = /\]\((?:[^()\s\\]|\\\S|\((?:[^()\s\\]|\\\S)*\))*\)/g;
const escaped = /\\([!-/:-@[-`{-~])/g;

/** Nobody knows whether MAX takes a backslash in an address as part of it, so there are two readings. */
function readMarkdown(sent: string): string[] {
  const text = sent.replaceAll(language, '');
  return [
    withoutLinks(text).replaceAll(escaped, '$1'),
    withoutLinks(text.replaceAll(escaped, '$1')),
  ];
}

/** Text that MAX does not parse as markup is shown as it is, addresses included. */
function withoutLinks(text: string): string {
  return text.replaceAll(address, '').replaceAll(/[#>[\]()]/g, '');
}
