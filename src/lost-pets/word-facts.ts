// What is known of a word by itself. Words repeat from post to post, so what was found out is remembered.

import { hintOf } from './animal-hints.ts';
import { type Care, careOf } from './care-words.ts';
import { type Ending, endingOf } from './endings.ts';
import { type NameHint, nameHintOf } from './name-words.ts';
import { type SaidSex, sexSaidBy } from './sex-words.ts';
import { stemsOf } from './stems.ts';
import { type FeatureName, featureName } from './type-table.ts';
import { wordStemOf } from './word-stem.ts';
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
  readonly role: Role | undefined;
  readonly animal: Animal | undefined;
  readonly breed: Animal | 'mixed' | undefined;
  readonly breedAdjective: 'cat' | 'any' | undefined;
  readonly place: PlaceKind | undefined;
  readonly town: boolean | undefined;
  /** A part of a town that is known by its own name: `уралмаш`. */
  readonly district: boolean | undefined;
  readonly placeAdjective: boolean | undefined;
  readonly preposition: boolean | undefined;
  readonly joiner: boolean | undefined;
  readonly noPlace: boolean | undefined;
  readonly time: TimeKind | undefined;
  readonly firstName: boolean | undefined;
  /** A name that hardly anybody but a pet has. */
  readonly petName: boolean | undefined;
  readonly personRole: boolean | undefined;
  /** Whether any of these is known. */
  readonly isKnown: boolean;
  /** The mark of care that it may be. */
  readonly care: Care | undefined;
  /** The animal that it hints at without naming it. */
  readonly hint: Animal | undefined;
  /** What it says of a name near it. */
  readonly nameHint: NameHint | undefined;
  readonly sex: SaidSex | undefined;
  /** What the ending of the word says. */
  readonly ending: Ending;
  /** The part of the word that its forms share. */
  readonly stem: FeatureName;
  /** The name of its role among the features of a post. */
  readonly mark: FeatureName | undefined;
}

type Known = Omit<
  WordFacts,
  'isKnown' | 'care' | 'hint' | 'nameHint' | 'sex' | 'ending' | 'stem' | 'mark'
>;

const unknown: Known = {
  role: undefined,
  animal: undefined,
  breed: undefined,
  breedAdjective: undefined,
  place: undefined,
  town: undefined,
  district: undefined,
  placeAdjective: undefined,
  preposition: undefined,
  joiner: undefined,
  noPlace: undefined,
  time: undefined,
  firstName: undefined,
  petName: undefined,
  personRole: undefined,
};

/**
 * All facts have the same keys in the same order, written one by one: so the engine keeps them all in the object itself,
 * and reads them fastest.
 */
function factsWith(word: string, known: Known): WordFacts {
  return {
    role: known.role,
    animal: known.animal,
    breed: known.breed,
    breedAdjective: known.breedAdjective,
    place: known.place,
    town: known.town,
    district: known.district,
    placeAdjective: known.placeAdjective,
    preposition: known.preposition,
    joiner: known.joiner,
    noPlace: known.noPlace,
    time: known.time,
    firstName: known.firstName,
    petName: known.petName,
    personRole: known.personRole,
    isKnown: Object.values(known).some((each) => each !== undefined),
    care: careOf(word),
    hint: hintOf(word),
    nameHint: nameHintOf(word),
    sex: sexSaidBy(word),
    ending: endingOf(word),
    stem: featureName(wordStemOf(word)),
    mark: known.role === undefined ? undefined : featureName(`@${known.role}`),
  };
}

export const nothing: WordFacts = factsWith('', unknown);

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
const namedTowns = stemsOf(yes(townWords.replaceAll(/\S+\*/g, '')));
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
  const facts = factsWith(word, {
    role: roles.of(word),
    animal: animals.of(word),
    breed: breeds.of(word),
    breedAdjective: adjectives.of(word),
    place: placeOf(word),
    town: townOf(word),
    district: districts.of(word),
    placeAdjective: ofPlaces.of(word),
    preposition: prepositions.of(word),
    joiner: joiners.of(word),
    noPlace: noPlaces.of(word),
    time: times.of(word),
    firstName: ofVillage.test(word) ? undefined : names.of(word),
    petName: petNamed.of(word),
    personRole: personal.of(word),
  });
  if (facts.isKnown) return facts;
  const misspelt = factsWith(word, {
    ...unknown,
    role: roles.ofMisspelt(word),
    animal: animals.ofMisspelt(word),
    breed: breeds.ofMisspelt(word),
    place: misspeltPlaces.ofSound(word),
  });
  if (misspelt.isKnown) return misspelt;
  const compound = word.includes('-') ? ofCompound(word) : undefined;
  return compound ?? facts;
}

const derived = /(?:ьн|ов|ев|ск|йн|зн|тн|жн|рн|дн)(?:ая|ой|ую|ого|ому|ый|ий|ое)$/;
const nouns =
  /^(?:столов|проходн|котельн|конечн|лыжн|детск|хоккейн|коллективн|лодочн|воинск|лесн|колхозн)/;

/** An adjective of a kind is no kind but the name of a street: `на Вокзальной`, `Театральная 5`. */
function placeOf(word: string): PlaceKind | undefined {
  const place = places.of(word);
  return place === 'named' && derived.test(word) && !nouns.test(word) ? undefined : place;
}

/** `Ивановка`, `Леонидовке`: a village or a part of a town, and nobody's name. */
const ofVillage = /[а-я]{3}(?:овк|евк)[аеиуо]й?$/;

/** Of a town's stem these are the name of a street: `Дзержинского, 30`, `Курская 5`. */
const ofStreet = /(?:ского|ская|ской|скую)$/;

function townOf(word: string): true | undefined {
  return ofStreet.test(word) ? namedTowns.of(word) : towns.of(word);
}

/** `котенок-девочка`, `братика-котенка`: what one of its parts is. */
function ofCompound(word: string): WordFacts | undefined {
  const parts = word.split('-', 4).filter((part) => part.length > 2 && part !== word);
  const facts = parts.map(factsOf);
  const known = facts.find(({ animal, breed }) => animal !== undefined || breed !== undefined);
  if (known === undefined) return undefined;
  return { ...known, nameHint: nameHintOf(word), sex: sexSaidBy(word) };
}
