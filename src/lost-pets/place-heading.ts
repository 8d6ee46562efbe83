// Places that a post or a sentence begins with, before it tells what happened.

import { agrees } from './agreement.ts';
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

/** `Горный Щит!! Пропала собака`, `Калиновка. Найден кот`: a village alone, right before what happened there. */
export function isOpening(
  list: readonly Token[],
  from: number,
  to: number,
  sentences: readonly number[],
): boolean {
  if (!followsCall(list, from, sentences) || sentences[to] === sentences[from]) return false;
  const [first, second] = [list[from], list[from + 1]];
  const isVillage =
    to === from + 1
      ? first?.facts.ending.village === true
      : to === from + 2 &&
        first?.facts.ending.adjective === true &&
        agrees(first.plain, second?.plain ?? '');
  return isVillage && isFollowedByEvent(list, to);
}

const soon = 8;

function isFollowedByEvent(list: readonly Token[], to: number): boolean {
  return list.slice(to, to + soon).some(isEvent);
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
