// Reads a Russian post about a pet: what it is about, which animal, where, when, whom to call.

import { accountsIn } from './accounts.ts';
import { ageIn } from './age.ts';
import type { AnimalReading } from './animal.ts';
import type { Care } from './care-words.ts';
import { contactsIn } from './contacts.ts';
import { type Kind, kindOf } from './kind.ts';
import { lookAt } from './look-at.ts';
import { placeIn } from './place.ts';
import { type Sex, sexIn } from './sex.ts';
import type { Found, Span } from './span.ts';
import { whenIn } from './when.ts';
import type { Animal } from './words/animals.ts';

export interface Reading {
  readonly type: Kind;
  readonly animal: AnimalReading;
  /** All animals that the post names, in its order. */
  readonly animals: readonly Animal[];
  readonly sex?: Sex;
  readonly breed?: string;
  readonly age?: string;
  readonly name?: string;
  readonly place?: string;
  readonly when?: string;
  /** +7 and ten digits. */
  readonly phones: readonly string[];
  readonly contacts: readonly string[];
  /** VK accounts: id1, club1 or a screen name. */
  readonly vk: readonly string[];
  readonly care: readonly Care[];
  /** The words that led to each of these, by their places in the text. */
  readonly words: Readonly<Record<string, readonly Span[]>>;
}

/** Longer posts than VK takes are read up to here. */
const longest = 20_000;

export function readPost(text: string): Reading {
  const seen = lookAt(text.slice(0, longest));
  const { tokens, animals, breed, name, care, phones } = seen;
  const { kind, because, isOfThings } = kindOf(seen);
  const isAboutPets = kind !== 'unknown' && kind !== 'empty' && kind !== 'link';

  const age = isAboutPets ? ageIn(tokens) : undefined;
  const isOfEvent = isAboutPets && kind !== 'adoption' && kind !== 'fundraising';
  const when = isOfEvent ? whenIn(tokens) : undefined;
  const contacts = contactsIn(tokens, phones, name);
  const place = isAboutPets
    ? placeIn(tokens, kind, [name, when, age, breed, ...phones, ...contacts])
    : undefined;
  const sex = isAboutPets ? sexIn(tokens, name) : undefined;
  const vk = accountsIn(tokens);
  const told = isAboutPets ? care : [];
  // Rats and pigeons are spoken of where nobody has them.
  const isNamed = kind === 'unknown' && !isOfThings && animals[0]?.value !== 'other';
  const about = isAboutPets || isNamed ? animals : [];
  return {
    type: kind,
    animal: about[0]?.value ?? 'unknown',
    animals: [...new Set(about.map(({ value }) => value))],
    ...valued('sex', sex),
    ...valued('breed', isAboutPets ? breed : undefined),
    ...valued('age', age),
    ...valued('name', isAboutPets ? name : undefined),
    ...valued('place', place),
    ...valued('when', when),
    phones: phones.map(({ value }) => value),
    contacts: contacts.map(({ value }) => value),
    vk: vk.map(({ value }) => value),
    care: told.map(({ value }) => value),
    words: wordsOf({
      type: because,
      animal: about.slice(0, 1),
      sex,
      breed: isAboutPets ? breed : undefined,
      age,
      name: isAboutPets ? name : undefined,
      place,
      when,
      phones,
      contacts,
      vk,
      care: told,
    }),
  };
}

function valued<Key extends string, Value>(
  key: Key,
  found: Found<Value> | undefined,
): { [key in Key]?: Value } {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a computed key is of its type
  return (found === undefined ? {} : { [key]: found.value }) as { [key in Key]?: Value };
}

function wordsOf(
  found: Readonly<Record<string, Span | readonly Span[] | undefined>>,
): Record<string, Span[]> {
  const words: Record<string, Span[]> = {};
  for (const [field, spans] of Object.entries(found)) {
    if (spans === undefined) continue;
    const list = 'start' in spans ? [spans] : spans;
    if (list.length > 0) words[field] = list.map(({ start, end }) => ({ start, end }));
  }
  return words;
}
