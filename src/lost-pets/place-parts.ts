// One part of an address at a token: `ул. Ленина, 5` has two, a street and the number of a house.

import { endsSentence } from './patterns.ts';
import { houseAt, isOrdinalTail, isTimeOrCount } from './place-houses.ts';
import { isNotPlace } from './place-kinds.ts';
import {
  afterHyphen,
  afterName,
  afterQuotes,
  type IsTaken,
  isInnerWord,
  isNameLike,
  isNumbered,
  kindAfterName,
  type Looseness,
} from './place-names.ts';
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

export function partAt(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list, isShouting } = tokens;
  const token = list[from];
  if (token === undefined || isTaken(token)) return undefined;
  if (token.kind === 'number') return ofNumber(tokens, from, isTaken);
  if (token.kind === 'sign') return ofQuotes(tokens, from, isTaken);
  if (token.kind !== 'word' || token.facts.noPlace) return undefined;
  const { place, town } = token.facts;
  if (place !== undefined && !isNotPlace(list, from)) return ofKind(tokens, from, isTaken);
  const quoted = quotedAfter(tokens, from);
  if (quoted !== undefined)
    return withHouse(tokens, { to: quoted, tells: telling.named, isGuess: false }, isTaken);
  const named = nameThenKind(tokens, from, isTaken) ?? shortened(tokens, from, isTaken);
  if (named !== undefined) return named;
  if (
    (town === true || soundsLikeTown(token, isShouting)) &&
    (token.capital || token.plain.length > 5)
  ) {
    let to = afterHyphen(list, from + 1);
    if (
      list[to]?.plain === 'и' &&
      (list[to + 1]?.facts.place === 'area' || list[to + 1]?.facts.town)
    )
      to += 2;
    return withHouse(tokens, { to, tells: telling.town, isGuess: false }, isTaken);
  }
  if (token.facts.district)
    return withHouse(tokens, { to: from + 1, tells: telling.spot, isGuess: false }, isTaken);
  if (!isNameLike(tokens, from, isTaken)) return undefined;
  let to = from + 1;
  while (
    to < from + 4 &&
    (isNameLike(tokens, to, isTaken) || isInnerWord(tokens, to, isTaken)) &&
    list[to]?.facts.town !== true &&
    kindAfterName(tokens, to, isTaken) === undefined
  )
    to += 1;
  to = afterHyphen(list, to);
  return withHouse(tokens, { to, tells: telling.spot, isGuess: true }, isTaken);
}

function soundsLikeTown({ capital, facts }: Token, isShouting: boolean): boolean {
  if (facts.role !== undefined || facts.time !== undefined) return false;
  return capital && !isShouting ? facts.ending.town : facts.ending.surelyTown;
}

/** `«Пятёрочки»` after a preposition. */
function ofQuotes(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  const inner = list[from + 1];
  const before = list[from - 1];
  if (!before?.facts.preposition || before.plain === 'с' || before.plain === 'на') return undefined;
  if (inner?.kind !== 'word' || !inner.capital || isTaken(inner)) return undefined;
  const to = afterQuotes(list, from);
  if (to === undefined) return undefined;
  return withHouse(tokens, { to, tells: telling.named, isGuess: false }, isTaken);
}

/** `котокафе «Усы»`: a common noun with a name in quotes. */
function quotedAfter({ list }: Tokens, n: number): number | undefined {
  if (list[n + 1]?.plain !== '«' || !list[n + 2]?.capital) return undefined;
  const token = list[n];
  const { facts, plain } = token ?? { facts: undefined, plain: '' };
  if (
    facts === undefined ||
    plain.length < 4 ||
    (facts.role !== undefined && facts.role !== 'shelter') ||
    facts.animal !== undefined ||
    facts.preposition ||
    /(?:ит|ет|ат|ят|ла|ли|л|ю|ть|ый|ий|ая)$/.test(plain) ||
    /^(?:зовут|кличк|имя|имени|откликается|отзывается|пометк|групп|сообществ|фонд|канал|корм)/.test(
      plain,
    )
  )
    return undefined;
  return afterQuotes(list, n + 1);
}

function loosenessOf(kind: Token | undefined): Looseness {
  const place = kind?.facts.place;
  if (place !== 'street' && place !== 'settlement' && place !== 'area') return 'strict';
  return kind !== undefined && kind.plain.length > 4 && place === 'street'
    ? 'word'
    : 'abbreviation';
}

