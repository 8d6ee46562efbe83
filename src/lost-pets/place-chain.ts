// Parts of an address that stand together: `Казань, Приволжский район, ул. Гвардейская`, `магазина Магнит на Победы`.

import { agrees } from './agreement.ts';
import { endsSentence } from './patterns.ts';
import { isEvent } from './place-events.ts';
import { isHastyArea } from './place-hasty.ts';
import { isLetterOfHouse } from './place-houses.ts';
import { landmarkAt } from './place-landmarks.ts';
import { type IsTaken, isNameLike } from './place-names.ts';
import { type Part, telling } from './place-part.ts';
import { partAt, vague } from './place-parts.ts';
import type { Token, Tokens } from './tokens.ts';

const mostParts = 8;

/** A place from a token on, with all its parts. */
export function chainAt(
  tokens: Tokens,
  from: number,
  isTaken: IsTaken,
  isIntroduced: boolean,
): Part | undefined {
  const { list } = tokens;
  // The preposition has said it: `в районе Уралмаша`.
  if (list[from]?.plain === 'районе' && list[from - 1]?.facts.preposition) return undefined;
  // `в нашем СНТ`
  if (list[from]?.plain.startsWith('наш') && list[from + 1]?.facts.place) return undefined;
  const part = partAt(tokens, from, isTaken);
  if (part === undefined) return undefined;
  let { to, tells, isGuess } = part;
  for (let parts = 1; parts < mostParts; parts += 1) {
    const next = nextPart(tokens, to, isTaken) ?? afterBracket(tokens, to, isTaken);
    if (next === undefined) break;
    // `у мусорки, Брянск`: a thing that many towns have, before an address.
    if (isPlainThing(tokens, from, to) && list[to]?.plain === ',' && next.tells < telling.street)
      break;
    // `Ехали от аэропорта` begins with a verb; `двора, Самара`, `вдоль дороги на Уфу` with a word that tells nothing.
    if (list[to]?.facts.joiner && isGuess && !isIntroduced) break;
    if (tells < telling.area && isEmpty(list, from, to)) break;
    to = next.to;
    isGuess &&= next.isGuess;
    // Several towns are no address.
    tells = Math.max(tells, next.tells) + (next.tells === telling.town ? 0 : 0.3);
  }
  return { to, tells, isGuess };
}

/** A beginning that is dropped before what tells more: `нашем подъезде на`, `двора,`, `дорогу у`. */
function isEmpty(list: readonly Token[], from: number, to: number): boolean {
  const noun = list[from]?.facts.placeAdjective ? list[from + 1] : list[from];
  const isWay =
    /^(?:дорог|дач[аеиу]$)/.test(noun?.plain ?? '') &&
    list[from]?.capital !== true &&
    !/^(?:по|на)$/.test(list[from - 1]?.plain ?? '');
  return isWay || (vague.test(noun?.plain ?? '') && to <= from + 2);
}

/** One word in lower case without a name: `мусорки`, `железной дороги`. */
function isPlainThing({ list, isShouting }: Tokens, from: number, to: number): boolean {
  if (isShouting || to > from + (list[from]?.facts.ending.adjective ? 2 : 1)) return false;
  for (let n = from; n < to; n += 1) if (list[n]?.kind !== 'word' || list[n]?.capital) return false;
  return list[to - 1]?.facts.place !== undefined && list[to - 1]?.facts.place !== 'settlement';
}

const separators = /^[,/-]$/;

/** The next part of the same place, after a comma, a preposition or nothing. */
function nextPart(tokens: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  const between = list[at];
  if (between === undefined || between.kind === 'line') return undefined;
  if (separators.test(between.plain)) return afterComma(tokens, at, isTaken);
  if (between.plain === 'и') return afterAnd(tokens, at, isTaken);
  const entrance = entranceAt(list, at);
  if (entrance !== undefined) return entrance;
  if (between.kind === 'number') {
    const part = partAt(tokens, at, isTaken);
    return part?.isGuess === false ? part : undefined;
  }
  if (between.facts.joiner || leadsTo(list, at)) return afterJoiner(tokens, at, isTaken);
  if (list[at - 1]?.facts.town && isHastyArea(tokens, at))
    return { to: at + 1, tells: telling.spot, isGuess: true };
  if (between.kind === 'word' && isKindAhead(tokens, at) && !isInside.test(between.plain)) {
    const part = partAt(tokens, at, isTaken);
    return part !== undefined && !part.isGuess && part.tells > telling.generic ? part : undefined;
  }
  if (list[at - 1]?.facts.town && isNameLike(tokens, at, isTaken))
    return afterTown(tokens, at, isTaken);
  if (
    between.plain === '.' &&
    !isLetterOfHouse(list, at - 1) &&
    !endsSentence(list[at - 1], list[at + 1])
  )
    // `обл., Харовский район`
    return list[at + 1]?.plain === ','
      ? afterComma(tokens, at + 1, isTaken)
      : partAt(tokens, at + 1, isTaken);
  return undefined;
}

