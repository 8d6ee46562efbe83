// The whole screen as lines: a head with the counts, the lists or a panel below it, and a foot with the keys.

import { cutTo, oneLine, widthOf } from '../screen/shown-text.ts';
import { type Cell, fittedWidths, gap } from '../screen/table.ts';
import type { Line, Piece } from './cells.ts';
import { headLines } from './head.ts';
import { type Area, areasOf } from './layout.ts';
import { help } from './panels.ts';
import type { Picture, Size } from './picture.ts';
import type { Section } from './sections.ts';
import { chosenIndex } from './state.ts';
import { wrapped } from './wrapped.ts';

/** How many rows a page of the lists or of a panel has. */
export function pageOf({ rows }: Size): number {
  return Math.max(1, rows - 6);
}

/** As many lines as the screen has. */
export function linesOf(picture: Picture, size: Size): Line[] {
  const { state, view } = picture;
  const { head, foot, rows } = roomFor(picture, size);
  const room = { columns: size.columns, rows };
  const lists = view === undefined ? [] : listLines(picture, room);
  const middle = state.panel === undefined ? lists : panelLines(picture, room);
  const blank = Array.from({ length: rows - middle.length }, (): Line => ({ pieces: [] }));
  return [...head, ...middle, ...blank, ...foot];
}

/** Head and foot, and how many rows are left between them. */
function roomFor(
  picture: Picture,
  { columns, rows }: Size,
): { readonly head: readonly Line[]; readonly foot: readonly Line[]; readonly rows: number } {
  const head = headLines(picture, columns).slice(0, Math.max(1, rows - 2));
  const foot = rows > 1 ? [footLine(picture, columns)] : [];
  return { head, foot, rows: Math.max(0, rows - head.length - foot.length) };
}

function footLine({ state, filterFault }: Picture, columns: number): Line {
  if (state.typed !== undefined) {
    return { pieces: [{ text: 'filter: ', colour: 'bold' }, { text: `${state.typed}▏` }] };
  }
  if (filterFault !== undefined) return { pieces: [{ text: filterFault, colour: 'red' }] };
  const keys =
    state.panel === undefined
      ? 'q quit · ? help · / filter · Enter explain · Tab lists · s order · Space pause'
      : '↑↓ scroll · Esc close · r again · q close';
  return { pieces: [{ text: cutTo(keys, columns), colour: 'gray' }] };
}

function panelLines(picture: Picture, { columns, rows }: Size): Line[] {
  const all = panelText(picture, columns);
  const from = Math.min(picture.state.panel?.from ?? 0, lastScroll(all, rows));
  const shown = all.slice(from, from + rows - 1);
  const more = all.length - from - shown.length;
  const note = more > 0 ? `${more} more lines: ↓` : '';
  return [...shown, { pieces: [{ text: ` ${note}`, colour: 'gray' as const }] }].slice(0, rows);
}

function panelText({ state, explanation }: Picture, columns: number): Line[] {
  const paragraphs = state.panel?.kind === 'help' ? help : explanation;
  return paragraphs.flatMap(({ text, colour, indent = 0 }) =>
    wrapped(text, columns - indent - 2).map(
      (line): Line => ({
        pieces: [{ text: ' '.repeat(indent + 1) }, { text: line, colour }],
      }),
    ),
  );
}

/** How far down a text can be scrolled. The last row says whether there is more. */
function lastScroll(all: readonly Line[], rows: number): number {
  return Math.max(0, all.length - rows + 1);
}

/** The same for the panel that is open. */
export function scrollEnd(picture: Picture, size: Size): number {
  const { rows } = roomFor(picture, size);
  return lastScroll(panelText(picture, size.columns), rows);
}

