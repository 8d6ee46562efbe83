// What is known of a word by itself. Words repeat from post to post, so what was found out is remembered.

import { type Ending, endingOf } from './endings.ts';
import { stemsOf } from './stems.ts';
import {
  type Animal,
  animalWords,
  breedAdjectives,
  breedWords,
  catAdjectives,
  mixedWords,
  petNames,
} from './words/animals.ts';
import { firstNames, personRoles } from './words/people.ts';
import {
  districtWords,
  notPlaces,
  type PlaceKind,
  placeAdjectives,
  placeJoiners,
  placePrepositions,
  placeWords,
  townWords,
} from './words/places.ts';
import { type Role, roleWords } from './words/roles.ts';
import { type TimeKind, timeWords } from './words/times.ts';

export interface WordFacts {
  readonly role?: Role | undefined;
  readonly animal?: Animal | undefined;
  readonly breed?: Animal | 'mixed' | undefined;
  readonly breedAdjective?: 'cat' | 'any' | undefined;
  readonly place?: PlaceKind | undefined;
  readonly town?: boolean | undefined;
  /** A part of a town that is known by its own name: `уралмаш`. */
  readonly district?: boolean | undefined;
  readonly placeAdjective?: boolean | undefined;
  readonly preposition?: boolean | undefined;
  readonly joiner?: boolean | undefined;
  readonly noPlace?: boolean | undefined;
  readonly time?: TimeKind | undefined;
  readonly firstName?: boolean | undefined;
  /** A name that hardly anybody but a pet has. */
  readonly petName?: boolean | undefined;
  readonly personRole?: boolean | undefined;
  /** What the ending of the word says. */
  readonly ending: Ending;
}

export const nothing: WordFacts = Object.freeze({ ending: endingOf('') });

function entriesOf<Key extends string>(record: Readonly<Record<Key, string>>): [Key, string][] {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a record are its keys
  return Object.entries(record) as [Key, string][];
}

const yes = (words: string): [true, string][] => [[true, words]];

const roles = stemsOf(entriesOf(roleWords));
const animals = stemsOf(entriesOf(animalWords));
const breeds = stemsOf<Animal | 'mixed'>([['mixed', mixedWords], ...entriesOf(breedWords)]);
const adjectives = stemsOf<'cat' | 'any'>([
  ['cat', catAdjectives],
  ['any', breedAdjectives],
]);
const places = stemsOf(entriesOf(placeWords));
const misspeltPlaces = stemsOf<PlaceKind>([
  ['street', 'улица улице улицы улицу'],
  ['area', 'районе района микрорайон микрорайоне'],
  ['settlement', 'деревня деревне деревни поселок поселке поселка'],
]);
const towns = stemsOf(yes(townWords));
const districts = stemsOf(yes(districtWords));
const ofPlaces = stemsOf(yes(placeAdjectives));
const prepositions = stemsOf(yes(placePrepositions));
const joiners = stemsOf(yes(placeJoiners));
const noPlaces = stemsOf(yes(notPlaces));
const times = stemsOf(entriesOf(timeWords));
const names = stemsOf(yes(firstNames));
const petNamed = stemsOf(yes(petNames));
const personal = stemsOf(yes(personRoles));

const remembered = new Map<string, WordFacts>();
/** Enough for the words of a language's everyday use; forgotten all at once when strange words fill it. */
const mostRemembered = 50_000;

/** `word` is plain and in Cyrillic letters. */
export function factsOf(word: string): WordFacts {
  const known = remembered.get(word);
  if (known !== undefined) return known;
  if (remembered.size >= mostRemembered) remembered.clear();
  const found = lookUp(word);
  remembered.set(word, found);
  return found;
}

function lookUp(word: string): WordFacts {
  const facts = {
    role: roles.of(word),
    animal: animals.of(word),
    breed: breeds.of(word),
    breedAdjective: adjectives.of(word),
    place: places.of(word),
    town: towns.of(word),
    district: districts.of(word),
    placeAdjective: ofPlaces.of(word),
    preposition: prepositions.of(word),
    joiner: joiners.of(word),
    noPlace: noPlaces.of(word),
    time: times.of(word),
    firstName: names.of(word),
    petName: petNamed.of(word),
    personRole: personal.of(word),
  };
  const ending = endingOf(word);
  if (Object.values(facts).some((each) => each !== undefined)) return { ...facts, ending };
  const role = roles.ofMisspelt(word);
  const animal = animals.ofMisspelt(word);
  const breed = breeds.ofMisspelt(word);
  const place = misspeltPlaces.ofSound(word);
  if (role ?? animal ?? breed ?? place) return { role, animal, breed, place, ending };
  const compound = word.includes('-') ? ofCompound(word) : undefined;
  return { ...compound, ending };
}

/** `котенок-девочка`, `братика-котенка`: what one of its parts is. */
function ofCompound(word: string): WordFacts | undefined {
  const parts = word.split('-', 4).filter((part) => part.length > 2 && part !== word);
  const facts = parts.map(factsOf);
  return facts.find(({ animal, breed }) => animal !== undefined || breed !== undefined);
}
