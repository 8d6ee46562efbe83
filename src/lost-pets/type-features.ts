// What the learned part of the reader looks at: words, pairs of neighbours and some facts, under names that a person can
// read in the table of weights.
//
//   `собак`            a word, by the part that its forms share
//   `@gone`            a word that plays this part (words/roles.ts)
//   `first:@gone`      the same in the headline; `last:` in the last two sentences
//   `ищ дом`, `@seek дом`, `. кот`   neighbours; the full stop is the beginning or the end of a sentence
//   `is:phone`         a fact
//
// ANIMAL, TOWN, NAME, NUMBER, TAG and LINK stand for whatever is one.

import type { Judgement } from './kind-by-rules.ts';
import type { Seen } from './look-at.ts';
import type { Token } from './tokens.ts';
import { type FeatureName, featureName } from './type-table.ts';

/** Told of each feature, of some several times. */
export interface FeatureListener {
  word(name: FeatureName, isFirst: boolean, isLast: boolean, token: number): void;
  pair(first: FeatureName, second: FeatureName, token: number): void;
  fact(name: FeatureName): void;
}

export function tellFeatures(
  seen: Seen,
  { updates, headline, isOfThings, hasCard }: Judgement,
  listener: FeatureListener,
): void {
  const { list } = seen.tokens;
  const end = lastSentencesOf(list);
  let words = 0;
  let before = stop;
  let partBefore = stop;
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    const name = token === undefined ? undefined : nameOf(token);
    if (token === undefined || name === undefined) continue;
    const { mark } = token.facts;
    if (token.kind === 'word') words += 1;
    if (name !== stop) {
      const isFirst = n >= updates && n < headline;
      listener.word(name, isFirst, n >= end, n);
      if (mark !== undefined) listener.word(mark, isFirst, n >= end, n);
      listener.pair(before, name, n);
    }
    const part = mark ?? name;
    if (part !== name || partBefore !== before) listener.pair(partBefore, part, n);
    before = name;
    partBefore = part;
  }
  tellFacts(seen, words, listener);
  if (hasCard) listener.fact(factNames.card);
  if (updates > 0) listener.fact(factNames.update);
  if (isOfThings) listener.fact(factNames.thing);
}

function tellFacts(
  { surroundings, name, breed }: Seen,
  words: number,
  listener: FeatureListener,
): void {
  const { hasPhone, hasPet, firstAnimal, careMarks } = surroundings;
  listener.fact(hasPhone ? factNames.phone : factNames.withoutPhone);
  listener.fact(hasPet ? factNames.pet : factNames.withoutPet);
  if (firstAnimal === undefined) listener.fact(factNames.withoutAnimal);
  if (name !== undefined) listener.fact(factNames.name);
  if (breed !== undefined) listener.fact(factNames.breed);
  const care = cares[Math.min(careMarks, cares.length - 1)];
  if (care !== undefined) listener.fact(care);
  if (words >= 80) listener.fact(factNames.long);
}

const factNames = {
  phone: featureName('is:phone'),
  withoutPhone: featureName('is:without-phone'),
  pet: featureName('is:pet'),
  withoutPet: featureName('is:without-pet'),
  withoutAnimal: featureName('is:without-animal'),
  card: featureName('is:card'),
  name: featureName('is:name'),
  breed: featureName('is:breed'),
  update: featureName('is:update'),
  thing: featureName('is:thing'),
  long: featureName('is:long'),
};
const cares = ['care:0', 'care:1', 'care:2', 'care:3'].map(featureName);
const stop = featureName('.');
const classes = {
  ANIMAL: featureName('ANIMAL'),
  TOWN: featureName('TOWN'),
  NAME: featureName('NAME'),
  NUMBER: featureName('NUMBER'),
  TAG: featureName('TAG'),
  LINK: featureName('LINK'),
};

function nameOf({ kind, plain, facts, capital }: Token): FeatureName | undefined {
  if (kind === 'word') {
    if (facts.animal !== undefined || facts.breed !== undefined) return classes.ANIMAL;
    if (!capital) return facts.town || facts.district ? classes.TOWN : facts.stem;
    if (facts.petName) return classes.ANIMAL;
    if (facts.town || facts.district) return classes.TOWN;
    return facts.firstName ? classes.NAME : facts.stem;
  }
  if (kind === 'sign') return signs.get(plain);
  return kind === 'emoji' ? featureName(plain) : others[kind];
}

const signs = new Map<string, FeatureName>([
  ['.', stop],
  ['!', stop],
  ['…', stop],
  ['?', featureName('?')],
  [':', featureName(':')],
]);
const others = {
  number: classes.NUMBER,
  hashtag: classes.TAG,
  line: stop,
  link: classes.LINK,
  mention: classes.LINK,
  account: classes.LINK,
};

/** The token at which the last two sentences begin. */
function lastSentencesOf(list: readonly Token[]): number {
  let sentences = 0;
  let isInside = false;
  for (let n = list.length - 1; n >= 0; n -= 1) {
    const token = list[n];
    if (token === undefined) continue;
    const isEnd = token.kind === 'line' || (token.kind === 'sign' && closing.has(token.plain));
    if (isEnd && isInside) sentences += 1;
    if (sentences === 2) return n + 1;
    isInside = !isEnd && (isInside || token.kind === 'word');
  }
  return 0;
}

const closing = new Set(['.', '!', '…', '?']);
