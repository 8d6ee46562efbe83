// What the phrases of a post say about its type: the sum of their weights, more for those at its beginning.

import { candidatesOf, type Pattern, type Phrase, patternOf } from './patterns.ts';
import { namesCard } from './phones.ts';
import type { Found, Span } from './span.ts';
import type { Token, Tokens } from './tokens.ts';
import { type Kind, kindRules, type SaidKind, tagRules } from './words/kind-rules.ts';

export interface Judgement {
  readonly kind: Exclude<Kind, 'link' | 'empty'>;
  /** Whether a thing or a person is missing, so that an animal in it is a key ring at most. */
  readonly isOfThings: boolean;
  readonly hasCard: boolean;
  readonly scores: Readonly<Scores>;
  /** All phrases that say something, each with the type that it speaks for. */
  readonly because: readonly Found<SaidKind>[];
  /** The tokens of the lines at the beginning that were added later end here. */
  readonly updates: number;
  /** The tokens of the first line or the first two sentences end here. */
  readonly headline: number;
}

const rules = kindRules.map((rule) => ({
  ...rule,
  pattern: patternOf(rule.phrase),
  isThanks: rule.kind === 'news' && rule.phrase.endsWith('thanks'),
  seeksOwner: rule.kind === 'found' && (rule.asks === true || rule.phrase.includes('owner')),
}));
const candidates = candidatesOf(rules.map(({ pattern }) => pattern));
const selling = patternOf('sell');
const askingAdvice = ['askAdvice ~4 expert', 'who ~2 know ~6 expert|buy'].map(patternOf);
const updating = patternOf('update');
const over = patternOf(
  'turnedUp|returned|found|foundBySomebody|atHome|closed|placed|broughtBack|homeward|rainbow|taken',
);
const complaining = patternOf('complaint');
/** An animal that moves on or that nobody can catch is kept by nobody. */
const free = ['moves|saw', 'not ~2 lets|catch', 'catch ~2 not ~1 can'].map(patternOf);
const things = patternOf(
  'gone|fled|missing|lostBySomebody|found|foundBySomebody|toFind|stolen ~3 thing|person',
);
const ofOldPeople = patternOf('gone|left elder');
/** A person who has lost or found something is not missing: `мужчина потерял собаку`. */
const thingsFirst = [
  'thing ~3 gone|fled|lostBySomebody|found|foundBySomebody|stolen',
  'person ~3 gone|fled|found|stolen',
].map(patternOf);

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

export function kindByRules(
  tokens: Tokens,
  phrase: Phrase,
  { hasPet, firstAnimal, hasPhone, careMarks }: Surroundings,
): Judgement {
  const because: Found<SaidKind>[] = [];
  const scores: Scores = { lost: 0, found: 0, sighting: 0, adoption: 0, fundraising: 0, news: 0 };
  const isCovered = new Uint8Array(phrase.codes.length);
  const updates = updatesIn(tokens, phrase);
  const headline = headlineOf(tokens, updates);
  let asked = 0;
  let thanked = 0;
  let isOwnerSought = false;
  for (const number of candidates(phrase)) {
    const rule = rules[number];
    if (rule === undefined) continue;
    const { kind, weight, pattern, covers, asks, isThanks, seeksOwner } = rule;
    let repeats = 1;
    for (const { from, to } of pattern.find(phrase)) {
      if (touches(isCovered, from, to)) continue;
      if (covers) isCovered.fill(1, from, to);
      const place = from < updates ? (kind === 'news' ? 1.5 : 0.3) : to <= headline ? 1.5 : 1;
      const points = (weight * place) / repeats;
      scores[kind] += points;
      isOwnerSought ||= seeksOwner;
      if (asks) asked += points;
      if (isThanks) thanked += points;
      repeats *= 2;
      because.push({ value: kind, ...spanOf(tokens.list, from, to) });
    }
  }
  addHashtags(tokens, scores, because);
  const hasCard = namesCard(tokens.plain);
  if (hasCard) scores.fundraising += 2.5;
  // Owners tell of care, too.
  if (scores.lost < 4) scores.adoption += Math.min(careMarks, 3) * (scores.lost < 1 ? 0.8 : 0.4);
  const isFree = free.some((pattern) => pattern.find(phrase).length > 0);
  if (isFree && scores.found - asked < 0.9) scores.found -= asked * 0.75;
  // `Спасибо за репост`: thanks for what is asked for, while nothing says that it is over.
  if (scores.lost >= 2 && thanked > 0 && over.find(phrase).length === 0) scores.news -= thanked;
  weigh(scores, asked, isOwnerSought);

  const [best, score] = highest(scores);
  const { list } = tokens;
  const sold = [selling, ...askingAdvice].flatMap((pattern) => pattern.find(phrase)).length * 2.5;
  const first = [things, ...thingsFirst].flatMap((pattern) => pattern.find(phrase))[0];
  const isOfThings =
    first !== undefined &&
    (firstAnimal === undefined || first.to <= firstAnimal) &&
    first.to <= headline;
  const isOfThing =
    firstAnimal === undefined &&
    (best === 'lost' || best === 'found') &&
    (list.some(isThing) || ofOldPeople.find(phrase).length > 0);
  const isSaid = hasPet ? score >= 1.2 : score >= 3 && isSaidWithoutPet(best, phrase);
  const known = {
    hasCard,
    scores,
    because,
    updates,
    headline,
    isOfThings: isOfThings || isOfThing,
  };
  if (known.isOfThings) return { ...known, kind: 'unknown' };
  const isComplaint = complaining.find(phrase).length > 0;
  if (sold > score || (isComplaint && (best === 'sighting' || score < 1.2)))
    return { ...known, kind: 'unknown' };
  // Somebody tells of an animal and asks for nothing.
  if (!isSaid) {
    const isTold = firstAnimal !== undefined && sold === 0 && !hasPhone;
    return { ...known, kind: isTold ? 'news' : 'unknown' };
  }
  return { ...known, kind: best };
}

