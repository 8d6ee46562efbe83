// Which words may be the proper name of a place, and where such a name ends.

import { agrees } from './agreement.ts';
import { hasOnlyMarks, isHastyName, type Looseness } from './place-hasty.ts';
import { isOrdinalTail, isTimeOrCount } from './place-houses.ts';
import { afterQuotes, afterRoadNumber } from './place-signs.ts';
import type { Token, Tokens } from './tokens.ts';

/** What is no part of a place because it is something else: the pet's name, a phone. */
export type IsTaken = (token: Token) => boolean;

function isAdjective(token: Token | undefined): boolean {
  return token?.facts.ending.adjective === true;
}

/** A word that may be a proper name: with a capital letter, and of no other meaning. */
export function isNameLike({ list, isShouting }: Tokens, n: number, isTaken: IsTaken): boolean {
  const token = list[n];
  if (token?.kind !== 'word' || isTaken(token)) return false;
  const { facts, plain } = token;
  if (
    plain.length < 2 ||
    facts.noPlace ||
    facts.preposition ||
    isOfPerson(list, n) ||
    facts.animal ||
    facts.petName ||
    facts.breed ||
    facts.time ||
    facts.place !== undefined
  )
    return false;
  const isAfterPreposition = list[n - 1]?.facts.preposition === true;
  if (facts.role !== undefined && !isNameDespiteRole(list, n, isShouting)) return false;
  if (facts.ending.verb && !isAfterPreposition) return false;
  // `АСТРАХАНЬ, БАБАЕВСКОГО. Вчера …`
  const isInHeading =
    list[n - 1]?.plain === ',' && list[n - 2]?.shouted === true && list[n - 2]?.facts.town === true;
  if (
    !isShouting &&
    !isInHeading &&
    token.shouted &&
    ((plain.length > 4 && /[аеиоуыэюя]/.test(plain)) || /[ьъ]$/.test(plain) || facts.joiner)
  )
    return false;
  if (isShouting) return hasOnlyMarks(token) && facts.firstName !== true && plain.length > 3;
  return token.capital;
}

/** `Ксения К.`, `Вера Павловна`: a person. */
function isOfPerson(list: readonly Token[], n: number): boolean {
  const { facts } = list[n] ?? {};
  const next = list[n + 1];
  if (facts?.ending.patronymic) return list[n - 1]?.facts.firstName === true;
  if (facts?.firstName !== true || next === undefined) return false;
  const isInitial = next.plain.length === 1 && next.capital && list[n + 2]?.plain === '.';
  return isInitial || (next.capital && next.facts.ending.patronymic);
}

const besides = /^(?:у|возле|около|напротив|рядом|за|от|до|районе)$/;

/** `напротив Сбербанка`, `Эльмаше, Старых Большевиков 3`: a word with a meaning, but written as a name. */
function isNameDespiteRole(list: readonly Token[], n: number, isShouting: boolean): boolean {
  const token = list[n];
  if (isShouting || token?.capital !== true || token.shouted) return false;
  if (token.facts.role === 'bank') return besides.test(list[n - 1]?.plain ?? '');
  const next = list[n + 1];
  if (next?.capital !== true) return false;
  // `в Новой Усмани`
  if (isAdjective(token) && list[n - 1]?.facts.preposition && !next.facts.isKnown) return true;
  return list[n + 2]?.kind === 'number';
}

/** `Вильгельма де Геннина`. */
export function isInnerWord(tokens: Tokens, n: number, isTaken: IsTaken): boolean {
  return tokens.list[n]?.plain === 'де' && isNameLike(tokens, n + 1, isTaken);
}

/** `Голубые Дали`: right after an adjective with a capital, whatever it means elsewhere. */
export function isNounOfName({ list, isShouting }: Tokens, n: number, isTaken: IsTaken): boolean {
  const [adjective, noun] = [list[n - 1], list[n]];
  return (
    !isShouting &&
    noun?.kind === 'word' &&
    noun.capital &&
    !noun.shouted &&
    !isTaken(noun) &&
    !noun.facts.noPlace &&
    !noun.facts.firstName &&
    !noun.facts.ending.adjective &&
    adjective?.facts.ending.adjective === true &&
    agrees(adjective.plain, noun.plain)
  );
}

/**
 * The token after a name that follows a kind of place; `from` itself if there is none. `loose` says whether a name in
 * lower case may follow: hardly after `улице`, rather after `ул`.
 */
