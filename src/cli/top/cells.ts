// A line of the screen as cells. Whatever the texts of others hold, a cell never has anything that a terminal obeys.

import { asLaidOut, graphemesOf } from '../screen/shown-text.ts';
import type { Colour, Cell as Text } from '../screen/table.ts';

export interface Piece extends Text {
  /** Shown inverted: part of the row that the keys act on. */
  readonly isChosen?: boolean | undefined;
}

/** What is to be seen in one line of the screen. */
export interface Line {
  /** From the left. */
  readonly pieces: readonly Piece[];
  /** Shown inverted over its whole width. */
  readonly isChosen?: boolean | undefined;
}

/** One place of the screen. */
export interface Cell {
  /** One character as people count them; empty: the second half of a wide one. */
  readonly text: string;
  /** How it looks, as the numbers of the terminal's sequence; empty: plain. */
  readonly style: string;
}

const blank: Cell = { text: ' ', style: '' };
const chosenStyle = '7';

const colours: Readonly<Record<Exclude<Colour, 'bold'>, string>> = {
  green: '32',
  yellow: '33',
  red: '31',
  gray: '90',
};

export interface Look {
  readonly width: number;
  readonly hasColours: boolean;
}

/** Exactly `width` cells: what does not fit is cut off, and the rest is blank. */
export function cellsOf({ pieces, isChosen = false }: Line, { width, hasColours }: Look): Cell[] {
  const cells: Cell[] = [];
  for (const { text, colour, isChosen: isInverted = isChosen } of pieces) {
    const base = isInverted ? [chosenStyle] : [];
    const style = [...base, ...styleOf(colour, hasColours)].join(';');
    for (const each of graphemesOf(asLaidOut(text))) {
      if (cells.length + each.width > width) break;
      if (each.width > 0) cells.push({ text: each.text, style });
      if (each.width === 2) cells.push({ text: '', style });
    }
  }
  const rest = isChosen ? { text: ' ', style: chosenStyle } : blank;
  while (cells.length < width) cells.push(rest);
  return cells;
}

function styleOf(colour: Colour | undefined, hasColours: boolean): string[] {
  if (colour === undefined) return [];
  if (colour === 'bold') return ['1'];
  return hasColours ? [colours[colour]] : [];
}