function touches(isCovered: Uint8Array, from: number, to: number): boolean {
  for (let n = from; n < to; n += 1) if (isCovered[n] === 1) return true;
  return false;
}

const goneAlone = patternOf('gone|loss|fled');
const seenLast = patternOf('saw ~2 last');
const notYet = patternOf('not ~1 turnedUp|found|foundBySomebody|returned');
const overAlone = patternOf('turnedUp|search|thanks|broughtBack');
const homeAgain = patternOf('returned|placed ~2 homeward');
const groupRules = patternOf('announce ~2 advice');
const likeOneSeen = patternOf('maybe|seekYou ~5 saw');
const treatmentAlone = patternOf('treatment|shelter');
const homeAlone = patternOf('home|hands|takeHer|give');

/** In a community about pets, `Пропал вчера на Уралмаше` says enough. */
function isSaidWithoutPet(kind: SaidKind, phrase: Phrase): boolean {
  const says = (pattern: Pattern): boolean => pattern.find(phrase).length > 0;
  if (kind === 'lost') return says(goneAlone) || says(notYet) || says(seenLast);
  if (kind === 'adoption') return says(homeAlone);
  if (kind === 'sighting') return says(likeOneSeen);
  if (kind === 'fundraising') return says(treatmentAlone);
  return kind === 'news' && (says(overAlone) || says(homeAgain) || says(groupRules));
}

/** Corrections that only the whole shows. */
function weigh(scores: Scores, asked: number, isOwnerSought: boolean): void {
  // Who looks for a new home tells first how the animal was found.
  if (scores.adoption >= 4 && !isOwnerSought) scores.found *= 0.6;
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

function addHashtags({ list, hashtags }: Tokens, scores: Scores, because: Found<SaidKind>[]): void {
  if (hashtags === 0) return;
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

/** The tokens of the lines at the beginning that were added later: `UPD: видели у моста`. */
function updatesIn({ list }: Tokens, phrase: Phrase): number {
  let end = 0;
  for (const { from } of updating.find(phrase)) {
    const isNext = !list.slice(end, from).some(({ kind }) => kind === 'word');
    if (!isNext) break;
    const line = list.findIndex(({ kind }, n) => n > from && kind === 'line');
    if (line < 0) break;
    end = line;
  }
  return end;
}

/** The tokens of the first line or the first two sentences, after what was added later. */
function headlineOf({ list }: Tokens, updates: number): number {
  let sentences = 0;
  let words = 0;
  for (const [n, { kind, plain }] of list.entries()) {
    if (n < updates) continue;
    if (kind === 'word') words += 1;
    if (words > 14) return n;
    const isEnd = kind === 'line' || plain === '!' || plain === '.' || plain === '?';
    if (isEnd && words > 2) sentences += 1;
    if (sentences >= 2) return n;
  }
  return list.length;
}

/** A thing that people lose, and no word that posts about pets have as well, such as телефон. */
function isThing({ facts, plain }: Token): boolean {
  return facts.role === 'thing' && losable.test(plain);
}

const losable =
  /^(?:айфон|смартфон|ключ|кошел|документ|паспорт|рюкзак|сережк|серьг|наушник|портмоне|снилс|велосипед|самокат|планшет|ноутбук|коляск|браслет|цепочк|флешк)/;

function spanOf(list: readonly Token[], from: number, to: number): Span {
  return { start: list[from]?.start ?? 0, end: list[to - 1]?.end ?? 0 };
}
