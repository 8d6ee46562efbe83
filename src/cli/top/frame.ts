// What has to be written so that the screen shows another frame: only the cells that changed.

import { isPlainText } from '../screen/shown-text.ts';
import type { Cell } from './cells.ts';

/** The rows of the screen, from the top; all have the same number of cells. */
export type Frame = readonly (readonly Cell[])[];

const escape = '\u001b[';
/** Terminals that know it show all that lies between at once; the others pass over it. */
const [beginFrame, endFrame] = [`${escape}?2026h`, `${escape}?2026l`];
const clearScreen = `${escape}0m${escape}2J`;
const clearRestOfLine = `${escape}K`;

/** Moving the cursor costs about as much as writing so many cells that have not changed. */
const cheaperThanMoving = 5;

/** Empty when nothing has changed. Without a frame before, or one of another size, the screen is cleared first. */
export function changeOf(before: Frame | undefined, after: Frame): string {
  const isSameSize =
    before !== undefined &&
    before.length === after.length &&
    before[0]?.length === after[0]?.length;
  const pen = createPen();
  for (const [row, cells] of after.entries()) {
    writeRow(pen, row, isSameSize ? before[row] : undefined, cells);
  }
  const written = pen.written();
  if (!isSameSize) return `${beginFrame}${clearScreen}${written}${endFrame}`;
  return written === '' ? '' : `${beginFrame}${written}${endFrame}`;
}

function writeRow(
  pen: Pen,
  row: number,
  before: readonly Cell[] | undefined,
  after: readonly Cell[],
): void {
  const changed = changedCells(before, after);
  if (!changed.includes(true)) return;
  const restIsBlankFrom = after.findLastIndex((cell) => !isBlank(cell)) + 1;
  const blanks = changed.slice(restIsBlankFrom).filter(Boolean).length;
  const clears = blanks >= clearRestOfLine.length;
  for (const [column, cell] of after.entries()) {
    if (clears && column >= restIsBlankFrom) break;
    if (changed[column] === true) pen.write(row, column, cell);
  }
  if (clears) pen.clearFrom(row, restIsBlankFrom);
}

/** Which cells are written: those that differ, both halves of a wide one, and short stretches between. */
function changedCells(before: readonly Cell[] | undefined, after: readonly Cell[]): boolean[] {
  const changed = after.map((cell, n) => !isSame(before?.[n] ?? blank, cell));
  for (const [n, cell] of after.entries()) {
    const isSecondHalf = cell.text === '' && n > 0;
    if (!isSecondHalf || changed[n] === changed[n - 1]) continue;
    changed[n] = true;
    changed[n - 1] = true;
  }
  let last = Number.NEGATIVE_INFINITY;
  for (const n of changed.keys()) {
    if (changed[n] !== true) continue;
    if (n - last <= cheaperThanMoving) changed.fill(true, last, n);
    last = n;
  }
  // A wide one that a stretch begins in the middle of.
  for (const [n, cell] of after.entries()) {
    if (cell.text === '' && changed[n] === true && n > 0) changed[n - 1] = true;
  }
  return changed;
}

const blank: Cell = { text: ' ', style: '' };

function isBlank(cell: Cell): boolean {
  return isSame(cell, blank);
}

function isSame(one: Cell, other: Cell): boolean {
  return one.text === other.text && one.style === other.style;
}

const emoji = /\p{Extended_Pictographic}|\p{Regional_Indicator}/u;

interface Pen {
  write(row: number, column: number, cell: Cell): void;
  clearFrom(row: number, column: number): void;
  /** All of it, with the terminal's style as it was. */
  written(): string;
}

function createPen(): Pen {
  let text = '';
  let style = '';
  /** Where the cursor is; undefined: nobody knows. */
  let at: { readonly row: number; readonly column: number } | undefined;

  function move(row: number, column: number): void {
    if (at?.row === row && at.column === column) return;
    text += at?.row === row ? `${escape}${column + 1}G` : `${escape}${row + 1};${column + 1}H`;
    at = { row, column };
  }

  function paint(wanted: string): void {
    if (wanted === style) return;
    text += `${escape}${wanted === '' ? '' : `0;${wanted}`}m`;
    style = wanted;
  }

  return {
    write(row, column, cell) {
      // The second half was written with the first.
      if (cell.text === '') return;
      move(row, column);
      paint(cell.style);
      // A terminal that takes it to be narrow would leave what stood in its second half.
      if (emoji.test(cell.text)) text += `  ${escape}${column + 1}G`;
      text += cell.text;
      // Terminals differ in how wide they take some characters to be: the place after such a one is never relied on.
      at = isPlainText(cell.text) ? { row, column: column + 1 } : { row, column: Number.NaN };
    },
    clearFrom(row, column) {
      move(row, column);
      paint('');
      text += clearRestOfLine;
    },
    written() {
      paint('');
      return text;
    },
  };
}
