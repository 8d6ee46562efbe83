// Reads a Russian post about a pet: what it is about, which animal, where, when, whom to call.

import { accountsIn } from './accounts.ts';
import { ageIn } from './age.ts';
import type { AnimalReading } from './animal.ts';
import type { Care } from './care-words.ts';
import { contactsIn } from './contacts.ts';
import { type Kind, kindOf } from './kind.ts';
import { lookAt } from './look-at.ts';
import { placeIn } from './place.ts';
import { sexIn } from './sex.ts';
import type { Sex } from './sex-words.ts';
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
  const { tokens, animals, name, care, phones } = seen;
  const { kind, because, isOfThings } = kindOf(seen);
  const isAboutPets = kind !== 'unknown' && kind !== 'empty' && kind !== 'link';

  const age = isAboutPets ? ageIn(tokens) : undefined;
  const isOfEvent = isAboutPets && kind !== 'adoption' && kind !== 'fundraising';
  const when = isOfEvent ? whenIn(tokens) : undefined;
  const contacts = contactsIn(tokens, phones, name);
  const place = isAboutPets
    ? placeIn(tokens, kind, [name, when, age, seen.breed, ...phones, ...contacts])
    : undefined;
  // Rats and pigeons are spoken of where nobody has them.
  const isNamed = kind === 'unknown' && !isOfThings && animals[0]?.value !== 'other';
  return readingOf({
    type: kind,
    because,
    animals: isAboutPets || isNamed ? animals : [],
    sex: isAboutPets ? sexIn(tokens, name) : undefined,
    breed: isAboutPets ? seen.breed : undefined,
    age,
    name: isAboutPets ? name : undefined,
    place,
    when,
    phones,
    contacts,
    vk: accountsIn(tokens),
    care: isAboutPets ? care : [],
  });
}

/** What was read, each with its place in the text. */
interface Findings {
  readonly type: Kind;
  readonly because: readonly Span[];
  readonly animals: readonly Found<Animal>[];
  readonly sex: Found<Sex> | undefined;
  readonly breed: Found<string> | undefined;
  readonly age: Found<string> | undefined;
  readonly name: Found<string> | undefined;
  readonly place: Found<string> | undefined;
  readonly when: Found<string> | undefined;
  readonly phones: readonly Found<string>[];
  readonly contacts: readonly Found<string>[];
  readonly vk: readonly Found<string>[];
  readonly care: readonly Found<Care>[];
}

/** What a post need not say. */
type Optional = Pick<Reading, 'sex' | 'breed' | 'age' | 'name' | 'place' | 'when'>;

/** Key by key: to spread an object together from many others takes longer than to find out what is in it. */
function readingOf(found: Findings): Reading {
  const { type, because, animals, sex, breed, age, name, place, when } = found;
  const { phones, contacts, vk, care } = found;
  const words: Record<string, readonly Span[]> = {};
  const said: { -readonly [key in keyof Optional]: Optional[key] } = {};
  if (because.length > 0) words['type'] = because.map(spanOf);
  if (animals[0] !== undefined) words['animal'] = [spanOf(animals[0])];
  if (sex !== undefined) {
    said.sex = sex.value;
    words['sex'] = [spanOf(sex)];
  }
  if (breed !== undefined) {
    said.breed = breed.value;
    words['breed'] = [spanOf(breed)];
  }
  if (age !== undefined) {
    said.age = age.value;
    words['age'] = [spanOf(age)];
  }
  if (name !== undefined) {
    said.name = name.value;
    words['name'] = [spanOf(name)];
  }
  if (place !== undefined) {
    said.place = place.value;
    words['place'] = [spanOf(place)];
  }
  if (when !== undefined) {
    said.when = when.value;
    words['when'] = [spanOf(when)];
  }
  if (phones.length > 0) words['phones'] = phones.map(spanOf);
  if (contacts.length > 0) words['contacts'] = contacts.map(spanOf);
  if (vk.length > 0) words['vk'] = vk.map(spanOf);
  if (care.length > 0) words['care'] = care.map(spanOf);
  return {
    type,
    animal: animals[0]?.value ?? 'unknown',
    animals: distinct(valuesOf(animals)),
    ...said,
    phones: valuesOf(phones),
    contacts: valuesOf(contacts),
    vk: valuesOf(vk),
    care: valuesOf(care),
    words,
  };
}

const valuesOf = <Value>(found: readonly Found<Value>[]): Value[] =>
  found.map(({ value }) => value);

const spanOf = ({ start, end }: Span): Span => ({ start, end });

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return values.length < 2 ? values : [...new Set(values)];
}