/** What is inside of a house is no part of its address. */
const isInside = /^(?:дома|кв|квартир[аеуы])$/;
const ways = /^(?:троп|выход|вход|въезд|выезд|спуск|дорог|поворот|подход|подъем|мост)/;

/** `тропе к Чёртову пальцу`, `выход к метро`, `выезде из Ревды`. */
function leadsTo(list: readonly Token[], n: number): boolean {
  const before = list[n - 1]?.plain ?? '';
  if (list[n]?.plain === 'из') return /^вы(?:езд|ход)/.test(before);
  return list[n]?.plain === 'к' && ways.test(before);
}

function afterComma(tokens: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  const next = list[at + 1];
  if (list[at]?.plain === '-' && next?.kind === 'word' && !next.capital && !next.facts.place)
    return undefined;
  if (next?.facts.joiner || next?.plain === 'со') {
    const first = afterSide(list, at + 1);
    const part = partAt(tokens, first, isTaken);
    if (part === undefined || part.to <= first) return landmarkAt(tokens, at + 1, isTaken);
    // `метро Выхино, со стороны рынка`: a side is told by a name.
    const least = list[first - 1]?.plain === 'стороны' ? telling.town : telling.generic;
    return part.tells < least || tellsEvent(list, first, part.to) ? undefined : part;
  }
  const entrance = entranceAt(list, at + 1);
  if (entrance !== undefined) return entrance;
  const part = partAt(tokens, at + 1, isTaken) ?? numberOfHouse(tokens, at + 1, isTaken);
  if (part === undefined || next === undefined || tellsEvent(list, at + 1, part.to))
    return undefined;
  // `Русская 46` is a street.
  // `Адлер, Голубые Дали`
  const isBreed = next.facts.breedAdjective !== undefined && list[at + 2]?.capital !== true;
  const isOther = next.facts.firstName === true || isBreed;
  if (part.isGuess && isOther && list[part.to - 1]?.kind !== 'number') return undefined;
  if (part.tells > telling.generic || next.kind === 'number') return part;
  // `Балашиха, лесопарк у Пехорки`, `село Элекмонар, урочище за рекой`: nothing else stands in the clause.
  if (
    part.tells === telling.generic &&
    (next.facts.place !== 'house' || ways.test(next.plain)) &&
    endsClause(tokens, part.to, isTaken)
  )
    return part;
  // `Казань, Горки`: with a capital letter a kind of place is a name.
  if (next.capital && !tokens.isShouting && !vague.test(next.plain))
    return { to: part.to, tells: telling.spot, isGuess: true };
  return undefined;
}

/** Whether a clause ends here, or goes on with another part after a preposition. */
function endsClause(tokens: Tokens, at: number, isTaken: IsTaken): boolean {
  const { list } = tokens;
  const after = list[at];
  if (
    after === undefined ||
    after.kind === 'line' ||
    after.kind === 'sign' ||
    after.kind === 'emoji'
  )
    return true;
  if (after.facts.joiner !== true && !leadsTo(list, at)) return false;
  return afterJoiner(tokens, at, isTaken) !== undefined;
}

const ordinal = /^(?:перв|втор|трет|четверт|пят|шест|седьм|восьм|последн|крайн)[а-я]{2,3}$/;

/** `второй подъезд`, `3й подъезд`: the token after it. */
function entranceAt(list: readonly Token[], n: number): Part | undefined {
  if (!ordinal.test(list[n]?.plain ?? '') || list[n + 1]?.plain.startsWith('подъезд') !== true)
    return undefined;
  return { to: n + 2, tells: telling.generic, isGuess: false };
}

/** `Екатеринбург Эльмаш`, `Тюмень Широтная 100`: a name without a comma, if nothing but the end follows. */
function afterTown(tokens: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  if (list[at]?.facts.firstName === true || list[at]?.facts.breedAdjective) return undefined;
  const part = partAt(tokens, at, isTaken);
  const after = list[part?.to ?? 0];
  return after === undefined || after.kind !== 'word' ? part : undefined;
}