function listLines(picture: Picture, size: Size): Line[] {
  const sides = areasOf(picture.sections, picture.state.focus, size).map((areas) => ({
    width: areas[0]?.columns ?? 0,
    lines: areas.flatMap((area) => areaLines(picture, area)),
  }));
  const [left, right] = sides;
  if (left === undefined || right === undefined) return left?.lines ?? [];
  const height = Math.max(left.lines.length, right.lines.length);
  return Array.from({ length: height }, (_, n) => ({
    pieces: [
      ...filled(left.lines[n], left.width),
      { text: ' │ ', colour: 'gray' },
      ...filled(right.lines[n], right.width),
    ],
  }));
}

/** A line that takes its whole width, as a part of another. */
function filled({ pieces, isChosen }: Line = { pieces: [] }, width: number): Piece[] {
  const used = pieces.reduce((sum, { text }) => sum + widthOf(text), 0);
  const space = { text: ' '.repeat(Math.max(0, width - used)) };
  return [...pieces, space].map((each) => ({ ...each, isChosen }));
}

/** A list: its name and the titles of its columns in one line, and its rows. */
function areaLines(picture: Picture, { section, columns, rows }: Area): Line[] {
  const { state, widths: known } = picture;
  const { name, entries } = section;
  const isFocus = state.focus === name;
  const title = `${section.title} ${entries.length}`;
  const titles = section.columns.map(
    (column, n): Cell => ({
      text: n === 0 ? title : column.title,
      colour: n === 0 ? (isFocus ? 'bold' : undefined) : 'gray',
    }),
  );
  if (entries.length === 0) {
    const text = cutTo(`${isFocus ? '▸ ' : '  '}${title}`, columns);
    return [{ pieces: [{ text, colour: isFocus ? 'bold' : 'gray' }] }];
  }
  const all = [titles, ...entries.map((each) => each.cells)];
  const natural = section.columns.map((_, n) =>
    Math.max(known.get(name)?.[n] ?? 0, ...all.map((cells) => widthOf(cells[n]?.text ?? ''))),
  );
  known.set(name, natural);
  const widths = readableWidths(section, natural, columns - 2);
  const inLine = (cells: readonly Cell[], mark: string): Cell[] => [
    { text: mark, colour: 'bold' },
    ...columnsOf(section, cells, widths),
  ];
  const chosen = chosenIndex(state, name, entries);
  const height = rows - 1;
  const from = height > 0 ? Math.floor(chosen / height) * height : 0;
  const shown = entries.slice(from, from + Math.max(0, height));
  return [
    { pieces: inLine(titles, isFocus ? '▸ ' : '  ') },
    ...shown.map((entry, n) => {
      const isChosen = isFocus && from + n === chosen;
      return { pieces: inLine(entry.cells, isChosen ? '▸ ' : '  '), isChosen };
    }),
  ];
}

/** Of what was narrowed to a few characters nothing can be read: from the right, such columns give their room to the others. */
function readableWidths(section: Section, natural: readonly number[], room: number): number[] {
  const widths = fittedWidths(section.columns, natural, room);
  const unreadable = widths.findLastIndex(
    (width, n) => width > 0 && width < Math.min(natural[n] ?? 0, 4),
  );
  if (unreadable === -1) return widths;
  return readableWidths(section, natural.with(unreadable, 0), room);
}

function columnsOf(section: Section, cells: readonly Cell[], widths: readonly number[]): Cell[] {
  const shown = [...cells.keys()].filter((n) => (widths[n] ?? 0) > 0);
  return shown.flatMap((n, place): Cell[] => {
    const { text, colour } = cells[n] ?? { text: '' };
    const width = widths[n] ?? 0;
    const cut = cutTo(oneLine(text), width);
    const space = ' '.repeat(Math.max(0, width - widthOf(cut)));
    const isRight = section.columns[n]?.align === 'right';
    const isLast = place === shown.length - 1;
    return [
      { text: isRight ? `${space}${cut}` : cut, colour },
      { text: isLast ? '' : `${isRight ? '' : space}${gap}` },
    ];
  });
}
