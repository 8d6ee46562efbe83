// Which animal a post is about: the first that is named as lost, found, seen or given away.

import { endsSentence } from './patterns.ts';
import type { Found } from './span.ts';
import type { Token, Tokens } from './tokens.ts';
import type { Animal } from './words/animals.ts';

export type AnimalReading = Animal | 'unknown';

/** Animals that are only near, after these words: `к кошкам равнодушна`, `за голубями`, `у меня собака`. */
const aside = new Set([
  'к',
  'ко',
  'с',
  'со',
  'за',
  'от',
  'на',
  'против',
  'без',
  'о',
  'об',
  'про',
  'кроме',
  'среди',
  'как',
  'другими',
  'другая',
  'чужими',
  'между',
  'мама',
  'папа',
]);
const emoji: Readonly<Record<string, Animal>> = {
  '🐶': 'dog',
  '🐕': 'dog',
  '🐩': 'dog',
  '🦮': 'dog',
  '🐱': 'cat',
  '🐈': 'cat',
  '😺': 'cat',
  '😿': 'cat',
  '😻': 'cat',
  '🐇': 'other',
  '🐰': 'other',
  '🦜': 'other',
  '🐹': 'other',
  '🐢': 'other',
  '🐦': 'other',
  '🐴': 'other',
  '🐎': 'other',
};
const inTags: readonly (readonly [Animal, RegExp])[] = [
  ['dog', /собак|щен|пес(?:ик)?$|пёс|собач/],
  ['cat', /кошк|кот(?:ик|ен|ят|а|ы|е|у|ов)?$|коты|котвдар|кошеч|котик|котен|котят|^кот|кошек/],
  ['other', /попуга|кролик|хомяк|черепах|хорек|грызун|птиц/],
];

/** All animals of a post, the one that it is about first. */
export function animalsIn({ list }: Tokens): readonly Found<Animal>[] {
  const main: Found<Animal>[] = [];
  const near: Found<Animal>[] = [];
  const hinted: Found<Animal>[] = [];
  for (const [n, token] of list.entries()) {
    const { start, end, kind, plain } = token;
    if (kind === 'word') {
      const { hint } = token.facts;
      if (hint !== undefined) hinted.push({ value: hint, start, end });
      const value = animalOf(token, list, n);
      if (value === undefined) continue;
      if (isCompany(list, n)) continue;
      (isAside(list, n) ? near : main).push({ value, start, end });
    } else if (kind === 'emoji') {
      const value = emoji[plain];
      if (value !== undefined) hinted.push({ value, start, end });
    } else if (kind === 'hashtag') {
      const letters = plain.replaceAll(/[^а-я]/g, '');
      const value = inTags.find(([, expression]) => expression.test(letters))?.[0];
      if (value !== undefined) hinted.unshift({ value, start, end });
    }
  }
  const found = main.length > 0 ? main : near;
  if (isUndecided(list, found)) return [];
  return found.length > 0 ? found : hinted;
}

function animalOf(
  { facts, capital, shouted }: Token,
  list: readonly Token[],
  n: number,
): Animal | undefined {
  // Within a sentence a capital makes a name of it: `Потерялась Белка`, `СНТ «Чайка»`, `ул. Журавлёва`.
  const isName = facts.animal === 'other' && capital && !shouted && !beginsSentence(list, n);
  if (facts.animal !== undefined && !isName) return facts.animal;
  if (facts.breed !== undefined && facts.breed !== 'mixed') {
    // `вислоухий кролик` is no cat.
    const next = list[n + 1]?.facts.animal ?? list[n - 1]?.facts.animal;
    return next ?? facts.breed;
  }
  if (facts.breedAdjective === 'cat' && isOfBreed(list, n)) return 'cat';
  return undefined;
}

function beginsSentence(list: readonly Token[], n: number): boolean {
  const before = list[n - 1];
  if (before === undefined || before.kind === 'line' || before.kind === 'emoji') return true;
  if (before.plain === '.') return endsSentence(list[n - 2], list[n]);
  return before.plain === '!' || before.plain === '?' || before.plain === ':';
}

/** `порода: сибирская`, `британский кот`. */
function isOfBreed(list: readonly Token[], n: number): boolean {
  return [list[n - 1], list[n - 2]].some((each) => each?.plain.startsWith('пород') === true);
}

/** `то ли кошка, то ли собачонка`. */
function isUndecided(list: readonly Token[], found: readonly Found<Animal>[]): boolean {
  const [first, second] = found;
  if (first === undefined || second === undefined || first.value === second.value) return false;
  return [first, second].every(({ start }) => {
    const n = list.findIndex((token) => token.start === start);
    return list[n - 1]?.plain === 'ли' && list[n - 2]?.plain === 'то';
  });
}

/** Many of a species, of whom nothing is told: `кошек не гоняет`. */
const others = /^(?:кошек|котов|собак|кошками|собаками|котами|собакам|кошкам)$/;

const company = /^(?:кошками|собаками|котами|кошкам|собакам|котам|животными)$/;

/** `ладит с детьми и кошками`: whom it can live with says nothing of what it is. */
function isCompany(list: readonly Token[], n: number): boolean {
  if (!company.test(list[n]?.plain ?? '')) return false;
  for (let at = n - 1; at >= n - 6; at -= 1) {
    const token = list[at];
    if (token === undefined || /^[.!?]$/.test(token.plain) || token.kind === 'line') return false;
    if (
      /^(?:ладит|ладят|дружит|дружат|уживается|уживется|дружелюбн|лоялен|лояльна|равнодушна?|спокойна?)/.test(
        token.plain,
      )
    )
      return true;
  }
  return false;
}

/** `не гоняет`, `любит`. */
function isTold(token: Token | undefined): boolean {
  return token?.kind === 'word' && /^не$|(?:ет|ит|ат|ют)$/.test(token.plain);
}

function isAside(list: readonly Token[], n: number): boolean {
  const before = list[n - 1];
  if (others.test(list[n]?.plain ?? '') && isTold(list[n + 1])) return true;
  if (before === undefined) return false;
  if (aside.has(before.plain)) return true;
  // An adjective or a number may stand between: `к чужим собакам`.
  return (
    before.kind === 'word' &&
    before.facts.animal === undefined &&
    aside.has(list[n - 2]?.plain ?? '') &&
    before.facts.role === undefined
  );
}
