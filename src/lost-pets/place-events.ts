// Words that tell what happened, so that a place beside them is the place of the event.

import type { Token } from './tokens.ts';

const losses = [
  'gone',
  'fled',
  'left',
  'escaped',
  'stolen',
  'lostBySomebody',
  'missing',
  'returned',
];

const lossRoles = new Set(losses);
const eventRoles = new Set([
  ...losses,
  'found',
  'foundBySomebody',
  'taken',
  'came',
  'saw',
  'roams',
  'moves',
  'turnedUp',
  'whose',
  'hit',
]);

export function isEvent({ facts }: Token): boolean {
  return facts.role !== undefined && eventRoles.has(facts.role);
}

/** Of a pet that is away from home, or was. */
export function isLoss({ facts }: Token): boolean {
  return facts.role !== undefined && lossRoles.has(facts.role);
}

/** `Щербакова 35 сегодня`, but not `до Малышева 5 сегодня`. */
export function isDated(list: readonly Token[], from: number, after: Token): boolean {
  return after.facts.time !== undefined && list[from - 1]?.facts.preposition !== true;
}

/** `Сейчас у меня на работе, Гагарина 12`: where it was brought, and not where it was found. */
export function isWhereKept(list: readonly Token[], from: number): boolean {
  for (let n = from - 1; n > from - 9; n -= 1) {
    const token = list[n];
    if (token === undefined || token.kind === 'line' || /^[.!?]$/.test(token.plain)) return false;
    if (isEvent(token)) return false;
    if (/^(?:сейчас|пока|временно)$/.test(token.plain)) return true;
  }
  return false;
}
