// Which words that may name a kind of place do so where they stand: `села Покровского`, but not `она села`.

import type { Token } from './tokens.ts';

/** Words that are a kind of place only with a name, a number or a capital letter beside them. */
export function isNotPlace(list: readonly Token[], n: number): boolean {
  const token = list[n];
  if (token === undefined) return true;
  const { plain } = token;
  const next = list[n + 1];
  const before = list[n - 1];
  const isNamed =
    next?.capital === true ||
    next?.kind === 'number' ||
    next?.plain === '"' ||
    next?.plain === '«' ||
    next?.plain === '№';
  // Single letters are kinds of places only with a full stop or before a name.
  if (plain.length === 1)
    return (
      // `Ксения К.`
      (token.capital && before?.kind === 'word' && before.capital) ||
      (!(
        next?.plain === '.' &&
        (list[n + 2]?.capital === true || list[n + 2]?.kind === 'number')
      ) &&
        !(plain === 'д' && next?.kind === 'number'))
    );
  if (plain === 'со' || plain === 'сад' || plain === 'ск' || plain === 'ст')
    return !isNamed && next?.plain !== '.';
  // `она села в машину`
  if (plain === 'села' || plain === 'сел') return next?.capital !== true;
  if (
    plain === 'горе' ||
    plain === 'лента' ||
    plain === 'ленте' ||
    plain === 'верный' ||
    plain === 'верного'
  )
    return !token.capital && !(before?.facts.preposition === true && next?.capital === true);
  if (plain === 'дома' || plain === 'дом' || plain === 'дому')
    return !publicHouses.test(next?.plain ?? '') && isNoHouse(list, n);
  return false;
}

/** `Дом быта`, `Дом культуры`. */
export const publicHouses =
  /^(?:быта|культуры|офицеров|книги|ребенка|престарелых|торговли|связи|печати|учителя|спорта|творчества|молодежи|пионеров|ученых)$/;

/** `дома` is at home, unless a number or a street tells which house it is. */
function isNoHouse(list: readonly Token[], n: number): boolean {
  const before = list[n - 1];
  const next = list[n + 1];
  const isIntroduced =
    before?.facts.preposition === true ||
    before?.facts.place !== undefined ||
    before?.kind === 'line';
  if (next?.kind === 'number' || next?.plain === '№' || before?.kind === 'number') return false;
  if (before?.facts.placeAdjective === true) return false;
  if (next?.capital === true) return !isIntroduced && list[n + 2]?.kind !== 'number';
  // `из дома на Расточной 13`
  const isOfStreet = next?.plain === 'по' || next?.plain === 'на';
  return !(
    isOfStreet &&
    isIntroduced &&
    list[n + 2]?.capital === true &&
    list[n + 3]?.kind === 'number'
  );
}
