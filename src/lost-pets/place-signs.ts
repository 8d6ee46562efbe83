// Signs and numbers in the names of places: quotes, hyphens, the numbers of roads.

import type { Token } from './tokens.ts';

const opening = new Set(['«', '"', '“', '„', "'"]);

const closing = new Set(['»', '"', '”', '“', "'"]);

/** The token after a name in quotes that begins here. */
export function afterQuotes(list: readonly Token[], from: number): number | undefined {
  if (!opening.has(list[from]?.plain ?? '')) return undefined;
  for (let at = from + 2; at < from + 8; at += 1) {
    if (list[at]?.kind === 'line') return undefined;
    if (closing.has(list[at]?.plain ?? '')) return at + 1;
  }
  return undefined;
}

/** `М5`, `Р-254`: the token after the number of a road. */
export function afterRoadNumber(list: readonly Token[], from: number): number | undefined {
  const letter = list[from];
  if (letter?.kind !== 'word' || !letter.capital || !/^[аемнр]$/.test(letter.plain))
    return undefined;
  const number = list[from + 1]?.plain === '-' ? from + 2 : from + 1;
  const token = list[number];
  const isClose = token !== undefined && token.start - letter.end < 2;
  return isClose && /^\d{1,3}$/.test(token.plain) ? number + 1 : undefined;
}

/** The token after a number that belongs to a name: `Пермь-2`, `Уют-Сити`. */
export function afterHyphen(list: readonly Token[], from: number): number {
  const [before, hyphen, number] = [list[from - 1], list[from], list[from + 1]];
  const isJoined =
    hyphen?.plain === '-' && hyphen.start === before?.end && number?.start === hyphen.end;
  return isJoined && number.kind === 'number' && number.plain.length < 3 ? from + 2 : from;
}
