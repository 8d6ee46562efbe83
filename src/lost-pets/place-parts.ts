// One part of an address at a token: `ул. Ленина, 5` has two, a street and the number of a house.

import { endsSentence } from './patterns.ts';
import { isHastyStreet, type Looseness } from './place-hasty.ts';
import { houseAt, isOrdinalTail, isTimeOrCount } from './place-houses.ts';
import { isNotPlace, publicHouses } from './place-kinds.ts';
import {
  afterAgreeing,
  afterName,
  type IsTaken,
  isInnerWord,
  isNameLike,
  isNounOfName,
  isShortAdjective,
  kindAfterName,
} from './place-names.ts';
import { type Part, telling, withHouse } from './place-part.ts';
import { ofQuotes, quotedAfter } from './place-quoted.ts';
import { afterHyphen, afterRoadNumber } from './place-signs.ts';
import { isStreetOfDay } from './streets-of-days.ts';
import type { Token, Tokens } from './tokens.ts';

/** They tell nothing of where they are. */
export const vague = /^(?:двор|подъезд|квартир)/;

export function partAt(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list, isShouting } = tokens;
  const token = list[from];
  if (token === undefined || isTaken(token)) return undefined;
  if (token.kind === 'number') return ofNumber(tokens, from, isTaken);
  if (token.kind === 'sign') return ofQuotes(tokens, from, isTaken);
  if (token.kind !== 'word') return undefined;
  // `в городе Сызрань`, but not `в городе`.
  if (token.facts.noPlace && !(token.facts.place !== undefined && list[from + 1]?.capital))
    return undefined;
  const { place, town } = token.facts;
  if (isShortAdjective(list, from))
    return withHouse(tokens, { to: from + 3, tells: telling.town, isGuess: false }, isTaken);
  if (place !== undefined && !isNotPlace(list, from)) return ofKind(tokens, from, isTaken);
  const quoted = quotedAfter(tokens, from);
  if (quoted !== undefined)
    return withHouse(tokens, { to: quoted, tells: telling.named, isGuess: false }, isTaken);
  const road = afterRoadNumber(list, from);
  if (road !== undefined) {
    // `М-4 Дон`
    const to = isNameLike(tokens, road, isTaken) ? road + 1 : road;
    return { to, tells: telling.street, isGuess: false };
  }
  const named =
    nameThenKind(tokens, from, isTaken) ??
    shortened(tokens, from, isTaken) ??
    hastyStreet(tokens, from, isTaken);
  if (named !== undefined) return named;
  if (
    (town === true ||
      soundsLikeTown(token, isShouting) ||
      (tokens.isQuiet &&
        token.facts.ending.town &&
        list[from - 1]?.facts.preposition &&
        !token.facts.role)) &&
    (token.capital || token.plain.length > 5 || tokens.isQuiet)
  ) {
    let to = afterHyphen(list, from + 1);
    if (
      list[to]?.plain === 'и' &&
      (list[to + 1]?.facts.place === 'area' || list[to + 1]?.facts.town)
    )
      to += 2;
    return withHouse(tokens, { to, tells: telling.town, isGuess: false }, isTaken);
  }
  if (token.facts.district) {
    // `Чертаново Южное`
    const side = list[from + 1];
    const to = side?.capital && sides.test(side.plain) ? from + 2 : from + 1;
    return withHouse(tokens, { to, tells: telling.spot, isGuess: false }, isTaken);
  }
  if (!isNameLike(tokens, from, isTaken)) return undefined;
  const agreeing = afterAgreeing(tokens, from, isTaken);
  if (agreeing !== undefined)
    return withHouse(tokens, { to: agreeing, tells: telling.spot, isGuess: true }, isTaken);
  let to = from + 1;
  while (
    to < from + 4 &&
    (isNameLike(tokens, to, isTaken) ||
      isInnerWord(tokens, to, isTaken) ||
      isNounOfName(tokens, to, isTaken)) &&
    list[to]?.facts.town !== true &&
    kindAfterName(tokens, to, isTaken) === undefined
  )
    to += 1;
  to = afterHyphen(list, to);
  return withHouse(tokens, { to, tells: telling.spot, isGuess: true }, isTaken);
}

const sides = /^(?:северн|южн|восточн|западн|центральн)(?:ое|ом|ого|ая|ой|ый|ым)$/;

function soundsLikeTown({ capital, facts }: Token, isShouting: boolean): boolean {
  if (facts.role !== undefined || facts.time !== undefined) return false;
  return capital && !isShouting ? facts.ending.town : facts.ending.surelyTown;
}

