// Shows texts of others on our terminal. Their control characters have no effect on it.

import { visible } from '../../visible.ts';

const directions = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** In one line: line breaks, tabs and control characters become spaces. */
export function oneLine(text: string): string {
  return text
    .replaceAll(directions, '')
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}\s]+/gu, ' ')
    .trim();
}

/** The same with all its spaces: for texts that are laid out in columns. */
export function asLaidOut(text: string): string {
  return text.replaceAll(directions, '').replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' ');
}

/** With its own line breaks, and without any other control character. */
export function lines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) =>
    line
      .replaceAll(directions, '')
      .replaceAll('\t', '    ')
      .replaceAll(/\p{Cc}/gu, '\ufffd'),
  );
}

// oxlint-disable-next-line no-control-regex -- the sequences that `styleText` makes
const allowed = /(\u001b\[[\d;]*m|[\n\t])/;

/** A text as it is printed: with its colours, line breaks and tabs, and without anything else that a terminal obeys. */
export function printable(text: string): string {
  return text
    .split(allowed)
    .map((piece, n) => (n % 2 === 1 ? piece : visible(piece)))
    .join('');
}

const segmenter = new Intl.Segmenter('en', { granularity: 'grapheme' });
const emoji = /^(?:\p{RGI_Emoji}|\p{Emoji_Presentation})/v;
const wide =
  /^[\p{Script=Han}\p{Script=Hangul}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Bopomofo}\p{Script=Yi}\u3000-\u303e\u30fb\u30fc\uff01-\uff60\uffe0-\uffe6]/u;
const halfwidth = /^[\uff61-\uffdc]/;
const invisible = /^[\p{Mn}\p{Me}\p{Cf}\p{Cc}]+$/u;
const plain = /^[\x20-\x7e\u00a0-\u00ac\u00ae-\u02ff\u0400-\u0482\u048a-\u052f–·…▸─│▲▼]*$/;

/** Whether every terminal takes each character of a text to be one column wide. */
export function isPlainText(text: string): boolean {
  return plain.test(text);
}

/** The columns that a text takes on a terminal: two for CJK and emoji, one for nearly everything else. */
export function widthOf(text: string): number {
  // The usual case, and the only one for ids and numbers.
  if (isPlainText(text)) return text.length;
  return graphemesOf(text).reduce((sum, { width }) => sum + width, 0);
}

/** The characters of a text as people count them, each with its columns on a terminal. */
export function graphemesOf(text: string): { readonly text: string; readonly width: number }[] {
  if (isPlainText(text)) return Array.from(text, (each) => ({ text: each, width: 1 }));
  return Array.from(segmenter.segment(text), ({ segment }) => ({
    text: segment,
    width: widthOfOne(segment),
  }));
}

function widthOfOne(grapheme: string): number {
  if (invisible.test(grapheme)) return 0;
  if (emoji.test(grapheme)) return 2;
  return wide.test(grapheme) && !halfwidth.test(grapheme) ? 2 : 1;
}

/** Cuts a text to a width in columns; one that was cut ends in an ellipsis. */
export function cutTo(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  if (width < 1) return '';
  let kept = '';
  let left = width - 1;
  for (const each of graphemesOf(text)) {
    left -= each.width;
    if (left < 0) break;
    kept += each.text;
  }
  return `${kept}…`;
}
