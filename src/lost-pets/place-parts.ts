// One part of an address at a token: `ул. Ленина, 5` has two, a street and the number of a house.

import { endsSentence } from './patterns.ts';
import type { Token, Tokens } from './tokens.ts';

/** They tell nothing of where they are. */
export const vague = /^(?:двор|подъезд|квартир)/;

/** How much a part tells: a house and a street tell more than a town. */
export const telling = {
  house: 5,
  street: 5,
  named: 4.4,
  settlement: 4,
  area: 3,
  spot: 2.6,
  town: 2.2,
  generic: 1,
} as const;

export interface Part {
  /** The token after its last. */
  readonly to: number;
  readonly tells: number;
  /** Whether a preposition, a label or other parts must stand beside it to make it a place. */
  readonly isGuess: boolean;
}

/** What is no part of a place because it is something else: the pet's name, a phone. */
export type IsTaken = (token: Token) => boolean;

const isHouseNumber = /^\d{1,4}$/;
const letterOfHouse = /^(?:[абвгдежк]|корп|корпус|стр)$/;
const ordinal = /^(?:й|я|ая|ой|ый|го|е|ое|летия|лет)$/;
const opening = new Set(['«', '"', '“', '„', "'"]);
const closing = new Set(['»', '"', '”', '“', "'"]);
/** Lower-case names, as hasty people write them: `ул белинского`, `район ботаника`. */
const isCalled = /(?:а|я|о|е|ов|ев|ин|ск|ой)$/;
const adjective = /(?:ий|ый|ой|ая|яя|ое|ее|ом|ем|ую|юю|ого|его|ской|ского|скую|ском|ых|их)$/;

export function partAt(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list, isShouting } = tokens;
  const token = list[from];
  if (token === undefined || isTaken(token)) return undefined;
  if (token.kind === 'number') return ofNumber(tokens, from, isTaken);
  if (token.kind !== 'word' || token.facts.noPlace) return undefined;
  const { place } = token.facts;
  if (place !== undefined && !isNotPlace(list, from)) {
    // `Северный парк` begins with a name that is also a kind of place in other words.
    return ofKind(tokens, from, isTaken);
  }
  const quoted = quotedAfter(tokens, from);
  if (quoted !== undefined)
    return withHouse(tokens, { to: quoted, tells: telling.named, isGuess: false }, isTaken);
  const isProper = isNameLike(tokens, from, isTaken);
  if (
    isProper ||
    (token.facts.placeAdjective && !isShouting) ||
    token.facts.town ||
    (isShouting && token.facts.placeAdjective)
  ) {
    const named = nameThenKind(tokens, from, isTaken);
    if (named !== undefined) return named;
  }
  if (
    (token.facts.town === true || soundsLikeTown(token, isShouting)) &&
    (token.capital || token.shouted || token.plain.length > 5)
  ) {
    let to = from + 1;
    if (list[to]?.plain === 'и' && list[to + 1]?.facts.place === 'area') to += 2;
    else if (list[to]?.plain === 'и' && list[to + 1]?.facts.town) to += 2;
    return withHouse(tokens, { to, tells: telling.town, isGuess: false }, isTaken);
  }
  if (!isProper) return undefined;
  let to = from + 1;
  while (
    to < from + 4 &&
    (isNameLike(tokens, to, isTaken) || isInnerWord(tokens, to, isTaken)) &&
    list[to]?.facts.town !== true
  )
    to += 1;
  return withHouse(tokens, { to, tells: telling.spot, isGuess: true }, isTaken);
}

const townEnding =
  /(?:[а-я]{3}(?:ск|ске|ска|град|граде|бург|бурге|горск)|[а-я]{2}(?:ово|ево|ино|ыно))$/;

function soundsLikeTown({ capital, plain, facts }: Token, isShouting: boolean): boolean {
  if (facts.role !== undefined || facts.time !== undefined) return false;
  return capital && !isShouting
    ? townEnding.test(plain)
    : /[а-я]{5}(?:инск|имск|овск|евск|орск|уральск|анск|ецк|ске)$/.test(plain);
}

