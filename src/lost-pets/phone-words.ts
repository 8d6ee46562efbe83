// Telephone numbers of which people write digits as words, so that programs do not read them: `восемь девятьсот двенадцать 000…`

import type { Span } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

/** Digits that stand together, or that words name together. */
export interface Group extends Span {
  readonly digits: string;
}

const values = new Map<string, number>();
for (const [words, first, step] of [
  ['ноль один два три четыре пять шесть семь восемь девять', 0, 1],
  ['десять одиннадцать двенадцать тринадцать четырнадцать пятнадцать', 10, 1],
  ['шестнадцать семнадцать восемнадцать девятнадцать', 16, 1],
  ['двадцать тридцать сорок пятьдесят шестьдесят семьдесят восемьдесят девяносто', 20, 10],
  ['сто двести триста четыреста пятьсот шестьсот семьсот восемьсот девятьсот', 100, 100],
] as const) {
  for (const [n, word] of words.split(' ').entries()) values.set(word, first + n * step);
}
values.set('нуль', 0);

/** The code of a mobile number, which no such number is without. */
const code = 'девятьсот';
const signs = /^[-,.():]$/;

/** The runs of digits and number words around the code of a mobile number; most posts have none. */
export function spokenRuns({ plain, list }: Tokens): readonly (readonly Group[])[] {
  if (!plain.includes(code)) return [];
  const runs: Group[][] = [];
  let run: Group[] = [];
  for (let n = 0; n < list.length; n += 1) {
    const group = groupAt(list, n);
    if (group !== undefined) {
      run.push(group);
      n += group.tokens - 1;
    } else if (!signs.test(list[n]?.plain ?? '')) {
      runs.push(run);
      run = [];
    }
  }
  return [...runs, run].filter(({ length }) => length > 1);
}

function groupAt(
  list: readonly Token[],
  from: number,
): (Group & { readonly tokens: number }) | undefined {
  const first = list[from];
  if (first === undefined) return undefined;
  const { start } = first;
  if (first.kind === 'number')
    return /^\d+$/.test(first.plain)
      ? { digits: first.plain, start, end: first.end, tokens: 1 }
      : undefined;
  let sum = values.get(first.plain);
  if (sum === undefined) return undefined;
  let last = first;
  let tokens = 1;
  // `девятьсот двенадцать` is one number; after a ten come ones alone, and after ones or teens nothing.
  for (let room = roomAfter(sum); room > 0; tokens += 1) {
    const next = list[from + tokens];
    const value = values.get(next?.plain ?? '');
    if (next === undefined || value === undefined || value === 0 || value >= room) break;
    sum += value;
    room = roomAfter(value);
    last = next;
  }
  return { digits: String(sum), start, end: last.end, tokens };
}

/** Which numbers may follow within the same one: those below this. */
function roomAfter(value: number): number {
  if (value >= 100) return 100;
  return value >= 20 ? 10 : 0;
}
