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

/** Words that a number in words is hardly without: its code, its nines and its noughts. */
const isSpoken = /девят|нол[ья]|нул/;
const noughts = /^нул(?:я|ей|ика)$/;
const signs = /^[-,.():]$/;
/** With the code said as `девятьсот ноль восемь`, a number has two digits too many. */
const mostDigits = 11;

interface Piece extends Span {
  readonly isWord: boolean;
  /** What a word says that may go on: not digits, and no `три нуля`. */
  readonly value?: number;
  readonly digits: string;
}

/** The runs of digits and number words, if a word is among them; most posts have none. */
export function spokenRuns({ plain, list }: Tokens): readonly (readonly Group[])[] {
  if (!isSpoken.test(plain)) return [];
  const runs: Group[][] = [];
  let pieces: Piece[] = [];
  const close = (): void => {
    if (pieces.some(({ isWord }) => isWord)) runs.push(groupsOf(pieces));
    pieces = [];
  };
  for (const token of list) {
    const more = piecesOf(token);
    if (more !== undefined) pieces.push(...more);
    else if (noughts.test(token.plain)) pieces.push(noughtsOf(pieces.pop(), token));
    else if (!signs.test(token.plain)) close();
  }
  close();
  return runs.filter(({ length }) => length > 1);
}

/** What a token says of a number: `912`, `двенадцать`, `восемь-девятьсот`. */
function piecesOf({ kind, plain, start, end }: Token): readonly Piece[] | undefined {
  if (kind === 'number')
    return /^\d+$/.test(plain) ? [{ isWord: false, digits: plain, start, end }] : undefined;
  if (kind !== 'word') return undefined;
  const said = plain.split('-').map((word) => values.get(word));
  const pieces: Piece[] = [];
  for (const value of said) {
    if (value === undefined) return undefined;
    pieces.push({ isWord: true, value, digits: String(value), start, end });
  }
  return pieces;
}

/** `три нуля`; without a count it is one. */
function noughtsOf(count: Piece | undefined, { start, end }: Token): Piece {
  const times = count?.value ?? 1;
  return {
    isWord: true,
    digits: '0'.repeat(Math.min(times, 9)),
    start: count?.start ?? start,
    end,
  };
}

function groupsOf(pieces: readonly Piece[]): Group[] {
  const groups = grouped(pieces, false);
  const total = groups.reduce((sum, { digits }) => sum + digits.length, 0);
  return total === mostDigits + 2 ? grouped(pieces, true) : groups;
}

/** `девятьсот двенадцать` is one number; after a ten come ones alone, and after ones or teens nothing. */
function grouped(pieces: readonly Piece[], hasSilentNought: boolean): Group[] {
  const groups: Group[] = [];
  for (let n = 0; n < pieces.length; n += 1) {
    const first = pieces[n];
    if (first === undefined) break;
    let { value: sum, digits, end } = first;
    let room = roomAfter(sum);
    while (sum !== undefined && room > 0) {
      const isSilent = hasSilentNought && room === 100 && pieces[n + 1]?.value === 0;
      const next = pieces[isSilent ? n + 2 : n + 1];
      if (next?.value === undefined || next.value === 0) break;
      if (next.value >= (isSilent ? 10 : room)) break;
      n += isSilent ? 2 : 1;
      sum += next.value;
      room = roomAfter(next.value);
      ({ end } = next);
      digits = String(sum);
    }
    groups.push({ digits, start: first.start, end });
  }
  return groups;
}

/** Which numbers may follow within the same one: those below this. */
function roomAfter(value: number | undefined): number {
  if (value === undefined || value < 20) return 0;
  return value >= 100 ? 100 : 10;
}