export function afterName(
  tokens: Tokens,
  from: number,
  isTaken: IsTaken,
  loose: Looseness,
): number {
  const { list } = tokens;
  let to = from;
  if (list[to]?.plain === '№' || list[to]?.plain === 'номер') to += 1;
  const quoted = afterQuotes(list, to);
  if (quoted !== undefined) return quoted;
  if (list[to]?.kind === 'number') return afterNumber(tokens, from, to, isTaken);
  const road = afterRoadNumber(list, to);
  if (road !== undefined) return isNameLike(tokens, road, isTaken) ? road + 1 : road;
  const first = to;
  while (to < first + 4) {
    const token = list[to];
    if (to > first && isInnerWord(tokens, to, isTaken)) to += 1;
    if (token?.kind !== 'word' || isTaken(token) || token.facts.noPlace) break;
    if (to > first && token.facts.town && !isAdjective(list[to - 1])) break;
    if (isOfOtherKind(tokens, to, isTaken)) break;
    if (isProperAfterKind(tokens, to, first, isTaken, loose)) {
      to += 1;
      continue;
    }
    if (to === first && isHastyName(list, to, loose)) return to + 1;
    break;
  }
  return to;
}

function isProperAfterKind(
  tokens: Tokens,
  n: number,
  first: number,
  isTaken: IsTaken,
  loose: Looseness,
): boolean {
  const { list, isShouting } = tokens;
  const token = list[n];
  if (token === undefined) return false;
  const { facts, capital, plain } = token;
  if (isNameLike(tokens, n, isTaken)) return true;
  if (capital && facts.firstName === true) return true;
  if (facts.placeAdjective === true && (loose !== 'strict' || capital)) return true;
  if (isShouting) return loose !== 'strict' && facts.place !== undefined && plain.length > 4;
  if (n > first && commemorated.test(plain) && isAdjective(list[n - 1])) return true;
  // `турбаза Лесная сказка`
  if (
    n > first &&
    list[first - 1]?.facts.place === 'named' &&
    afterAgreeing(tokens, n - 1, isTaken) !== undefined
  )
    return true;
  if (!capital || token.shouted) return false;
  // `ул. Каландаришвили`, `станция Лось`: right after its kind, whatever it means elsewhere.
  if (n === first) return !facts.preposition && !isOfPerson(list, n);
  // `Большие Ключи`, `Каменный Лог`
  if (facts.role !== undefined || facts.place !== undefined)
    return isAdjective(list[n - 1]) && !facts.ending.verb;
  return false;
}

/** `Октябрьской революции`, `Парижской коммуны`: the noun of a street's name is often written small. */
const commemorated =
  /^(?:революции|коммуны|армии|конституции|гвардии|дивизии|бригады|славы|победы|обороны|битвы|войны|звезды|молодежи|дружбы|кавалерии)$/;

/** `Тонком мысу`, `Лесная поляна`: the token after a noun of no other meaning that belongs to an adjective with a capital. */
export function afterAgreeing(tokens: Tokens, n: number, isTaken: IsTaken): number | undefined {
  const { list } = tokens;
  const [adjective, noun] = [list[n], list[n + 1]];
  if (adjective === undefined || noun?.kind !== 'word' || noun.capital || isTaken(noun))
    return undefined;
  const isPlain =
    noun.plain.length > 2 &&
    hasOnlyMarks(noun) &&
    !noun.facts.noPlace &&
    !noun.facts.preposition &&
    !noun.facts.ending.adjective &&
    !noun.facts.ending.verb &&
    !people.test(noun.plain);
  if (!isPlain || !adjective.facts.ending.adjective || !agrees(adjective.plain, noun.plain))
    return undefined;
  // `на Кольцовской залез`: after a preposition the noun has an ending, too.
  if (
    list[n - 1]?.facts.preposition &&
    /[ое]й$/.test(adjective.plain) &&
    !/[аеиоуыэюяй]$/.test(noun.plain)
  )
    return undefined;
  return n + 2;
}

const people = /^(?:люд|дет[иейя]|сосед|ребят|жител|все|мамы|парн|женщин|мужчин|девушк|бабушк)/;

