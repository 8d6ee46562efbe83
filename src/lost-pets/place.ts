// Where it was lost, found or seen, as it is written: parts of an address that stand together make a place, and of
// several places the one that tells most of the event is taken.

import { areTraits } from './agreement.ts';
import { endsSentence } from './patterns.ts';
import { chainAt } from './place-chain.ts';
import { isDated, isEvent, isLoss, isWhereKept } from './place-events.ts';
import { beginsWithTown, isHeading, isOpening } from './place-heading.ts';
import { isEndOfHouse } from './place-houses.ts';
import { type Introduction, introductionBefore } from './place-introduction.ts';
import type { IsTaken } from './place-names.ts';
import { type Part, telling } from './place-part.ts';
import type { Found, Span } from './span.ts';
import type { Token, Tokens } from './tokens.ts';
import { factsOf } from './word-facts.ts';
import type { Kind } from './words/kind-rules.ts';

interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

export function placeIn(
  tokens: Tokens,
  kind: Kind,
  taken: readonly (Span | undefined)[],
): Found<string> | undefined {
  const { list, text } = tokens;
  const isTaken = takenIn(list, taken);
  const sentences = sentencesOf(list);
  const told = eventsOf(list, sentences);
  const firstLoss = [...told].find(([, event]) => event === 'loss')?.[0];
  let best: Candidate | undefined;
  let order = 0;
  // The end of the last place that a bracket may explain.
  let last = -1;
  for (let from = 0; from < list.length; from += 1) {
    const introduced = introductionBefore(tokens, from);
    if (introduced === 'none' || (introduced === 'away' && !isOfEvent(kind))) continue;
    const chain = chainAt(tokens, from, isTaken, introduced !== 'bare');
    const place = introduced === 'label' ? labelled(tokens, from, chain, isTaken) : chain;
    if (
      place === undefined ||
      isExplained(list, from, last) ||
      !holds(tokens, from, place, introduced, kind, sentences)
    )
      continue;
    const score =
      place.tells -
      order * 0.25 +
      weightOf(tokens, from, place, introduced, kind, sentences) +
      ofEvent(told.get(sentences[from] ?? 0), kind) +
      (kind === 'lost' && sentences[from] === firstLoss && place.tells >= telling.area ? 0.6 : 0);
    order += 1;
    last = place.tells < telling.town ? -1 : place.to;
    if (best === undefined || score > best.score) best = { from, to: place.to, score };
    from = Math.max(from, place.to - 1);
  }
  if (best === undefined) return inHashtags(tokens);
  const start = list[best.from]?.start ?? 0;
  const end = list[best.to - 1]?.end ?? 0;
  return { value: text.slice(start, end), start, end };
}

const mostOfLine = 14;

/** After a label the whole clause is the place: `Где: Снеговая падь, за прудом, Адмирала Горшкова 24`. */
function labelled(
  tokens: Tokens,
  from: number,
  chain: Part | undefined,
  isTaken: IsTaken,
): Part | undefined {
  const { list } = tokens;
  if (chain === undefined) return undefined;
  for (let n = chain.to; n < from + mostOfLine; n += 1) {
    const token = list[n];
    if (token === undefined || token.kind === 'line') return { ...chain, to: n };
    if (token.kind === 'word') {
      if (
        isTaken(token) ||
        token.facts.role !== undefined ||
        token.facts.noPlace ||
        token.facts.time
      )
        break;
      continue;
    }
    if (token.plain === '.' && endsSentence(list[n - 1], list[n + 1])) return { ...chain, to: n };
    if (
      token.kind === 'number'
        ? !/^\d{1,3}$/.test(token.plain) || isTaken(token)
        : token.plain !== ','
    )
      break;
  }
  return chain;
}

/** Within a bracket right after another place: it only explains that one. */
function isExplained(list: readonly Token[], from: number, last: number): boolean {
  if (list[last]?.plain !== '(') return false;
  for (let n = last + 1; n < from; n += 1) if (list[n]?.plain === ')') return false;
  return true;
}

