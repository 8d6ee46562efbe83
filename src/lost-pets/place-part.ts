// A part of an address, how much it tells, and the number of its house.

import { houseAt } from './place-houses.ts';
import { type IsTaken, isNumbered } from './place-names.ts';
import type { Tokens } from './tokens.ts';

/** How much a part tells: a house and a street tell more than a town. */
export const telling = {
  house: 5,
  street: 5,
  named: 4.4,
  settlement: 4,
  area: 3,
  spot: 2.6,
  town: 2.2,
  generic: 1,
} as const;

export interface Part {
  /** The token after its last. */
  readonly to: number;
  readonly tells: number;
  /** Whether a preposition, a label or other parts must stand beside it to make it a place. */
  readonly isGuess: boolean;
}

/** Adds the number of a house that follows. */
export function withHouse(tokens: Tokens, part: Part, isTaken: IsTaken): Part {
  const { list } = tokens;
  const last = list[part.to - 1];
  if (
    part.tells < telling.spot &&
    part.tells !== telling.town &&
    !(part.tells === telling.generic && isNumbered(last))
  )
    return part;
  // `Омск, 5`: no house of a town.
  if (part.tells === telling.town && list[part.to]?.kind !== 'number') return part;
  const house = houseAt(tokens, part.to, isTaken);
  if (house === undefined) return part;
  // `Снимок 2500`: a price.
  if (part.isGuess && /^\d{4}$/.test(list[house - 1]?.plain ?? '')) return part;
  const { to, tells, isGuess } = { ...part, to: house };
  if (tells >= telling.street) return { to, tells: tells + 0.5, isGuess };
  const isOfStreet = tells === telling.spot || tells === telling.town;
  return { to, tells: Math.max(tells + 1.6, isOfStreet ? telling.street : 0), isGuess };
}
