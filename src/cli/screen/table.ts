// Lists: aligned columns for people, tab-separated lines or JSON for machines.

import { styleText } from 'node:util';
import type { Terminal } from '../command.ts';
import type { Form } from './form.ts';
import { cutTo, oneLine, widthOf } from './shown-text.ts';

export type Colour = 'green' | 'yellow' | 'red' | 'gray' | 'bold';

export interface Cell {
  readonly text: string;
  readonly colour?: Colour | undefined;
}

export interface Column<Row> {
  readonly title: string;
  readonly cell: (row: Row) => Cell | string;
  readonly align?: 'right';
  /** Gives way first when the terminal is narrow, down to this many characters. */
  readonly shrinks?: number;
}

export interface List<Row> {
  /** What machines get of each row, in this order. */
  readonly fields: readonly (keyof Row & string)[];
  readonly columns: readonly Column<Row>[];
}

export interface ListOptions {
  readonly form: Form;
  readonly width?: number;
}

/** Prints a list in the form that its reader takes. */
export function printList<Row extends object>(
  terminal: Terminal,
  list: List<Row>,
  rows: readonly Row[],
  { form, width = terminalWidth() }: ListOptions,
): void {
  if (form === 'json') return printJson(terminal, rows.map(inSchemaNames));
  const printed =
    form === 'table' ? alignedLines(list.columns, rows, width) : tabbedLines(list.fields, rows);
  for (const line of printed) terminal.out(line);
}

/** For machines: a fact in each line. */
export function printFacts(terminal: Terminal, facts: Readonly<Record<string, unknown>>): void {
  terminal.out('fact\tvalue');
  for (const [name, value] of Object.entries(facts)) terminal.out(`${name}\t${asField(value)}`);
}

/** One document: indented for people, in one line for machines. */
export function printJson(terminal: Terminal, document: unknown): void {
  terminal.out(JSON.stringify(document, null, terminal.isTty ? 2 : undefined));
}

/** A row with the names that JSON, SQL and HTTP have for its fields. */
export function inSchemaNames(row: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]): [string, unknown] => [snakeCase(name), value]),
  );
}

function snakeCase(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

/** A header and a line for each row; a tab never stands inside a field. */
export function tabbedLines<Row extends object>(
  fields: readonly (keyof Row & string)[],
  rows: readonly Row[],
): string[] {
  const header = fields.map(snakeCase).join('\t');
  return [header, ...rows.map((row) => fields.map((name) => asField(row[name])).join('\t'))];
}

function asField(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (value instanceof Date) return value.toISOString();
  return oneLine(typeof value === 'string' ? value : JSON.stringify(value));
}

/** Between two columns. */
export const gap = '  ';

/** Columns side by side, no wider than the terminal. */
export function alignedLines<Row>(
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  width: number,
): string[] {
  const table = rows.map((row) => columns.map((column) => asCell(column.cell(row))));
  const natural = columns.map(({ title }, n) =>
    Math.max(widthOf(title), ...table.map((cells) => widthOf(cells[n]?.text ?? ''))),
  );
  const widths = fittedWidths(columns, natural, width);
  const line = (cells: readonly Cell[]): string =>
    cells
      .map((cell, n) => inColumn(cell, widths[n] ?? 0, columns[n]?.align))
      .filter((_, n) => (widths[n] ?? 0) > 0)
      .join(gap)
      .trimEnd();
  const header = columns.map(({ title }): Cell => ({ text: title, colour: 'gray' }));
  return [line(header), ...table.map(line)];
}

function asCell(cell: Cell | string): Cell {
  const { text, colour } = typeof cell === 'string' ? { text: cell } : cell;
  return { text: oneLine(text), colour };
}

/** Narrows columns to fit: first those that may shrink, the widest first; then all, from the right, down to nothing. */
export function fittedWidths(
  columns: readonly { readonly shrinks?: number }[],
  natural: readonly number[],
  room: number,
): number[] {
  const widths = [...natural];
  const widthAt = (n: number): number => widths[n] ?? 0;
  const excess = (): number => {
    const shown = widths.filter((each) => each > 0);
    return shown.reduce((sum, each) => sum + each + gap.length, -gap.length) - room;
  };
  const canShrink = (n: number): boolean => widthAt(n) > (columns[n]?.shrinks ?? widthAt(n));
  while (excess() > 0) {
    const shrinking = [...columns.keys()].filter(canShrink);
    const [widest] = shrinking.toSorted((a, b) => widthAt(b) - widthAt(a));
    if (widest === undefined) break;
    widths[widest] = widthAt(widest) - 1;
  }
  for (const n of [...columns.keys()].toReversed()) {
    if (excess() > 0) widths[n] = Math.max(0, widthAt(n) - excess());
  }
  return widths;
}

function inColumn({ text, colour }: Cell, width: number, align: 'right' | undefined): string {
  const shown = cutTo(text, width);
  const space = ' '.repeat(Math.max(0, width - widthOf(shown)));
  const painted = colour === undefined ? shown : styleText(colour, shown);
  return align === 'right' ? space + painted : painted + space;
}

/** Colours a text on a person's terminal, unless NO_COLOR or the like forbids it. */
export function paint(terminal: Terminal, colour: Colour, text: string): string {
  return terminal.isTty ? styleText(colour, text) : text;
}

/** Without a terminal nothing is cut. */
export function terminalWidth(): number {
  return process.stdout.isTTY ? process.stdout.columns || 120 : Number.POSITIVE_INFINITY;
}

export function terminalHeight(): number {
  return process.stdout.rows || 24;
}
