// Marks of care: what has been done for the animal, and what it wears.

import type { Care } from './care-words.ts';
import type { Found } from './span.ts';
import type { Tokens } from './tokens.ts';

const not = new Set(['без', 'не', 'нет', 'ни', 'на_стерилизацию']);
const notSaid =
  /^(?:стерилизацию|стерилизация|стерилизации|кастрацию|кастрация|простерилизуем|вакцинация|вакцинации|вакцинацию|стерилизуем|чипирования)$/;

export function careIn({ list }: Tokens): readonly Found<Care>[] {
  const found: Found<Care>[] = [];
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    const mark = token?.facts.care;
    if (token === undefined || mark === undefined) continue;
    const { plain, start, end } = token;
    if (
      (notSaid.test(plain) && !isDone(list, n)) ||
      isDenied(list[n - 1]?.plain, list[n - 2]?.plain, list[n + 1]?.plain)
    )
      continue;
    if (!found.some(({ value }) => value === mark)) found.push({ value: mark, start, end });
  }
  return found;
}

function isDenied(before = '', further = '', after = ''): boolean {
  return (
    not.has(before) ||
    (not.has(further) && before !== ',') ||
    after === 'нет' ||
    (before === 'от' && further === 'след')
  );
}

/** `Стерилизация: да`, `вакцинация сделаны`. */
function isDone(list: Tokens['list'], n: number): boolean {
  if (list[n + 1]?.plain === ':') return true;
  return list
    .slice(n + 1, n + 5)
    .some(({ plain }) => /^(?:сделан|сделана|сделаны|пройден|да|есть|✔|✅|☑)/.test(plain));
}
