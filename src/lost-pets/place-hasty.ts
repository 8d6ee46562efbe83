// Names of places in lower case, as hasty people write them.

import { isTimeOrCount } from './place-houses.ts';
import type { Token, Tokens } from './tokens.ts';

/** Lower-case names, as hasty people write them: `ул белинского`, `район ботаника`. */
const isCalled = /(?:а|я|о|е|ов|ев|ин|ск|ой)$/;
/** In what form a lower-case name follows a whole word: `улице лунной`, but not `улице холодно`. */
const isGenitive = /(?:ой|ого|его|ых|их|ова|ева|ина|ская|ная|истов|иков|цев)$/;

const isOfSomebody = /[а-я]{3}(?:ова|ева|ина|ского|цкого|ская|ской)$/;

export type Looseness = 'strict' | 'word' | 'abbreviation';

/** `крупской 10`: a street in lower case with the number of a house, after a preposition or called after somebody. */
export function isHastyStreet({ list, isQuiet }: Tokens, n: number): boolean {
  const token = list[n];
  return (
    token?.kind === 'word' &&
    !token.capital &&
    token.plain.length > 4 &&
    list[n + 1]?.kind === 'number' &&
    hasOnlyMarks(token) &&
    !token.facts.noPlace &&
    (list[n - 1]?.facts.preposition === true
      ? isGenitive.test(token.plain)
      : isQuiet && isOfSomebody.test(token.plain) && !token.facts.firstName)
  );
}

/** `кот Щербакова 35`: a street after somebody's name with the number of a house. */
export function isStreetAlone(tokens: Tokens, n: number): boolean {
  const [token, number] = [tokens.list[n], tokens.list[n + 1]];
  return (
    token?.capital === true &&
    !token.facts.firstName &&
    isOfSomebody.test(token.plain) &&
    number?.kind === 'number' &&
    !isTimeOrCount(tokens, n + 1)
  );
}

export function isHastyName(list: readonly Token[], n: number, loose: Looseness): boolean {
  const token = list[n];
  if (token === undefined || loose === 'strict' || token.capital || !hasOnlyMarks(token))
    return false;
  const { facts, plain } = token;
  if (facts.preposition || facts.joiner || plain.length < 3) return false;
  const next = list[n + 1];
  if (next?.kind === 'number')
    return loose === 'abbreviation' || isGenitive.test(plain) || isCalled.test(plain);
  if (loose === 'word') return isGenitive.test(plain);
  return facts.ending.adjective || next?.kind !== 'word' || isCalled.test(plain);
}

/** `рязань канищево ул мира`: a name in lower case between a town and a street. */
export function isHastyArea({ list, isQuiet }: Tokens, n: number): boolean {
  const token = list[n];
  return (
    isQuiet &&
    token?.kind === 'word' &&
    token.plain.length > 3 &&
    hasOnlyMarks(token) &&
    !token.facts.noPlace &&
    !token.facts.preposition &&
    (list[n + 1]?.facts.place === 'street' ||
      (list[n + 1]?.kind === 'number' && list[n + 2]?.facts.place === 'area'))
  );
}

/** Whether nothing is known of a word that would make it another thing than a name. */
export function hasOnlyMarks({ facts }: Token): boolean {
  return (
    facts.role === undefined &&
    facts.animal === undefined &&
    facts.breed === undefined &&
    facts.breedAdjective === undefined &&
    facts.place === undefined &&
    facts.time === undefined
  );
}