function ofKind(tokens: Tokens, from: number, isTaken: IsTaken): Part {
  const { list } = tokens;
  const first = list[from];
  const kind = first?.facts.place ?? 'named';
  let to = from + 1;
  // `детский сад`, `ж/д вокзал`, `парковке ТРЦ`, `льду озера`.
  while (
    list[to]?.kind === 'word' &&
    list[to]?.facts.place !== undefined &&
    !isNotPlace(list, to) &&
    (kind === 'named' || kind === 'house') &&
    to < from + 3 &&
    !(vague.test(first?.plain ?? '') && list[to]?.facts.place !== 'named')
  )
    to += 1;
  if (list[to]?.plain === '.' && !endsSentence(list[to - 1], list[to + 1])) to += 1;
  const start = to;
  to = afterName(tokens, to, isTaken, loosenessOf(first));
  if (to > start) to = afterHyphen(list, to);
  if (to > start) return withHouse(tokens, { to, tells: telling[kind], isGuess: false }, isTaken);
  // `ГСК-17`
  const joined = afterHyphen(list, start);
  if (joined > start) return { to: joined, tells: telling[kind], isGuess: false };
  if (kind === 'area' && first?.capital && first.plain.length > 6)
    return withHouse(tokens, { to, tells: telling.spot, isGuess: true }, isTaken);
  const isStop = list[to - 1]?.plain === '.' && list[to - 2]?.facts.place !== undefined;
  const isTelling =
    (kind === 'named' || kind === 'house' || isRoad.test(first?.plain ?? '')) &&
    !first?.plain.startsWith('квартир');
  return withHouse(
    tokens,
    {
      to: Math.max(isStop ? to - 1 : to, from + 1),
      tells: isTelling ? telling.generic : 0,
      isGuess: false,
    },
    isTaken,
  );
}

/** Of the streets, those that are a place without a name: `на трассе`. */
const isRoad =
  /^(?:трасс|тракт|объездн|перекрест|кольц|поворот|развязк|обочин|набережн|екад|мкад|кад)/;

/** `Визовский бульвар`, `Сиреневом бульваре 4`, `Приволжский район`, `Московское ш. 256`. */
function nameThenKind(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  const found = kindAfterName(tokens, from, isTaken);
  const kind = list[found?.at ?? -1];
  const place = kind?.facts.place;
  if (found === undefined || kind === undefined || place === undefined) return undefined;
  const { at, isNamed } = found;
  const isAbbreviated = list[at + 1]?.plain === '.' && !endsSentence(kind, list[at + 2]);
  const end = isAbbreviated && list[at + 2]?.kind === 'number' ? at + 2 : at + 1;
  const to = Math.max(afterName(tokens, end, isTaken, 'strict'), end);
  const isRoom = kind.plain.startsWith('квартир');
  const tells =
    (isNamed || to > end) && place !== 'house'
      ? telling[place]
      : isRoom
        ? 0
        : telling.generic + 0.4;
  return withHouse(tokens, { to, tells, isGuess: false }, isTaken);
}

/** `Свердл. обл`, `к. сад Ветеран`: an adjective cut short before its kind. */
function shortened(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  const [adjective, stop, kind] = [list[from], list[from + 1], list[from + 2]];
  if (stop?.plain !== '.' || kind?.kind !== 'word' || kind.capital) return undefined;
  const isRegion = adjective?.capital === true && kind.facts.place === 'area';
  const isGarden =
    adjective !== undefined &&
    /^(?:к|кол|колл|сад)$/.test(adjective.plain) &&
    kind.plain.startsWith('сад');
  if (!isRegion && !isGarden) return undefined;
  const to = afterName(tokens, from + 3, isTaken, 'strict');
  return { to: Math.max(to, from + 3), tells: telling.area, isGuess: false };
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
  const place = next?.kind === 'word' ? next.facts.place : undefined;
  if (
    place !== undefined &&
    place !== 'settlement' &&
    (next?.plain.length ?? 0) > 1 &&
    !/^(?:этаж|кв$|подъезд)/.test(next?.plain ?? '')
  ) {
    // `1480 км трассы М5`
    const further = list[to + 1];
    const isOfRoad = place === 'street' && further?.facts.place === 'street';
    const name = afterName(tokens, isOfRoad ? to + 2 : to + 1, isTaken, 'strict');
    // `800 км от дома` is a distance.
    if (/^(?:км|километр)/.test(next?.plain ?? '') && name <= to + 1 && !isOfRoad)
      return { to: to + 1, tells: telling.spot, isGuess: true };
    return withHouse(
      tokens,
      {
        to: Math.max(to + 1, name),
        tells: place === 'house' ? telling.generic + 1 : telling[place],
        isGuess: false,
      },
      isTaken,
    );
  }
  if (to > from + 1 && next?.capital && isNameLike(tokens, to, isTaken))
    return withHouse(tokens, { to: to + 1, tells: telling.spot, isGuess: true }, isTaken);
  return undefined;
}

/** Adds the number of a house that follows. */
function withHouse(tokens: Tokens, part: Part, isTaken: IsTaken): Part {
  const { list } = tokens;
  const last = list[part.to - 1];
  if (
    part.tells < telling.spot &&
    part.tells !== telling.town &&
    !(part.tells === telling.generic && isNumbered(last))
  )
    return part;
  // `Омск, 5`: no house of a town.
  if (part.tells === telling.town && list[part.to]?.kind !== 'number') return part;
  const house = houseAt(tokens, part.to, isTaken);
  if (house === undefined) return part;
  const { to, tells, isGuess } = { ...part, to: house };
  if (tells >= telling.street) return { to, tells: tells + 0.5, isGuess };
  const isOfStreet = tells === telling.spot || tells === telling.town;
  return { to, tells: Math.max(tells + 1.6, isOfStreet ? telling.street : 0), isGuess };
}
