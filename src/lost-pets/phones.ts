// Telephone numbers in every notation, as +7 and ten digits. Numbers of cards, chips and accounts are not among them.

import { type Group, spokenRuns } from './phone-words.ts';
import { filler } from './plain.ts';
import type { Found, Span } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

interface Run {
  readonly groups: readonly Group[];
  /** Whether the run begins with a plus. */
  readonly plus: boolean;
  /** Whether a bracket stands before its first digit. */
  readonly bracket: boolean;
  readonly before: string;
}

/** Letters that stand for a digit that they look like: о for 0, з for 3. */
const alike: Readonly<Record<string, string>> = { о: '0', o: '0', з: '3', l: '1' };
const digit = `(?:\\d|[оoзl](?![а-нп-яa-kmnp-z]))`;
const between = `${filler}{0,3}(?:[ ()[\\]\\-./_•·*=~|'’]{0,6}|[,:](?=\\d))${filler}{0,3}`;
const run = new RegExp(`[+(]{0,2}\\d(?:${between}${digit})*`, 'y');
const groups = new RegExp(`[\\dоoзl](?:${filler}{0,3}[\\dоoзl])*`, 'g');
const accounts =
  /(?:инн|огрн|кпп|бик|р\/с|р\/сч|чип[а-я]*|микрочип[а-я]*|клейм[а-я]*|снилс|wall|id|club|public)[ №:.#a-z-]{0,12}$/;
/** Of ten digits, some may be letters that look like them. */
const fewestDigits = 5;
const isId = /(?:id|club|public|wall|event|[_@#&=/])-?$/;

export function phonesIn(tokens: Tokens): readonly Found<string>[] {
  const { plain, list, links } = tokens;
  const phones: Found<string>[] = [];
  for (const all of spokenRuns(tokens))
    phonesOfRun({ groups: all, plus: false, bracket: false, before: '' }, phones);
  if (!namesDigits(list)) return phones;
  const holders = links === 0 ? [] : list.filter(isHolder);
  for (const { start, plain: link } of holders) {
    const called = /(?:wa\.me\/|phone=|tel:)\+?(7\d{10})(?!\d)/.exec(link);
    if (called?.[1] !== undefined)
      add(phones, called[1].slice(1), { start: start + called.index, end: start + link.length });
  }
  addRuns(without(holders, plain), list, phones);
  return phones.length < 2 ? phones : phones.toSorted((a, b) => a.start - b.start);
}

/** Holds digits of its own. */
function isHolder({ kind }: Token): boolean {
  return kind === 'link' || kind === 'mention' || kind === 'account';
}

/** Whether there are so many digits that a phone may be among them; most posts without one have few. */
function namesDigits(list: Tokens['list']): boolean {
  let digits = 0;
  for (const { kind, plain } of list) {
    if (kind === 'number') digits += plain.length;
    // Digits may stick to letters, and a link or a mention holds its own.
    if (kind === 'link' || digits >= fewestDigits) return true;
  }
  return false;
}

/** The text with nothing in the places of links, as long as before. */
function without(links: readonly Span[], text: string): string {
  if (links.length === 0) return text;
  const pieces: string[] = [];
  let from = 0;
  for (const { start, end } of links) {
    pieces.push(text.slice(from, start), '\n'.repeat(end - start));
    from = end;
  }
  return pieces.join('') + text.slice(from);
}

function addRuns(text: string, tokens: Tokens['list'], phones: Found<string>[]): void {
  let over = 0;
  for (const { kind, start } of tokens) {
    if (kind !== 'number' || start < over) continue;
    run.lastIndex = startOfRun(text, start);
    const match = run.exec(text);
    if (match === null) continue;
    const { 0: found, index } = match;
    over = index + found.length;
    if (found.length < 10) continue;
    const before = text.slice(Math.max(0, index - 24), index);
    if (isId.test(before)) continue;
    const plus = /^[+(]*\+/.test(found);
    phonesOfRun(
      { groups: groupsIn(found, index), plus, bracket: found.startsWith('('), before },
      phones,
    );
  }
}

function groupsIn(found: string, index: number): Group[] {
  const all: Group[] = [];
  groups.lastIndex = 0;
  for (let group = groups.exec(found); group !== null; group = groups.exec(found)) {
    const start = index + group.index;
    all.push({ digits: digitsOf(group[0]), start, end: start + group[0].length });
  }
  return all;
}

function digitsOf(group: string): string {
  if (!/\D/.test(group)) return group;
  return group.replaceAll(filler, '').replaceAll(/[оoзl]/g, (letter) => alike[letter] ?? '');
}

/** With the plus and the bracket before its first digit. */
function startOfRun(text: string, digitAt: number): number {
  let start = digitAt;
  while (start > digitAt - 2 && (text[start - 1] === '+' || text[start - 1] === '(')) start -= 1;
  return start;
}

function phonesOfRun({ groups: all, plus, bracket, before }: Run, phones: Found<string>[]): void {
  let from = accounts.test(before) && !plus ? afterAccount(all) : 0;
  while (from < all.length) {
    const card = cardAt(all, from);
    if (card > 0) {
      from += card;
      continue;
    }
    const taken = phoneAt(all, from, { plus: plus && from === 0, bracket: bracket && from === 0 });
    const [first, last] = [all[from], all[from + taken.groups - 1]];
    if (taken.groups === 0 || first === undefined || last === undefined) {
      from += 1;
      continue;
    }
    add(phones, taken.digits, { start: first.start, end: last.end });
    from += taken.groups;
  }
}

/** After the number of a chip or an account only a whole number counts that ends the run: `чип 643…, 8 912 000-11-22`. */
function afterAccount(all: readonly Group[]): number {
  let digits = '';
  for (let from = all.length - 1; from >= 0; from -= 1) {
    digits = (all[from]?.digits ?? '') + digits;
    if (digits.length === 11 && /^[78][34789]/.test(digits)) return from;
    if (digits.length >= 11) break;
  }
  return all.length;
}

/** How many groups make the number of a card or an account: sixteen digits or more in fours, or in one. */
function cardAt(all: readonly Group[], from: number): number {
  const first = all[from];
  if (first === undefined) return 0;
  if (first.digits.length > 11) return 1;
  let count = 0;
  while (all[from + count]?.digits.length === 4) count += 1;
  if (count < 4) return 0;
  // The last group of an account may be shorter.
  return count === 4 ? 4 : count;
}

interface Taken {
  readonly groups: number;
  readonly digits: string;
}

const none: Taken = { groups: 0, digits: '' };

function phoneAt(
  all: readonly Group[],
  from: number,
  { plus, bracket }: { plus: boolean; bracket: boolean },
): Taken {
  let digits = '';
  for (let count = 0; from + count < all.length && digits.length < 11; count += 1) {
    digits += all[from + count]?.digits ?? '';
    if (digits.length < 10) continue;
    const found = { groups: count + 1, digits: digits.slice(-10) };
    if (digits.length === 11 && /^[78][34789]/.test(digits)) return found;
    if (digits.length !== 10 || plus || !/^[3489]/.test(digits)) continue;
    if (bracket || digits.startsWith('9') || isLandline(all.slice(from, from + count + 1)))
      return found;
  }
  return none;
}

/** `343 200-00-11` */
function isLandline(all: readonly Group[]): boolean {
  return /^(?:3322|4222|3232)$/.test(all.map(({ digits }) => digits.length).join(''));
}

function add(phones: Found<string>[], digits: string, span: Span): void {
  const value = `+7${digits}`;
  if (!phones.some((each) => each.value === value)) phones.push({ value, ...span });
}

/** Whether the number of a bank card stands in the text. */
export function namesCard(plain: string): boolean {
  return /(?<!\d)(?:\d{4}[ -]){3}\d{4}(?!\d)|(?<!\d)[2456]\d{15}(?!\d)/.test(plain);
}
