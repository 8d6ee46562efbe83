// Numbers in addresses: of houses, of roads' kilometres, and those that only count something.

import type { IsTaken } from './place-names.ts';
import type { Token, Tokens } from './tokens.ts';

const isHouseNumber = /^\d{1,4}$/;
const letterOfHouse = /^(?:[абвгдежк]|корп|корпус|стр|строение)$/;
const ordinal = /^(?:й|я|ая|ой|ый|го|е|ое|ом|м|х|му|летия|летие|лет)$/;
const building = /^(?:корп|корпус|стр|строение)/;

/** The token after the number of a house: `5`, `12а`, `30к2`, `, 5`, `д. 5`, `5 корпус 2`. */
export function houseAt(tokens: Tokens, from: number, isTaken: IsTaken): number | undefined {
  const { list } = tokens;
  if (list[from - 1] === undefined) return undefined;
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
  // `40-летия Комсомола` is a street; in `60 - третий день` the dash goes on with something else.
  const isJoined = list[to]?.plain === '-' && list[to]?.start === number.end;
  if (isJoined && list[to + 1]?.kind === 'word') return undefined;
  // `Серовский тракт, 15 км`
  if (isKilometre.test(list[to]?.plain ?? '') && !isNumbered(list[to + 1])) return to + 1;
  if (isNumberOfOther(list, to)) return undefined;
  while (to < at + 6) {
    const token = list[to];
    const last = list[to - 1];
    if (token === undefined || last === undefined || isTaken(token)) break;
    const isAdjacent = token.start === last.end;
    const isLetter =
      token.kind === 'word' &&
      letterOfHouse.test(token.plain) &&
      (isAdjacent || building.test(token.plain) || /^[абг]$/.test(token.plain));
    const isMore =
      isAdjacent &&
      (token.plain === '/' ||
        (token.plain === '-' && list[to + 1]?.kind === 'number') ||
        (token.kind === 'number' && last.kind !== 'number'));
    const isOfBuilding =
      (token.kind === 'number' &&
        (building.test(last.plain) || last.plain === '.' || last.plain === 'к')) ||
      (token.plain === '.' && (building.test(last.plain) || last.plain === 'к')) ||
      isBlock(list, to);
    if (!isLetter && !isMore && !isOfBuilding) break;
    to += 1;
  }
  return to;
}

/** `112 к 1`, `3 к. 2`: the letter before the number of a block. */
function isBlock(list: readonly Token[], n: number): boolean {
  if (list[n]?.plain !== 'к') return false;
  const number = list[n + 1]?.plain === '.' ? list[n + 2] : list[n + 1];
  return number?.kind === 'number' && /^\d{1,2}$/.test(number.plain);
}

/** `5 линия`, `7-й микрорайон`, `70 лет Октября`: the number belongs to what follows it. */
function isNumberOfOther(list: readonly Token[], to: number): boolean {
  if (list[to]?.plain === 'лет' && list[to + 1]?.capital) return true;
  const after = list[isOrdinalTail(list, to) ? to + 1 : to];
  return (
    after?.kind === 'word' &&
    after.facts.place !== undefined &&
    after.facts.place !== 'house' &&
    after.plain.length > 1
  );
}

export function isOrdinalTail(list: readonly Token[], n: number): boolean {
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

const counts =
  /^(?:лет|года|год|годика|годиков|г|мес|месяц|месяца|месяцев|недел[а-я]*|дн[а-я]*|день|час|часа|часов|ч|мин|минут[а-я]*|кг|см|м|мм|гр|грамм|руб|рублей|р|тыс[а-я]*|тысяч[а-я]*|утра|вечера|ночи|дня|этаж[а-я]*|штук[а-я]*|раза?|собак[а-я]*|кот[а-я]*|кош[а-я]*|щен[а-я]*|девоч[а-я]*|мальчик[а-я]*|числа|человек[а-я]*|метр[а-я]*|сут[а-я]*|градус[а-я]*|процент[а-я]*|спасен[а-я]*)$/;

const isKilometre = /^(?:км|километр)$/;

/** `5 км 300 м`, `11 км Серовского тракта` */
function isNumbered(token: Token | undefined): boolean {
  return token?.kind === 'number' || token?.capital === true;
}

/** `Мира 14 кошка`: of fourteen they would be `кошек`. */
const isOne =
  /^(?:собак|собачк|кошк|кошечк|девочк)а$|^(?:кот|котик|котенок|щенок|щеночек|мальчик|пес|песик)$/;

/** Whether a number counts something or is a time, so that it numbers no house. */
export function isTimeOrCount({ list, plain }: Tokens, n: number): boolean {
  const token = list[n];
  const next = list[n + 1];
  if (token === undefined || !/^\d{1,4}$/.test(token.plain.replaceAll('\u0001', ''))) return true;
  if (next === undefined) return false;
  if (plain[token.end] === ':' && next.plain === ':' && list[n + 2]?.kind === 'number') return true;
  if (next.plain === '%' || next.plain === '₽') return true;
  // `61 000`
  if (/^\d00$/.test(next.plain) && list[n + 2]?.kind !== 'number' && list[n + 2]?.plain !== '-')
    return true;
  if (next.facts.time === 'month') return true;
  if (next.plain === 'из' && list[n + 2]?.kind === 'number') return true;
  if (next.plain === 'лет' && list[n + 2]?.capital) return false;
  return (
    next.kind === 'word' &&
    counts.test(next.plain) &&
    (token.plain === '1' || !isOne.test(next.plain)) &&
    !(next.start === token.end && /^[абгдм]$/.test(next.plain))
  );
}

/** `5А. Рыжая`: no initial. */
export function isLetterOfHouse(list: readonly Token[], n: number): boolean {
  const [number, letter] = [list[n - 1], list[n]];
  return letter?.plain.length === 1 && number?.kind === 'number' && number.end === letter.start;
}

/** Whether the number of a house ends here: `35`, `35А`. */
export function isEndOfHouse(list: readonly Token[], n: number): boolean {
  return list[n]?.kind === 'number' || isLetterOfHouse(list, n);
}