/** `котокафе «Усы»`: a common noun with a name in quotes. */
function quotedAfter({ list }: Tokens, n: number): number | undefined {
  const token = list[n];
  const { facts, plain } = token ?? { facts: undefined, plain: '' };
  if (
    facts === undefined ||
    plain.length < 4 ||
    facts.role !== undefined ||
    facts.animal !== undefined ||
    facts.preposition ||
    /(?:ит|ет|ат|ят|ла|ли|л|ю|ть)$/.test(plain) ||
    /^(?:зовут|кличк|имя|имени|откликается|отзывается|пометк)/.test(plain)
  )
    return undefined;
  if (list[n + 1]?.plain !== '«' || !list[n + 2]?.capital) return undefined;
  for (let at = n + 3; at < n + 8; at += 1) if (list[at]?.plain === '»') return at + 1;
  return undefined;
}

/** `de`, `на` within names: `Вильгельма де Геннина`. */
function isInnerWord(tokens: Tokens, n: number, isTaken: IsTaken): boolean {
  const plain = tokens.list[n]?.plain;
  return plain === 'де' && isNameLike(tokens, n + 1, isTaken);
}

function isNotPlace(list: readonly Token[], n: number): boolean {
  const token = list[n];
  if (token === undefined) return true;
  const { plain } = token;
  const next = list[n + 1];
  // Single letters are kinds of places only with a full stop or before a name.
  if (plain.length === 1)
    return (
      !(next?.plain === '.' && (list[n + 2]?.capital === true || list[n + 2]?.kind === 'number')) &&
      !(plain === 'д' && next?.kind === 'number')
    );
  if (plain === 'со' || plain === 'сад')
    return (
      next?.capital !== true &&
      next?.plain !== '"' &&
      next?.plain !== '«' &&
      next?.kind !== 'number'
    );
  if (plain === 'дома' || plain === 'дом')
    return (
      next?.kind !== 'number' &&
      next?.capital !== true &&
      next?.plain !== '№' &&
      list[n - 1]?.kind !== 'number' &&
      list[n - 1]?.facts.placeAdjective !== true
    );
  return false;
}

function ofKind(tokens: Tokens, from: number, isTaken: IsTaken): Part {
  const { list } = tokens;
  const kind = list[from]?.facts.place ?? 'named';
  let to = from + 1;
  // `детский сад`, `коллективный сад`, `д/с`, `ж/д вокзал`.
  while (
    list[to]?.facts.place !== undefined &&
    list[to]?.kind === 'word' &&
    !isNotPlace(list, to) &&
    sameLine(list, to) &&
    (kind === 'named' || kind === 'house') &&
    to < from + 3 &&
    !vague.test(list[from]?.plain ?? '')
  )
    to += 1;
  if (list[to]?.plain === '.' && !endsSentence(list[to - 1], list[to + 1])) to += 1;
  const start = to;
  to = afterName(
    tokens,
    to,
    isTaken,
    kind === 'street' || kind === 'settlement' || kind === 'area',
  );
  if (to === start && kind === 'area' && list[from]?.capital && (list[from]?.plain.length ?? 0) > 6)
    return withHouse(tokens, { to, tells: telling.spot, isGuess: true }, isTaken);
  if (to === start) {
    const end =
      list[to - 1]?.plain === ':' ||
      (list[to - 1]?.plain === '.' && list[to - 2]?.facts.place !== undefined)
        ? to - 1
        : to;
    return withHouse(
      tokens,
      {
        to: Math.max(end, from + 1),
        tells:
          kind === 'named' || kind === 'house' || isRoad.test(list[from]?.plain ?? '')
            ? telling.generic
            : 0,
        isGuess: false,
      },
      isTaken,
    );
  }
  // `Ленинский район` after its own kind: `г. Верхняя Пышма`.
  return withHouse(tokens, { to, tells: telling[kind], isGuess: false }, isTaken);
}

