// Places that a post or a sentence begins with, before it tells what happened.

import { isEvent } from './place-events.ts';
import type { Token } from './tokens.ts';

/** `Сочи, Мамайка!`: nothing but an address of several parts at the beginning of a post. */
export function isHeading(
  list: readonly Token[],
  from: number,
  to: number,
  sentences: readonly number[],
): boolean {
  if (!followsCall(list, from, sentences)) return false;
  if (sentences[to] === sentences[from] && list[to] !== undefined && list[to]?.kind !== 'emoji')
    return false;
  for (let n = from; n < to; n += 1) if (list[n]?.plain === ',') return true;
  // `Пермь Закамск!`
  return list[from]?.facts.town === true && to > from + 1 && list[from + 1]?.kind === 'word';
}

/** `Архангельск, Варавино, спаниель`: a town and a part of it at the beginning of a sentence. */
export function beginsWithTown(
  list: readonly Token[],
  from: number,
  to: number,
  sentences: readonly number[],
): boolean {
  if (list[from]?.facts.town !== true || sentences[from - 1] === sentences[from]) return false;
  return list[from + 1]?.plain === ',' && to > from + 2;
}

const longestCall = 3;

/** Whether nothing but a call stands before: `Внимание!`, `Срочно, репост!` */
function followsCall(list: readonly Token[], from: number, sentences: readonly number[]): boolean {
  let words = 0;
  for (let n = 0; n < from; n += 1) {
    const token = list[n];
    if (token?.kind !== 'word') continue;
    words += 1;
    if (words > longestCall || sentences[n] === sentences[from] || isEvent(token)) return false;
  }
  return true;
}