function takenIn(list: readonly Token[], spans: readonly (Span | undefined)[]): IsTaken {
  // By where tokens start.
  const taken = new Uint8Array(list.at(-1)?.end ?? 0);
  for (const span of spans) {
    if (span === undefined) continue;
    for (let n = firstAfter(list, span.start); n < list.length; n += 1) {
      const { start } = list[n] ?? span;
      if (start >= span.end) break;
      taken[start] = 1;
    }
  }
  return ({ start }) => taken[start] === 1;
}

/** The first token that ends after a place in the text. */
function firstAfter(list: readonly Token[], place: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle]?.end ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}

const doctors = /^(?:клиник|ветклиник|ветлечебниц|приют|передержк|полици|отделени|стационар)/;

/** `клинику на Ленинском`, `Муниципальный приют`. */
function isOfDoctors(list: readonly Token[], from: number): boolean {
  return (
    doctors.test(list[from]?.plain ?? '') ||
    (list[from]?.facts.ending.adjective === true && doctors.test(list[from + 1]?.plain ?? ''))
  );
}

/** Whether it is a place at all: a capital letter alone at the beginning of a sentence makes none. */
function holds(
  tokens: Tokens,
  from: number,
  { to, tells, isGuess }: Part,
  introduced: Introduction,
  kind: Kind,
  sentences: readonly number[],
): boolean {
  const isBare = introduced === 'bare';
  if (isGuess && isBare && !isAddressLike(tokens, from, to, sentences)) return false;
  if (tells < telling.generic) return false;
  // `спасибо ветклинике`
  if (kind === 'news' && isBare && doctors.test(tokens.list[from]?.plain ?? '')) return false;
  if (tells >= telling.town) return true;
  // `в подвале` tells where it was found, but not where it waits for a home.
  if (isBare || kind === 'adoption' || kind === 'fundraising') return false;
  return !(kind === 'news' && doctors.test(tokens.list[from]?.plain ?? ''));
}

/** Whether it happened somewhere, and is not only reported or offered. */
function isOfEvent(kind: Kind): boolean {
  return kind === 'lost' || kind === 'found' || kind === 'sighting';
}

function weightOf(
  tokens: Tokens,
  from: number,
  { to }: Part,
  introduced: Introduction,
  kind: Kind,
  sentences: readonly number[],
): number {
  const { list } = tokens;
  let weight = 0;
  if (introduced === 'label') weight += 4;
  if (introduced === 'away') weight -= 4;
  const isEvented = isOfEvent(kind);
  if (isEvented && isOfDoctors(list, from) && kind !== 'sighting') weight -= 3;
  if (isEvented && isElsewhere(list, from)) weight -= 3;
  if (kind === 'found' && isWhereKept(list, from)) weight -= 2;
  if (!isEvented) weight += ofStay(list, from);
  if (isHeading(list, from, to, sentences)) weight += 5.5;
  else if (isEvented && beginsWithTown(list, from, to, sentences)) weight += 1;
  // `База «Сосновая» 8 (351) …`: whom to call.
  if (isEvented && list[to]?.kind === 'number' && /^[+78]/.test(list[to]?.plain ?? ''))
    weight -= 0.8;
  return weight;
}

const lives =
  /^(?:живет|живут|находится|находятся|сейчас|ждет|ждут|содержится|содержатся|проживает|лежит|лечится|поселил[а-я]*)$/;

/** Where the animal is now, and not where it came from: `живёт в Кольцово`, `с улицы Восстания`. */
function ofStay(list: readonly Token[], from: number): number {
  const before = list[from - 1]?.plain ?? '';
  if (before === 'с' || before === 'со' || before === 'из') return -1.5;
  return [2, 3, 4, 5].some((back) => lives.test(list[from - back]?.plain ?? '')) ? 1.5 : 0;
}

const leads =
  /^(?:может|могла|могут|мог|возможно|отвезли|отвез|отвезла|увезли|увез|увезла|привезли|передали|везем)$/;

