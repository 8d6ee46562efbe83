// Streets that are named after a day: `на 8 Марта`, `22 Апреля 18`. With a small letter it is a date, unless a street is said.

import type { Token } from './tokens.ts';

const leads = /^(?:на|по|у|возле|около|угол|углу)$/;

/** Whether the number at a token begins the name of a street. */
export function isStreetOfDay(list: readonly Token[], n: number): boolean {
  const month = list[n + 1];
  if (month?.facts.time !== 'month') return false;
  const before = list[n - 1]?.plain === '.' ? list[n - 2] : list[n - 1];
  // `ул 8 марта 5`, however it is written; in `ул. 8 марта в 19.30` it is a date.
  if (!month.capital || month.shouted)
    return ofStreet.test(before?.plain ?? '') && hasHouse(list, n + 2);
  return (
    leads.test(before?.plain ?? '') || ofStreet.test(before?.plain ?? '') || hasHouse(list, n + 2)
  );
}

const ofStreet = /^(?:ул|улиц[аеуы])$/;

/** `12`, `, 12`, `д. 12` */
function hasHouse(list: readonly Token[], from: number): boolean {
  let at = list[from]?.plain === ',' ? from + 1 : from;
  if (/^(?:д|дом)$/.test(list[at]?.plain ?? '')) at += list[at + 1]?.plain === '.' ? 2 : 1;
  const [house, after] = [list[at], list[at + 1]];
  return (
    house?.kind === 'number' &&
    /^\d{1,3}$/.test(house.plain) &&
    after?.plain !== ':' &&
    after?.facts.time === undefined
  );
}