/** `8 Марта`, `1905 года`, `5-я Дачная`, `№ 14`. */
function afterNumber(tokens: Tokens, from: number, number: number, isTaken: IsTaken): number {
  const { list } = tokens;
  const token = list[number];
  if (token === undefined || isTaken(token)) return from;
  const isGiven = list[number - 1]?.plain === '№' || isDateName(list, number);
  if (!isGiven && isTimeOrCount(tokens, number)) return from;
  const kind = list[from - 1]?.plain === '.' ? list[from - 2] : list[from - 1];
  let to = number + 1;
  while (to < number + 4 && isOrdinalTail(list, to)) to += 1;
  // `квартал 4А`
  if (isNumbered(kind) && list[to]?.start === token.end && /^[абвг]$/.test(list[to]?.plain ?? ''))
    return to + 1;
  const next = list[to];
  if (next?.kind === 'word' && next.facts.place !== undefined && next.plain.length > 3)
    return to + 1;
  if (next?.capital && (isNameLike(tokens, to, isTaken) || next.facts.time === 'month'))
    return to + 1;
  if (next?.plain === 'года') return to + 1;
  // `между домами 3 и 5`
  if (next?.plain === 'и' && list[to + 1]?.kind === 'number' && kind?.plain === 'домами')
    return to + 2;
  return to > number + 1 || isNumbered(kind) || list[number - 1]?.plain === '№' ? to : from;
}

/** Places that have numbers of their own. */
const numbered =
  /^(?:школ|шк|сад|лице|гимнази|больниц|поликлиник|оп$|мкр|микрорайон|квартал|кв-л|комплекс|автобус|трамва|маршрут|км|линия|линии|почт|гараж|дом|участок|д$|кв$|корп|детсад|д\/с|остановк|отдел|метро|азс|колоди|подъезд|магазин)/;

export function isNumbered(kind: Token | undefined): boolean {
  return numbered.test(kind?.plain ?? '');
}

/** `8 Марта`, `1 Мая`: the name of a street. */
function isDateName(list: readonly Token[], n: number): boolean {
  const next = list[n + 1];
  return next?.facts.time === 'month' && next.capital && !next.shouted;
}

/** Whether a name begins here that its own kind follows: `Приволжский район`, but not `Северная Слобода`. */
function isOfOtherKind(tokens: Tokens, from: number, isTaken: IsTaken): boolean {
  const kind = tokens.list[kindAfterName(tokens, from, isTaken)?.at ?? -1];
  return kind !== undefined && (!kind.capital || tokens.isShouting);
}

/** The kind of place after its name: `Визовский бульвар`, `Сиреневом бульваре`, `мусорных контейнеров`. */
export function kindAfterName(
  tokens: Tokens,
  from: number,
  isTaken: IsTaken,
): { readonly at: number; readonly isNamed: boolean } | undefined {
  const { list } = tokens;
  let isNamed = false;
  for (let at = from; at < from + 4; at += 1) {
    const token = list[at];
    if (token?.kind !== 'word' || isTaken(token)) return undefined;
    const { facts } = token;
    if (at > from && facts.place !== undefined && (token.plain.length > 1 || token.plain === 'ш'))
      return facts.town === undefined && !agrees(list[at - 1]?.plain ?? '', token.plain)
        ? undefined
        : { at, isNamed };
    if (!facts.ending.adjective && facts.town !== true) return undefined;
    if (isNameLike(tokens, at, isTaken) || (tokens.isQuiet && hasOnlyMarks(token))) isNamed = true;
    else if (!facts.placeAdjective && !facts.town && !isPlainAdjective(list, at)) return undefined;
  }
  return undefined;
}

const pronouns =
  /^(?:наш|ваш|сво|мо[еияй]|тво|эт|так|котор|кажд|друг|сам|весь|всех|всем|люб|одн|люб|чуж|каком|какой|перв|втор|трет|рыж|сер|пушист|ближайш)/;

/** `у мусорных контейнеров`: an adjective of no other meaning between a preposition and a kind of place. */
function isPlainAdjective(list: readonly Token[], n: number): boolean {
  const token = list[n];
  return (
    token !== undefined &&
    !token.capital &&
    token.plain.length > 4 &&
    hasOnlyMarks(token) &&
    !token.facts.noPlace &&
    !token.facts.preposition &&
    !pronouns.test(token.plain) &&
    list[n - 1]?.facts.preposition === true
  );
}

/** `Н. Новгород`, `В.Пышма`. */
export function isShortAdjective(list: readonly Token[], n: number): boolean {
  const [letter, stop, town] = [list[n], list[n + 1], list[n + 2]];
  return (
    letter?.capital === true &&
    /^[нвс]$/.test(letter.plain) &&
    stop?.plain === '.' &&
    town?.capital === true &&
    /^(?:новгород|тагил|пышм|салд|устюг|луки|лук$|челн|ломов|посад|тур|волочек|уфал)/.test(
      town.plain,
    )
  );
}
