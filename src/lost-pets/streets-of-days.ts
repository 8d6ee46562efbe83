// Streets that are named after a day: `на 8 Марта`, `22 Апреля 18`. With a small letter it is a date.

import type { Token } from './tokens.ts';

const leads = /^(?:на|по|у|возле|около|ул|улице|улица|улицы|угол|углу)$/;

/** Whether the number at a token begins the name of a street. */
export function isStreetOfDay(list: readonly Token[], n: number): boolean {
  const month = list[n + 1];
  if (month?.facts.time !== 'month' || !month.capital || month.shouted) return false;
  const before = list[n - 1]?.plain === '.' ? list[n - 2] : list[n - 1];
  if (leads.test(before?.plain ?? '')) return true;
  const house = list[list[n + 2]?.plain === ',' ? n + 3 : n + 2];
  const after = list[list[n + 2]?.plain === ',' ? n + 4 : n + 3];
  return (
    house?.kind === 'number' &&
    /^\d{1,3}$/.test(house.plain) &&
    after?.plain !== ':' &&
    after?.facts.time === undefined
  );
}
