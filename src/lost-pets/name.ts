// The animal's name, as it is written: after зовут or кличка, else beside the word for the animal.

import { isTimeOrCount } from './place-houses.ts';
import type { Found } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

const small = new Set([
  ':',
  '-',
  '«',
  '"',
  '“',
  '„',
  '(',
  '*',
  '`',
  "'",
  'на',
  'имя',
  'кличку',
  'по',
  'кличке',
  'ее',
  'его',
  'их',
  'пса',
  'кота',
  'кличка',
  '.',
  'девочку',
  'мальчика',
  'собаку',
  'кошку',
  'имени',
  'зовут',
  'у',
  'просто',
]);

export function nameIn(tokens: Tokens): Found<string> | undefined {
  const { list, text, isShouting } = tokens;
  const called = afterCaller(list);
  const token = called ?? besideAnimal(tokens) ?? atStart(list, isShouting);
  if (token === undefined) return undefined;
  const { start, end } = token;
  return { value: text.slice(start, end), start, end };
}

function afterCaller(list: readonly Token[]): Token | undefined {
  for (let n = 0; n < list.length; n += 1) {
    const hint = list[n]?.facts.nameHint;
    if (hint !== 'caller' && hint !== 'answer') continue;
    let next = n + 1;
    while (next < n + 6 && small.has(list[next]?.plain ?? '')) next += 1;
    const token = list[next];
    if (token?.kind === 'word' && token.capital && !isOrdinary(token)) return token;
    // Where nobody writes capitals, a word of no other meaning is a name.
    if (
      token?.kind === 'word' &&
      !token.capital &&
      hint === 'caller' &&
      isUnknown(token) &&
      token.plain.length > 2
    )
      return token;
  }
  return undefined;
}

function besideAnimal(tokens: Tokens): Token | undefined {
  const { list, isShouting } = tokens;
  if (isShouting) return undefined;
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    if (token?.kind !== 'word') continue;
    const { facts } = token;
    const isSex = facts.nameHint === 'sex';
    const isBeast =
      facts.animal !== undefined ||
      facts.breed !== undefined ||
      facts.role === 'pet' ||
      isSex ||
      facts.role === 'fled' ||
      facts.role === 'our' ||
      facts.role === 'gone' ||
      facts.role === 'found';
    if (!isBeast) continue;
    let next = n + 1;
    while (
      next <= n + 2 &&
      (list[next]?.plain === '«' ||
        list[next]?.plain === '"' ||
        (list[next]?.plain === ',' && isSex) ||
        list[next]?.plain === '(')
    )
      next += 1;
    const after = list[next];
    if (after !== undefined && isName(after, list[next - 1]) && !isFollowedByPlace(tokens, next))
      return after;
  }
  return undefined;
}

/** `Лада. Собака, которая…`, `Бим ищет дом`, `Фрида НЕ нашлась`. */
function atStart(list: readonly Token[], isShouting: boolean): Token | undefined {
  if (isShouting) return undefined;
  for (const [n, token] of list.entries()) {
    if (n > 60) return undefined;
    const before = list[n - 1];
    const isFirst =
      before === undefined ||
      before.kind === 'line' ||
      before.plain === '.' ||
      before.plain === '!' ||
      before.kind === 'emoji';
    if (
      !isFirst ||
      token.kind !== 'word' ||
      !token.capital ||
      token.shouted ||
      isOrdinary(token) ||
      token.facts.town ||
      token.facts.firstName
    )
      continue;
    const after = list[n + 1];
    if (after === undefined) continue;
    if (
      after.facts.role === 'seeks' ||
      after.facts.role === 'need' ||
      after.facts.role === 'waits' ||
      after.facts.role === 'dreams' ||
      (after.plain === 'не' && list[n + 2]?.facts.role === 'turnedUp') ||
      after.facts.role === 'atHome'
    )
      return token;
    const isAlone = after.plain === '.' || after.plain === '-';
    if (n === 0 && isAlone && isUnknown(token) && !token.facts.ending.village) return token;
  }
  return undefined;
}

function isName(token: Token, before: Token | undefined): boolean {
  if (token.kind !== 'word' || !token.capital || isOrdinary(token)) return false;
  if (before?.kind === 'line' || before?.plain === '.' || before?.plain === '!') return false;
  return token.facts.town !== true && token.facts.place === undefined && token.plain.length > 1;
}

/** `Щербакова 35`, but not `Бим 8 лет`, `Бим 12 мая`. */
function isFollowedByPlace(tokens: Tokens, n: number): boolean {
  const { list } = tokens;
  const after = list[n + 1];
  return (
    after?.facts.town === true ||
    after?.facts.place === 'area' ||
    after?.facts.place === 'street' ||
    (after?.kind === 'number' &&
      !(/^\d{1,3}(?:\.\d\d)?$/.test(after.plain) && isTimeOrCount(tokens, n + 1)))
  );
}

/** Whether nothing is known of a word but its ending. */
function isUnknown({ facts }: Token): boolean {
  return !facts.isKnown;
}

/** A word that has a meaning of its own here. */
function isOrdinary({ facts, plain }: Token): boolean {
  return (
    facts.animal !== undefined ||
    facts.breed !== undefined ||
    facts.preposition === true ||
    facts.time !== undefined ||
    facts.noPlace === true ||
    (facts.role !== undefined && facts.role !== 'pet' && plain.length < 12) ||
    plain.length < 2 ||
    facts.nameHint === 'common'
  );
}
