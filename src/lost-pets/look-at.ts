// What is found in a post before its type is judged.

import { animalsIn } from './animal.ts';
import { breedIn } from './breed.ts';
import { careIn } from './care.ts';
import type { Care } from './care-words.ts';
import type { Surroundings } from './kind-by-rules.ts';
import { nameIn } from './name.ts';
import { type Phrase, phraseOf } from './patterns.ts';
import { phonesIn } from './phones.ts';
import type { Found } from './span.ts';
import { type Tokens, tokensOf } from './tokens.ts';
import type { Animal } from './words/animals.ts';

export interface Seen {
  readonly tokens: Tokens;
  readonly phrase: Phrase;
  readonly animals: readonly Found<Animal>[];
  readonly breed: Found<string> | undefined;
  readonly name: Found<string> | undefined;
  readonly care: readonly Found<Care>[];
  readonly phones: readonly Found<string>[];
  readonly surroundings: Surroundings;
}

export function lookAt(text: string): Seen {
  const tokens = tokensOf(text);
  const animals = animalsIn(tokens);
  const breed = breedIn(tokens);
  const name = nameIn(tokens);
  const care = careIn(tokens);
  const phones = phonesIn(tokens);
  const hasPet =
    animals.length > 0 ||
    care.length > 1 ||
    name !== undefined ||
    tokens.list.some(
      ({ facts, capital }) =>
        (facts.petName && capital) ||
        facts.role === 'pet' ||
        facts.role === 'stray' ||
        facts.role === 'shelter',
    );
  const firstAnimal =
    animals[0] === undefined
      ? undefined
      : tokens.list.findIndex(({ start }) => start === animals[0]?.start);
  const surroundings = {
    hasPet,
    firstAnimal,
    hasPhone: phones.length > 0,
    careMarks: care.length,
  };
  return { tokens, phrase: phraseOf(tokens), animals, breed, name, care, phones, surroundings };
}