/** `Может выйти на деревни`, `отвезли в клинику`: where it may be, or was brought. */
function isElsewhere(list: readonly Token[], from: number): boolean {
  // `увёз от ТЦ`: from where.
  if (/^(?:от|с|со|из)$/.test(list[from - 1]?.plain ?? '')) return false;
  for (let n = from - 1; n > from - 7; n -= 1) {
    const token = list[n];
    if (token === undefined || token.kind === 'line' || /^[.!?]$/.test(token.plain)) return false;
    if (leads.test(token.plain)) return true;
  }
  return false;
}

/** What each sentence tells of what happened: `loss`, or anything else of it. */
function eventsOf(
  list: readonly Token[],
  sentences: readonly number[],
): ReadonlyMap<number, 'loss' | 'other'> {
  const told = new Map<number, 'loss' | 'other'>();
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    if (token === undefined || !isEvent(token)) continue;
    const sentence = sentences[n] ?? 0;
    if (isLoss(token)) told.set(sentence, 'loss');
    else if (!told.has(sentence)) told.set(sentence, 'other');
  }
  return told;
}

function ofEvent(event: 'loss' | 'other' | undefined, kind: Kind): number {
  if (event === undefined) return 0;
  if (kind === 'lost') return event === 'loss' ? 1.2 : 0.8;
  return kind === 'found' || kind === 'sighting' ? 1.2 : 0.4;
}

/** A guess at the beginning of a sentence holds if nothing but the place stands in it. */
function isAddressLike(
  { list }: Tokens,
  from: number,
  to: number,
  sentences: readonly number[],
): boolean {
  const after = list[to];
  const isWhole =
    after === undefined ||
    (isEndOfHouse(list, to - 1) && (isEvent(after) || isDated(list, from, after))) ||
    sentences[to] !== sentences[from] ||
    after.kind === 'sign' ||
    after.kind === 'emoji' ||
    after.kind === 'line';
  const first = list[from];
  if (!isWhole || first === undefined || first.facts.firstName || first.facts.breedAdjective)
    return false;
  if (areTraits(first, list[from + 2])) return false;
  if (isOpening(list, from, to, sentences)) return true;
  // `Ветлужская, 30`
  if (isEndOfHouse(list, to - 1) && ofStreet.test(first.plain) && to - from < 6) return true;
  for (let n = from; n < to; n += 1) {
    if (list[n]?.plain === '(') return false;
    if (list[n]?.plain === ',') return !first.facts.ending.common || first.facts.town === true;
  }
  // Alone it is a place if the phone comes next, as at the end of most posts.
  const isBeforePhone = list
    .slice(to, to + 4)
    .some(({ kind, plain }) => kind === 'number' && /^[+789]/.test(plain));
  return to - from <= 2 && isBeforePhone && !first.facts.ending.common && first.plain.length > 3;
}

const ofStreet = /(?:а|я|ой|ая|ов|ев|ей|ых|их|ого|ского|цкого|ской|ии|ы|и|ко)$/;

/** The number of the sentence that each token stands in. */
function sentencesOf(list: readonly Token[]): readonly number[] {
  let sentence = 0;
  return list.map((token, n) => {
    const isEnd =
      token.kind === 'line' ||
      token.plain === '!' ||
      token.plain === '?' ||
      (token.plain === '.' && endsSentence(list[n - 1], list[n + 1]));
    if (isEnd) sentence += 1;
    return isEnd ? sentence - 0.5 : sentence;
  });
}

function inHashtags({ list, text, hashtags }: Tokens): Found<string> | undefined {
  if (hashtags === 0) return undefined;
  for (const { kind, start, end, plain } of list) {
    if (kind !== 'hashtag') continue;
    const word = plain.slice(1);
    const isTown = factsOf(word).town === true || /^[а-я]{3,12}(?:ск|град|бург)$/.test(word);
    if (isTown && word.length > 3)
      return { value: text.slice(start + 1, end), start: start + 1, end };
  }
  return undefined;
}