/** The token after a name that follows a kind of place. */
function afterName(tokens: Tokens, from: number, isTaken: IsTaken, isLoose: boolean): number {
  const { list, isShouting } = tokens;
  let to = from;
  if (list[to]?.plain === '№' || list[to]?.plain === 'номер') to += 1;
  if (opening.has(list[to]?.plain ?? '')) {
    for (let at = to + 1; at < to + 7; at += 1)
      if (closing.has(list[at]?.plain ?? '')) return at + 1;
  }
  if (list[to]?.kind === 'number' && (!isTimeOrCount(tokens, to) || isDateName(list, to))) {
    const kind = list[from - 1]?.plain === '.' ? list[from - 2] : list[from - 1];
    const before = to;
    to += 1;
    while (to < before + 4 && isOrdinalTail(list, to)) to += 1;
    const next = list[to];
    if (next?.kind === 'word' && next.facts.place !== undefined && next.plain.length > 3)
      return to + 1;
    if (next?.capital && (isNameLike(tokens, to, isTaken) || next.facts.time === 'month'))
      return to + 1;
    if (next?.plain === 'года') return to + 1;
    return to > before + 1 || isNumbered.test(kind?.plain ?? '') || list[before - 1]?.plain === '№'
      ? to
      : from;
  }
  const first = to;
  while (to < first + 4) {
    const token = list[to];
    if (to > first && isInnerWord(tokens, to, isTaken)) to += 1;
    if (token?.kind !== 'word' || isTaken(token) || token.facts.noPlace) break;
    if (nameThenKind(tokens, to, isTaken) !== undefined) break;
    const isProper =
      isNameLike(tokens, to, isTaken) ||
      (to === first && token.capital && !isShouting && token.facts.role !== undefined) ||
      (token.capital && !isShouting && token.facts.place !== undefined && token.plain.length > 3) ||
      (token.capital && token.facts.firstName === true) ||
      (isLoose && isShouting && token.facts.place !== undefined && token.plain.length > 4);
    const isPlain =
      isLoose &&
      to === first &&
      !token.capital &&
      Object.values(token.facts).every((each) => each === undefined || each === true) &&
      !token.facts.preposition &&
      !token.facts.joiner &&
      token.plain.length > 2 &&
      (adjective.test(token.plain) ||
        list[to + 1]?.kind === 'number' ||
        list[to + 1]?.kind !== 'word' ||
        isCalled.test(token.plain));
    const isAdjective = token.facts.placeAdjective === true && (isLoose || token.capital);
    if (!isProper && !isPlain && !isAdjective) break;
    if (token.facts.town && to > first) break;
    to += 1;
    if (isPlain) break;
  }
  return to;
}

/** `8 Марта`, `1 Мая`: the name of a street. */
function isDateName(list: readonly Token[], n: number): boolean {
  const next = list[n + 1];
  return next?.facts.time === 'month' && next.capital && !next.shouted;
}

function isOrdinalTail(list: readonly Token[], n: number): boolean {
  const token = list[n];
  const before = list[n - 1];
  if (token === undefined || before === undefined) return false;
  if (token.plain === '-' && token.start === before.end) return true;
  return (
    token.kind === 'word' &&
    ordinal.test(token.plain) &&
    (token.start === before.end || token.plain.startsWith('лет'))
  );
}

