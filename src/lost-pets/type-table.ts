// The table of what was learned: for the name of each feature, the row of its weights.

import { judgedKinds } from './type-mix.ts';
import { weights } from './words/type-weights.ts';

/** The rows of the features that begin with a name; -1: the table has none. */
interface Rows {
  any: number;
  first: number;
  last: number;
  /** For the features that are pairs, by the number of the second name. */
  readonly next: Map<number, number>;
}

/** A name as features have it. It knows its rows, so that they are looked up once for each word of the language. */
export interface FeatureName {
  readonly text: string;
  readonly rows: Rows | undefined;
  /** Its number among the names that are second in a pair; -1: it is in none. */
  readonly second: number;
}

const kinds = judgedKinds.length;
const lines = weights.trim().split('\n');
const rows = new Map<string, Rows>();
const seconds = new Map<string, number>();

/** The weights of all rows, in hundredths. */
export const table = new Int16Array(lines.length * kinds);
export const tableRows = lines.length;

for (const [row, line] of lines.entries()) {
  const parts = line.split(' ');
  for (let kind = 0; kind < kinds; kind += 1) table[row * kinds + kind] = Number(parts[kind]);
  put(parts[kinds] ?? '', parts[kinds + 1], row);
}

function put(written: string, next: string | undefined, row: number): void {
  const [, place, name = ''] = /^(first:|last:)?(.+)$/.exec(written) ?? [];
  const known = rows.get(name) ?? { any: -1, first: -1, last: -1, next: new Map() };
  rows.set(name, known);
  if (next !== undefined) {
    const second = seconds.get(next) ?? seconds.size;
    seconds.set(next, second);
    known.next.set(second, row);
  } else if (place === 'first:') known.first = row;
  else if (place === 'last:') known.last = row;
  else known.any = row;
}

export function featureName(text: string): FeatureName {
  return { text, rows: rows.get(text), second: seconds.get(text) ?? -1 };
}
