// The breed, as it is written: its noun with the adjectives beside it, or an adjective alone beside кот and кошка.

import type { Found } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

const likeness = new Set(['мама', 'папа', 'отец', 'мать']);

export function breedIn({ list, text }: Tokens): Found<string> | undefined {
  let best: Found<string> | undefined;
  let bestRank = 0;
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    const found = breedAt(list, n);
    if (token === undefined || found === undefined || isOfParents(list, n) || isNameOfBreed(token))
      continue;
    if (found.rank <= bestRank) continue;
    const start = list[found.from]?.start ?? 0;
    const end = list[found.to]?.end ?? 0;
    best = { value: text.slice(start, end).toLowerCase(), start, end };
    bestRank = found.rank;
    if (bestRank >= 3) break;
  }
  return best;
}

interface Place {
  readonly from: number;
  readonly to: number;
  readonly rank: number;
}

function breedAt(list: readonly Token[], n: number): Place | undefined {
  const token = list[n];
  if (token?.kind !== 'word') return undefined;
  const { facts } = token;
  if (facts.breed === 'mixed') {
    let to = n;
    while (isPartOfBreed(list[to + 1])) to += 1;
    return { from: n, to, rank: 3 };
  }
  if (facts.breed !== undefined) {
    let from = n;
    while (isAdjectiveOfBreed(list[from - 1])) from -= 1;
    let to = n;
    while (isNounOfBreed(list[to + 1]) || isTailOfBreed(list, to + 1)) to += 1;
    return { from, to, rank: 3 };
  }
  if (facts.breedAdjective === undefined || token.plain === 'голубой') return undefined;
  let to = n;
  while (isAdjectiveOfBreed(list[to + 1])) to += 1;
  const near = [list[n - 1], list[n - 2], list[n - 3], list[to + 1]];
  const isNamed = near.some(
    (each) => each !== undefined && (each.plain.startsWith('пород') || each.facts.animal === 'cat'),
  );
  if (isNounOfBreed(list[to + 1]) || !isNamed) return undefined;
  if (
    facts.breedAdjective !== 'cat' &&
    !list.slice(n, to + 1).some((each) => each.facts.breedAdjective === 'cat')
  ) {
    return near.some((each) => each?.plain.startsWith('пород') === true)
      ? { from: n, to, rank: 2 }
      : undefined;
  }
  return { from: n, to, rank: 2 };
}

function isNameOfBreed({ plain, capital }: Token): boolean {
  // `Рекс` and `Девон` are names as well.
  return capital && (plain === 'рекс' || plain === 'чарли');
}

function isAdjectiveOfBreed(token: Token | undefined): boolean {
  return token?.kind === 'word' && token.facts.breedAdjective !== undefined;
}

function isNounOfBreed(token: Token | undefined): boolean {
  return token?.kind === 'word' && token.facts.breed !== undefined && token.facts.breed !== 'mixed';
}

function isPartOfBreed(token: Token | undefined): boolean {
  return isAdjectiveOfBreed(token) || isNounOfBreed(token);
}

const tails = new Set([
  'рассел',
  'терьер',
  'ину',
  'кун',
  'чау',
  'корсо',
  'тцу',
  'спаниель',
  'ретривер',
  'рекс',
  'страйт',
  'фолд',
  'бульдог',
  'европейская',
  'терик',
]);

function isTailOfBreed(list: readonly Token[], n: number): boolean {
  const token = list[n];
  return token?.kind === 'word' && tails.has(token.plain);
}

/** `мама похожа на лайку` says nothing of the puppies. */
function isOfParents(list: readonly Token[], n: number): boolean {
  return [1, 2, 3].some((back) => likeness.has(list[n - back]?.plain ?? ''));
}