/** `Сакко и Ванцетти`, `Ольгино и Лисьим Носом`; `ул. Мира и ул. Победы`, between or at the corner of which it was. */
function afterAnd(tokens: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  if (list[at + 1]?.facts.place === 'street') {
    const street = partAt(tokens, at + 1, isTaken);
    return street !== undefined && street.tells >= telling.street ? street : undefined;
  }
  const isName =
    isNameLike(tokens, at + 1, isTaken) &&
    !list[at + 1]?.facts.firstName &&
    list[at - 1]?.kind === 'word';
  if (!isName) return undefined;
  const isOfTwo =
    list[at + 1]?.facts.ending.adjective === true &&
    isNameLike(tokens, at + 2, isTaken) &&
    agrees(list[at + 1]?.plain ?? '', list[at + 2]?.plain ?? '');
  return { to: isOfTwo ? at + 3 : at + 2, tells: telling.spot, isGuess: true };
}

function afterJoiner(tokens: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  const first = afterSide(list, at);
  // `в п. Чишмы во двор зашёл`: where it went, of which nothing is told.
  if (/^(?:двор|подъезд)$/.test(list[first]?.plain ?? '') && !list[first + 1]?.capital)
    return undefined;
  const part = partAt(tokens, first, isTaken);
  if (part === undefined || (part.isGuess && list[first]?.facts.firstName))
    return landmarkAt(tokens, at, isTaken);
  // `долг в клинике за Асю`
  if (
    part.isGuess &&
    list[at]?.plain === 'за' &&
    !instrumental.test(list[part.to - 1]?.plain ?? '')
  )
    return undefined;
  return tellsEvent(list, first, part.to) ? undefined : part;
}

const instrumental = /(?:ом|ем|ой|ей|ами|ями|ым|им|ью|\d)$/;

/** The token after a preposition, also after one of several words: `рядом с`, `в районе`, `со стороны`. */
function afterSide(list: readonly Token[], at: number): number {
  let first = at + 1;
  if (/^(?:с|со|от)$/.test(list[first]?.plain ?? '')) first += 1;
  if (/^(?:районе|стороны)$/.test(list[first]?.plain ?? '')) first += 1;
  return first;
}

/** A kind of place, or an adjective before one: `Сысертский р-н`, `соседнего дома`. */
function isKindAhead({ list, isQuiet }: Tokens, n: number): boolean {
  const token = list[n];
  if (token?.facts.place !== undefined || token?.facts.town) return true;
  const next = list[n + 1];
  return (
    next?.kind === 'word' &&
    next.facts.place !== undefined &&
    (token?.capital === true ||
      token?.facts.placeAdjective === true ||
      (isQuiet && token !== undefined && agrees(token.plain, next.plain)))
  );
}

function numberOfHouse(tokens: Tokens, n: number, isTaken: IsTaken): Part | undefined {
  const token = tokens.list[n];
  if (token?.kind !== 'number' || isTaken(token) || !/^\d{1,3}$/.test(token.plain))
    return undefined;
  // `Сургут, 20А`
  const to = isLetterOfHouse(tokens.list, n + 1) ? n + 2 : n + 1;
  const after = tokens.list[to];
  if (after?.kind === 'word' || after?.kind === 'number' || tokens.plain[token.end] === ':')
    return undefined;
  return { to, tells: telling.generic, isGuess: false };
}

function tellsEvent(list: readonly Token[], from: number, to: number): boolean {
  for (let n = from; n < to; n += 1) {
    const token = list[n];
    if (token !== undefined && isEvent(token) && !token.capital) return true;
  }
  return false;
}

/** What goes on after a bracket that explains the place: `ул. Мира (за школой), д. 5`. */
function afterBracket(tokens: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  if (list[at]?.plain !== '(') return undefined;
  let inner = at + 1;
  if (list[inner]?.facts.joiner || list[inner]?.plain === 'это') inner += 1;
  if (list[inner]?.facts.joiner) inner += 1;
  const part = partAt(tokens, inner, isTaken);
  if (part === undefined) return undefined;
  let { to } = part;
  for (let parts = 0; parts < mostParts; parts += 1) {
    const next = nextPart(tokens, to, isTaken);
    if (next === undefined) break;
    to = next.to;
  }
  if (list[to]?.plain !== ')') return undefined;
  const goesOn = list[to + 1]?.plain === ',' || list[to + 1]?.facts.joiner === true;
  return goesOn ? nextPart(tokens, to + 1, isTaken) : undefined;
}
