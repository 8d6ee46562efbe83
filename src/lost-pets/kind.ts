// What a post is about: the sum of what its phrases say, more for those at its beginning.

import { type Pattern, type Phrase, patternOf } from './patterns.ts';
import { namesCard } from './phones.ts';
import type { Found, Span } from './span.ts';
import type { Token, Tokens } from './tokens.ts';
import { type Kind, kindRules, type SaidKind, tagRules } from './words/kind-rules.ts';

export type { Kind } from './words/kind-rules.ts';

export interface KindReading {
  readonly kind: Kind;
  /** Whether a thing or a person is missing, so that an animal in it is a key ring at most. */
  readonly isOfThings?: true;
  readonly because: readonly Found<SaidKind>[];
}

const rules = kindRules.map((rule) => ({ ...rule, pattern: patternOf(rule.phrase) }));
const selling = patternOf('sell');
/** An animal that moves on is kept by nobody. */
const moving = patternOf('moves|saw');
const outOfReach = patternOf('not ~2 can|catch');
const things = patternOf(
  'gone|fled|missing|lostBySomebody|found|foundBySomebody|toFind|stolen ~3 thing|person',
);
const thingsFirst = patternOf(
  'thing|person ~3 gone|fled|lostBySomebody|found|foundBySomebody|stolen',
);

type Scores = Record<SaidKind, number>;

/** What else is known when the type is judged. */
export interface Surroundings {
  /** Whether an animal is spoken of: by its species, its breed, as a pet or by its name. */
  readonly hasPet: boolean;
  /** The token of the first animal, if one is named. */
  readonly firstAnimal: number | undefined;
  readonly hasPhone: boolean;
  /** How many marks of care there are: they stand in posts that look for a home. */
  readonly careMarks: number;
}

export function kindOf(
  tokens: Tokens,
  phrase: Phrase,
  { hasPet, firstAnimal, hasPhone, careMarks }: Surroundings,
): KindReading {
  const plainest = withoutWords(tokens);
  if (plainest !== undefined) return { kind: plainest, because: [] };

  const because: Found<SaidKind>[] = [];
  const scores: Scores = { lost: 0, found: 0, sighting: 0, adoption: 0, fundraising: 0, news: 0 };
  const isCovered = new Uint8Array(phrase.codes.length);
  const headline = headlineOf(tokens);
  let asked = 0;
  for (const { kind, weight, pattern, covers, asks } of rules) {
    let repeats = 1;
    for (const { from, to } of pattern.find(phrase)) {
      if (isCovered.subarray(from, to).includes(1)) continue;
      if (covers) isCovered.fill(1, from, to);
      const points = (weight * (to <= headline ? 1.5 : 1)) / repeats;
      scores[kind] += points;
      if (asks) asked += points;
      repeats *= 2;
      because.push({ value: kind, ...spanOf(tokens.list, from, to) });
    }
  }
  addHashtags(tokens, scores, because);
  if (namesCard(tokens.plain)) scores.fundraising += 2.5;
  // Owners tell of care, too.
  if (scores.lost < 4) scores.adoption += Math.min(careMarks, 3) * 0.8;
  const isFree = moving.find(phrase).length > 0 || outOfReach.find(phrase).length > 0;
  if (isFree && scores.found - asked < 0.9) scores.found -= asked * 0.75;
  weigh(scores, asked);

  const [best, score] = highest(scores);
  const sold = selling.find(phrase).length * 2.5;
  const first = [...things.find(phrase), ...thingsFirst.find(phrase)][0];
  const isOfThings =
    first !== undefined &&
    (firstAnimal === undefined || first.to <= firstAnimal) &&
    first.to <= headline;
  const isSaid = hasPet ? score >= 1.2 : score >= 3 && isSaidWithoutPet(best, phrase);
  if (isOfThings) return { kind: 'unknown', isOfThings, because: [] };
  if (sold > score) return { kind: 'unknown', because: [] };
  // Somebody tells of an animal and asks for nothing.
  if (!isSaid)
    return {
      kind: firstAnimal === undefined || sold > 0 || hasPhone ? 'unknown' : 'news',
      because: [],
    };
  return { kind: best, because: because.filter(({ value }) => value === best) };
}

