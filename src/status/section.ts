// A part of the page that is kept up to date: an element with an id, and where it is long, rows that are sent one by one.

import type { Html } from './html.ts';

/** An element, by its id. */
export interface Piece {
  readonly id: string;
  readonly html: string;
}

export interface Section {
  readonly id: string;
  readonly before: string;
  /** In their order; each is an element with its id. */
  readonly rows: readonly Piece[];
  readonly after: string;
}

export function section(id: string, markup: Html): Section {
  return { id, before: markup.text, rows: [], after: '' };
}

export function textOf({ before, rows, after }: Section): string {
  return before + rows.map((row) => row.html).join('') + after;
}

/** What somebody who has the first of two states needs in order to have the second. */
export function changes(from: readonly Section[], to: readonly Section[]): Piece[] {
  return to.flatMap((next) => {
    const known = from.find((each) => each.id === next.id);
    return known === undefined ? [whole(next)] : changesWithin(known, next);
  });
}

function whole(given: Section): Piece {
  return { id: given.id, html: textOf(given) };
}

function changesWithin(from: Section, to: Section): Piece[] {
  const isSameFrame =
    from.before === to.before &&
    from.after === to.after &&
    from.rows.length === to.rows.length &&
    from.rows.every((row, n) => row.id === to.rows[n]?.id);
  if (!isSameFrame) return [whole(to)];
  return to.rows.filter((row, n) => row.html !== from.rows[n]?.html);
}
