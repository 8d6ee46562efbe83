// Whether an adjective and the noun after it stand in the same form, as far as their endings tell.

import type { Token } from './tokens.ts';

interface Form {
  readonly adjective: RegExp;
  readonly noun: RegExp;
}

/** In this order: the first whose adjective fits decides. */
const forms: readonly Form[] = [
  { adjective: /(?:ого|его)$/, noun: /[ая]$/ },
  { adjective: /(?:ому|ему)$/, noun: /[ую]$/ },
  { adjective: /[оеё]м$/, noun: /[еиу]$/ },
  { adjective: /[ыи]м$/, noun: /(?:ом|ем|ам|ям)$/ },
  { adjective: /[ыи]ми$/, noun: /(?:ами|ями)$/ },
  { adjective: /[ыи]х$/, noun: /[а-я]$/ },
  { adjective: /(?:ая|яя)$/, noun: /[аяь]$/ },
  { adjective: /(?:ую|юю)$/, noun: /[ую]$|ь$/ },
  { adjective: /(?:ое|ее)$/, noun: /[оеё]$/ },
  { adjective: /(?:ые|ие)$/, noun: /[ыиая]$/ },
  { adjective: /(?:ый|ий)$/, noun: /[бвгджзйклмнпрстфхцчшщь]$/ },
  { adjective: /(?:ой|ей)$/, noun: /(?:[еиы]|ой|ей|ью|[бвгджзклмнпрстфхцчшщь])$/ },
];
/** Abbreviations have no endings: `ул`, `пр-т`, `мкр`. */
const longestAbbreviation = 4;
/** One form for all cases: `по Московскому шоссе`. */
const indeclinable = /^(?:шоссе|метро|депо|кафе)$/;

export function agrees(adjective: string, noun: string): boolean {
  if (noun.length <= longestAbbreviation && !/[аеиоуыэюя]$/.test(noun) && noun !== 'дом')
    return true;
  if (indeclinable.test(noun)) return /[оеё](?:е|го|м|му)$|им$|ым$/.test(adjective);
  for (const form of forms) if (form.adjective.test(adjective)) return form.noun.test(noun);
  return false;
}

/** `Хороший, ласковый`: two adjectives in a row tell what an animal is like. */
export function areTraits(first: Token, second: Token | undefined): boolean {
  return first.facts.ending.adjective && second?.facts.ending.adjective === true && !second.capital;
}