const goneAlone = patternOf('gone|fled');
const notYet = patternOf('not ~1 turnedUp|found|foundBySomebody|returned');
const overAlone = patternOf('turnedUp|search|thanks');
const homeAgain = patternOf('returned|placed ~2 homeward');
const groupRules = patternOf('announce ~2 advice');
const likeOneSeen = patternOf('maybe|seekYou ~5 saw');
const treatmentAlone = patternOf('treatment|shelter');
const homeAlone = patternOf('home|hands|takeHer|give');

/** In a community about pets, `Пропал вчера на Уралмаше` says enough. */
function isSaidWithoutPet(kind: SaidKind, phrase: Phrase): boolean {
  const says = (pattern: Pattern): boolean => pattern.find(phrase).length > 0;
  if (kind === 'lost') return says(goneAlone) || says(notYet);
  if (kind === 'adoption') return says(homeAlone);
  if (kind === 'sighting') return says(likeOneSeen);
  if (kind === 'fundraising') return says(treatmentAlone);
  return kind === 'news' && (says(overAlone) || says(homeAgain) || says(groupRules));
}

/** Corrections that only the whole shows. */
function weigh(scores: Scores, asked: number): void {
  // Who asks for money tells first how the animal was found.
  if (scores.fundraising >= 4 && asked === 0) scores.found *= 0.7;
  // Somebody who keeps an animal and looks for its owner has seen it, too.
  if (scores.found >= 2) scores.sighting *= 0.6;
  // Owners tell how it happened: who saw it, where it was found by others.
  if (scores.lost >= 4.5) {
    scores.found *= 0.6;
    scores.sighting *= 0.5;
  }
}

function highest(scores: Scores): readonly [SaidKind, number] {
  let best: SaidKind = 'lost';
  for (const kind of kindsByRank) if (scores[kind] > scores[best]) best = kind;
  return [best, scores[best]];
}

const kindsByRank: readonly SaidKind[] = [
  'lost',
  'found',
  'adoption',
  'fundraising',
  'news',
  'sighting',
];

function addHashtags({ list }: Tokens, scores: Scores, because: Found<SaidKind>[]): void {
  const said = new Set<SaidKind>();
  for (const { kind, plain, start, end } of list) {
    if (kind !== 'hashtag') continue;
    const letters = plain.replaceAll(/[^а-я]/g, '');
    const rule = tagRules.find(([, expression]) => expression.test(letters));
    if (rule === undefined || said.has(rule[0])) continue;
    said.add(rule[0]);
    scores[rule[0]] += 1.5;
    because.push({ value: rule[0], start, end });
  }
}

/** The tokens of the first line or the first two sentences. */
function headlineOf({ list }: Tokens): number {
  let sentences = 0;
  let words = 0;
  for (const [n, { kind, plain }] of list.entries()) {
    if (kind === 'word') words += 1;
    if (words > 14) return n;
    const isEnd = kind === 'line' || plain === '!' || plain === '.' || plain === '?';
    if (isEnd && words > 2) sentences += 1;
    if (sentences >= 2) return n;
  }
  return list.length;
}

const twoWords = 4;

/** `empty` or `link`, if there are no words to judge by. */
function withoutWords({ list }: Tokens): 'empty' | 'link' | undefined {
  const words = list.filter(({ kind }) => kind === 'word').length;
  const links = list.filter(
    ({ kind }) => kind === 'link' || kind === 'mention' || kind === 'account',
  ).length;
  if (links > 0 && words <= twoWords && !list.some(isTelling)) return 'link';
  const numbers = list.some(({ kind }) => kind === 'number');
  return words === 0 && !numbers && links === 0 ? 'empty' : undefined;
}

/** A word that makes a post more than a link. */
function isTelling({ facts }: Token): boolean {
  return (
    facts.animal !== undefined ||
    facts.breed !== undefined ||
    facts.role === 'gone' ||
    facts.role === 'found'
  );
}

function spanOf(list: readonly Token[], from: number, to: number): Span {
  return { start: list[from]?.start ?? 0, end: list[to - 1]?.end ?? 0 };
}