/** `Визовский бульвар`, `Сиреневом бульваре 4`, `Приволжский район`. */
function nameThenKind(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  let to = from;
  let capitals = 0;
  while (to < from + 4) {
    const token = list[to];
    if (token?.kind !== 'word' || isTaken(token)) return undefined;
    const { place } = token.facts;
    if (to > from && place !== undefined && token.plain.length > 1) {
      const isFull = capitals > 0 || list[from]?.facts.placeAdjective === true;
      if (!isFull) return undefined;
      const tells = capitals > 0 ? telling[place] : telling.generic + 0.4;
      const end =
        list[to + 1]?.plain === '.' &&
        list[to + 2]?.kind === 'number' &&
        !endsSentence(token, list[to + 2])
          ? to + 2
          : to + 1;
      const named = afterName(tokens, end, isTaken, false);
      return withHouse(
        tokens,
        {
          to: Math.max(named, end),
          tells: capitals > 0 && place === 'house' ? telling.generic : tells,
          isGuess: false,
        },
        isTaken,
      );
    }
    const isAdjective = adjective.test(token.plain) || token.facts.town === true;
    if (!(isNameLike(tokens, to, isTaken) || token.facts.placeAdjective || token.facts.town))
      return undefined;
    if (!isAdjective) return undefined;
    if (isNameLike(tokens, to, isTaken)) capitals += 1;
    to += 1;
  }
  return undefined;
}

function ofNumber(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  if (isTimeOrCount(tokens, from)) return undefined;
  let to = from + 1;
  // `40 лет Октября`
  if (/^(?:лет|летия)$/.test(list[to]?.plain ?? '') && list[to + 1]?.capital)
    return withHouse(tokens, { to: to + 2, tells: telling.street, isGuess: false }, isTaken);
  while (to < from + 3 && isOrdinalTail(list, to)) to += 1;
  const next = list[to];
  if (
    next?.kind === 'word' &&
    next.facts.place !== undefined &&
    next.facts.place !== 'settlement' &&
    next.plain.length > 1 &&
    !/^(?:этаж|кв|подъезд)/.test(next.plain)
  ) {
    const name = afterName(tokens, to + 1, isTaken, false);
    return withHouse(
      tokens,
      {
        to: Math.max(to + 1, name),
        tells: next.facts.place === 'house' ? telling.generic + 1 : telling[next.facts.place],
        isGuess: false,
      },
      isTaken,
    );
  }
  if (to > from + 1 && next?.capital && isNameLike(tokens, to, isTaken))
    return withHouse(tokens, { to: to + 1, tells: telling.spot, isGuess: true }, isTaken);
  return undefined;
}

/** Places that have numbers of their own. */
const isNumbered =
  /^(?:школ|шк|сад|лице|гимнази|больниц|поликлиник|оп$|мкр|микрорайон|квартал|кв-л|комплекс|автобус|трамва|маршрут|км|линия|линии|почт|гараж|дом|участок|д$|кв$|корп|детсад|д\/с|остановк|отдел|метро|азс|колоди|подъезд)/;

/** Adds the number of a house that follows. */
function withHouse(tokens: Tokens, part: Part, isTaken: IsTaken): Part {
  if (
    part.tells < telling.spot &&
    !(part.tells === telling.generic && isNumbered.test(tokens.list[part.to - 1]?.plain ?? ''))
  )
    return part;
  const house = houseAt(tokens, part.to, isTaken);
  if (house === undefined) return part;
  return {
    to: house,
    tells:
      part.tells < telling.street
        ? Math.max(part.tells + 1.6, part.tells === telling.spot ? telling.street : 0)
        : part.tells + 0.5,
    isGuess: part.isGuess,
  };
}

