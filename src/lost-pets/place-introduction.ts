// What stands before a place: a preposition, a label, the beginning of a sentence, or what leads elsewhere.

import { isHastyStreet, isStreetAlone } from './place-hasty.ts';
import type { Token, Tokens } from './tokens.ts';

/** `away`: where it may have gone or is to be brought, not where it happened. `none`: no place begins here. */
export type Introduction = 'preposition' | 'label' | 'bare' | 'away' | 'none';

const labels =
  /^(?:место|адрес|где|район|город|локация|геолокация|гео|находится|местонахождение|местоположение|адресу|откуда|регион|пункт|населенный|улица|ориентир)$/;
const mostOfLabel = 5;
const pins = new Set(['📍', '🗺', '🏚', '🏠', '🏡', '🗾', '🧭', '📌']);
const elsewhere = new Set(['сторону', 'направлении', 'сторон', 'доезжая', 'домой']);
const brings =
  /^(?:доставк|доставим|привез|отвез|поехал|уехал|переех|переезд|пойти|увез|едет|едем|идти|выйти|бежать|уйти|добраться|вед(?:ет|ут)$)/;
/** `в районе Уралмаша`, `на территории завода`, `во дворе Сиреневый бульвар 4`, `окрестности Верх-Нейвинского`. */
const around =
  /^(?:районе|района|окрестности|окрестностях|территории|территория|рядом|недалеко|неподалеку|поблизости|вблизи|адресу|адрес|нашем|нашего|нашей|соседнем|жители|жителей|соседи|дачники|дачников|двор[аеу]?|дворах|подъезд[аеу]?)$/;

export function introductionBefore(tokens: Tokens, n: number): Introduction {
  const { list } = tokens;
  const before = list[n - 1];
  if (before === undefined) return 'bare';
  if (before.kind === 'line' || before.kind === 'emoji' || before.kind === 'hashtag')
    return isPin(list, n - 1) ? 'label' : 'bare';
  if (before.plain === ':') return isLabel(list, n - 2) ? 'label' : 'bare';
  if (before.kind === 'sign') return isPin(list, n - 2) ? 'label' : 'bare';
  if (before.kind !== 'word') return 'bare';
  if (elsewhere.has(before.plain)) return 'away';
  if (before.facts.preposition) return afterPreposition(list, n);
  if (around.test(before.plain)) return 'preposition';
  const { place, town, district } = list[n]?.facts ?? {};
  const isStreet = isHastyStreet(tokens, n) || isStreetAlone(tokens, n);
  return place !== undefined || town === true || district === true || isStreet ? 'bare' : 'none';
}

/** A pin, or a house at the beginning of a line: elsewhere a house is the home that is looked for. */
function isPin(list: readonly Token[], n: number): boolean {
  const plain = list[n]?.plain ?? '';
  if (!pins.has(plain)) return false;
  return plain === '📍' || n === 0 || list[n - 1]?.kind === 'line';
}

function afterPreposition(list: readonly Token[], n: number): Introduction {
  const preposition = list[n - 1]?.plain;
  const further = list[n - 2];
  if (further !== undefined) {
    const { plain, facts } = further;
    if (elsewhere.has(plain) || brings.test(plain)) return 'away';
    // `долг за Асю`
    if (preposition === 'за' && isThanked(list[n])) return 'none';
    // `попала под электричку`
    if (preposition === 'под' && vehicles.test(list[n]?.plain ?? '')) return 'none';
    // `отчёт по Джессике`
    if (preposition === 'по' && facts.role === 'report') return 'none';
    // `сбор на Грея`, `похож на Бима`
    if (preposition === 'на' && isNoPlaceOn(facts.role)) return 'none';
  }
  if (preposition === 'от' && around.test(further?.plain ?? '')) return 'preposition';
  return preposition === 'до' || preposition === 'от' ? 'bare' : 'preposition';
}

const instrumental = /(?:ом|ем|ой|ей|ами|ями|ым|им|ью)$/;

/** A name after за that is in no form of a place: `за Асю`, but not `за Волгой`. */
function isThanked(token: Token | undefined): boolean {
  if (token === undefined || !token.capital || token.facts.isKnown) return false;
  return !instrumental.test(token.plain);
}

const vehicles = /^(?:электричк|поезд|трамва|автобус|машин|маршрутк|троллейбус)/;

function isNoPlaceOn(role: string | undefined): boolean {
  return role === 'collect' || role === 'pay' || role === 'maybe' || role === 'money';
}

/** `Место пропажи:`, `Где видели последний раз:` at the beginning of a line or a sentence. */
function isLabel(list: readonly Token[], n: number): boolean {
  let first = n;
  while (first > n - mostOfLabel && list[first - 1]?.kind === 'word') first -= 1;
  if (list[first - 1]?.kind === 'word' || list[first - 1]?.plain === ',') return false;
  for (let at = first; at <= n; at += 1) if (labels.test(list[at]?.plain ?? '')) return true;
  return false;
}
