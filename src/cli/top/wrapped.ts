// Breaks texts into lines that fit.

import { graphemesOf, lines, widthOf } from '../screen/shown-text.ts';

/** Lines of at most `width` columns, broken between words where that is possible; the text's own line breaks stay. */
export function wrapped(text: string, width: number): string[] {
  if (width < 2) return [];
  return lines(text).flatMap((line) => wrappedLine(line, width));
}

function wrappedLine(line: string, width: number): string[] {
  const done: string[] = [];
  let now = '';
  for (const word of line.split(' ')) {
    const longer = now === '' ? word : `${now} ${word}`;
    if (widthOf(longer) <= width) {
      now = longer;
      continue;
    }
    if (now !== '') done.push(now);
    const pieces = broken(word, width);
    done.push(...pieces.slice(0, -1));
    now = pieces.at(-1) ?? '';
  }
  return [...done, now];
}

/** A word that is wider than a line, in pieces that are not. */
function broken(word: string, width: number): string[] {
  if (widthOf(word) <= width) return [word];
  const pieces = [''];
  let room = width;
  for (const each of graphemesOf(word)) {
    if (each.width > room) {
      pieces.push('');
      room = width;
    }
    pieces[pieces.length - 1] += each.text;
    room -= each.width;
  }
  return pieces;
}