/** The token after the number of a house: `5`, `12а`, `30к2`, `, 5`, `д. 5`. */
function houseAt(tokens: Tokens, from: number, isTaken: IsTaken): number | undefined {
  const { list } = tokens;
  const before = list[from - 1];
  if (before === undefined) return undefined;
  let at = from;
  if (list[at]?.plain === ',' || list[at]?.plain === '-') at += 1;
  if (list[at]?.plain === 'д' || list[at]?.plain === 'дом' || list[at]?.plain === 'д.') {
    at += 1;
    if (list[at]?.plain === '.' || list[at]?.plain === '№') at += 1;
  }
  const number = list[at];
  if (
    number?.kind !== 'number' ||
    !isHouseNumber.test(number.plain) ||
    isTaken(number) ||
    isTimeOrCount(tokens, at)
  )
    return undefined;
  let to = at + 1;
  // `40-летия Комсомола` is a street.
  if (list[to]?.plain === '-' && list[to + 1]?.kind === 'word') return undefined;
  const after = list[isOrdinalTail(list, to) ? to + 1 : to];
  if (
    after?.kind === 'word' &&
    after.facts.place !== undefined &&
    after.facts.place !== 'house' &&
    after.plain.length > 1
  )
    return undefined;
  while (to < at + 6) {
    const token = list[to];
    const last = list[to - 1];
    if (token === undefined || last === undefined) break;
    const isAdjacent = token.start === last.end;
    const isLetter =
      token.kind === 'word' &&
      letterOfHouse.test(token.plain) &&
      (isAdjacent || /^(?:корп|корпус|стр)$/.test(token.plain) || /^[абг]$/.test(token.plain));
    const isMore =
      isAdjacent &&
      (token.plain === '/' ||
        (token.plain === '-' && list[to + 1]?.kind === 'number') ||
        (token.kind === 'number' && last.kind !== 'number'));
    if (!isLetter && !isMore && !(token.kind === 'number' && last.plain.startsWith('корп'))) break;
    to += 1;
  }
  return to;
}

const counts =
  /^(?:лет|года|год|годика|годиков|г|мес|месяц|месяца|месяцев|недел[а-я]*|дн[а-я]*|день|час|часа|часов|ч|мин|минут[а-я]*|кг|см|м|руб|рублей|р|тыс[а-я]*|тысяч[а-я]*|утра|вечера|ночи|дня|этаж[а-я]*|штук[а-я]*|раз[а]?|собак[а-я]*|кот[а-я]*|кош[а-я]*|щен[а-я]*|из|девоч[а-я]*|мальчик[а-я]*|числа|маршрут_нет)$/;

/** Whether a number counts something or is a time, so that it numbers no house. */
function isTimeOrCount({ list, plain }: Tokens, n: number): boolean {
  const token = list[n];
  const next = list[n + 1];
  if (token === undefined || !/^\d{1,4}$/.test(token.plain.replaceAll('\u0001', ''))) return true;
  if (next === undefined) return false;
  if (plain[token.end] === ':' && next.plain === ':' && list[n + 2]?.kind === 'number') return true;
  if (next.facts.time === 'month') return true;
  if (next.plain === 'лет' && list[n + 2]?.capital) return false;
  return (
    next.kind === 'word' &&
    counts.test(next.plain) &&
    !(next.start === token.end && /^[абгдм]$/.test(next.plain))
  );
}

function sameLine(list: readonly Token[], n: number): boolean {
  return list[n]?.kind !== 'line';
}

/** Of the streets, those that are a place without a name: `на трассе`. */
const isRoad = /^(?:трасс|тракт|объездн|перекрест)/;

const isVerb =
  /(?:ется|ится|ются|ятся|ались|ились|ться|ите|ете|ешь|ишь|уйте|айте|йте|али|или|ыли|ела|ила|ыла|шла|шел|ули)$/;

/** A word that may be a proper name: with a capital letter, and of no other meaning. */
export function isNameLike({ list, isShouting }: Tokens, n: number, isTaken: IsTaken): boolean {
  const token = list[n];
  if (token?.kind !== 'word' || isTaken(token)) return false;
  const { facts, plain } = token;
  if (
    plain.length < 2 ||
    facts.noPlace ||
    facts.preposition ||
    facts.animal ||
    facts.breed ||
    facts.time
  )
    return false;
  if (
    facts.role !== undefined ||
    facts.place !== undefined ||
    (isVerb.test(plain) && !list[n - 1]?.facts.preposition)
  )
    return false;
  if (!isShouting && token.shouted && (plain.length > 4 || /[ьъ]$/.test(plain) || facts.joiner))
    return false;
  if (isShouting)
    return (
      Object.values(facts).every((each) => each === undefined || each === true) &&
      facts.firstName !== true &&
      plain.length > 3
    );
  return token.capital;
}