function loosenessOf({ isQuiet }: Tokens, kind: Token | undefined): Looseness {
  const place = kind?.facts.place;
  // `тц космос`
  if (isQuiet && place === 'named') return 'abbreviation';
  if (place !== 'street' && place !== 'settlement' && place !== 'area') return 'strict';
  if (/^(?:промзон|окраин|центр|сектор)/.test(kind?.plain ?? '')) return 'strict';
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
  if (/^(?:дом|двор[е]?ц)/.test(first?.plain ?? '') && publicHouses.test(list[to]?.plain ?? ''))
    return withHouse(tokens, { to: to + 1, tells: telling.named, isGuess: false }, isTaken);
  // `база отдыха «Чайка»`
  if (isOfQuoted(list, to)) to += 1;
  // `гостиница для животных`
  if (list[to]?.plain === 'для' && isOfPets(list[to + 1])) to += 2;
  // `район мечети`
  if (kind === 'area' && isPlainLandmark(list, to)) {
    const landmark = ofKind(tokens, to, isTaken);
    return { ...landmark, tells: Math.max(landmark.tells, telling.area) };
  }
  // `центре города`
  if (
    first?.plain.startsWith('центр') &&
    list[to]?.facts.place === 'settlement' &&
    !list[to]?.capital
  )
    return { to: to + 1, tells: telling.generic, isGuess: false };
  const start = to;
  to = afterName(tokens, to, isTaken, loosenessOf(tokens, first));
  if (to > start) to = afterHyphen(list, to);
  if (to > start) return withHouse(tokens, { to, tells: telling[kind], isGuess: false }, isTaken);
  // `ГСК-17`
  const joined = afterHyphen(list, start);
  if (joined > start) return { to: joined, tells: telling[kind], isGuess: false };
  // `у Ашана`, `парковке Ленты`
  const shop = list[to - 1];
  if (shop?.capital && !tokens.isShouting && chains.test(shop.plain))
    return withHouse(tokens, { to, tells: telling.named, isGuess: false }, isTaken);
  // `Набережная, 12`
  if (kind === 'street' && first?.capital && first.plain.startsWith('набережн'))
    return withHouse(tokens, { to, tells: telling.spot, isGuess: false }, isTaken);
  if (kind === 'area' && first?.capital && first.plain.length > 6)
    return withHouse(tokens, { to, tells: telling.spot, isGuess: true }, isTaken);
  const isStop = list[to - 1]?.plain === '.' && list[to - 2]?.facts.place !== undefined;
  const isTelling =
    (kind === 'named' || kind === 'house' || isRoad.test(first?.plain ?? '')) &&
    !/^(?:квартир|кв$)/.test(first?.plain ?? '');
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

/** Chains of shops, whose name is their kind as well. */
const chains =
  /^(?:магнит|пятерочк|дикси|лент[аеуы]|ашан|монетк|перекрестк|окей|вкусвилл|светофор|леруа|мег[аеи]|бристол|спар|фикспрайс)/;

/** A word in lower case between a kind and its name in quotes. */
function isOfQuoted(list: readonly Token[], n: number): boolean {
  const word = list[n];
  return (
    word?.kind === 'word' &&
    !word.capital &&
    !word.facts.isKnown &&
    list[n + 1]?.plain === '«' &&
    list[n + 2]?.capital === true
  );
}

function isOfPets(token: Token | undefined): boolean {
  return token?.facts.animal !== undefined || token?.facts.role === 'pet';
}

function isPlainLandmark(list: readonly Token[], n: number): boolean {
  const token = list[n];
  return (
    /^(?:район|р-н)/.test(list[n - 1]?.plain ?? '') &&
    token?.kind === 'word' &&
    (token.plain === 'ж/д' || (!token.capital && token.plain.length > 3)) &&
    token.facts.place === 'named' &&
    !isNotPlace(list, n)
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

function hastyStreet(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  if (!isHastyStreet(tokens, from)) return undefined;
  const to = houseAt(tokens, from + 1, isTaken);
  return to === undefined ? undefined : { to, tells: telling.street, isGuess: false };
}

function ofNumber(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  if (isStreetOfDay(list, from))
    return withHouse(tokens, { to: from + 2, tells: telling.street, isGuess: false }, isTaken);
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
  // `2-й Мичуринский тупик`
  const named = to > from + 1 ? nameThenKind(tokens, to, isTaken) : undefined;
  if (named !== undefined && named.tells >= telling.street) return named;
  if (to > from + 1 && next?.capital && isNameLike(tokens, to, isTaken))
    return withHouse(tokens, { to: to + 1, tells: telling.spot, isGuess: true }, isTaken);
  return undefined;
}
