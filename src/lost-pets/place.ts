// Where it was lost, found or seen, as it is written: parts of an address that stand together make a place, and of
// several places the one that tells most of the event is taken.

import { endsSentence } from './patterns.ts';
import { type IsTaken, isNameLike, type Part, partAt, telling, vague } from './place-parts.ts';
import type { Found, Span } from './span.ts';
import type { Token, Tokens } from './tokens.ts';
import { factsOf } from './word-facts.ts';
import type { Kind } from './words/kind-rules.ts';

interface Candidate {
  readonly from: number;
  readonly to: number;
  readonly score: number;
}

const labels =
  /^(?:место|адрес|где|район|город|локация|находится|местонахождение|пропажи|находки|потери)$/;
const pins = new Set(['📍', '🗺', '🏚', '🏠', '🏡', '🗾', '🧭', '📌']);
const events = new Set([
  'gone',
  'fled',
  'left',
  'stolen',
  'lostBySomebody',
  'found',
  'foundBySomebody',
  'taken',
  'came',
  'saw',
  'roams',
  'moves',
  'missing',
  'turnedUp',
  'whose',
]);
const elsewhere = new Set(['сторону', 'направлении', 'сторон', 'стороны']);
const doctors = /^(?:клиник|ветклиник|ветлечебниц|приют|передержк|полици|отделени)/;

export function placeIn(
  tokens: Tokens,
  kind: Kind,
  taken: readonly (Span | undefined)[],
): Found<string> | undefined {
  const { list, text } = tokens;
  const spans = taken.filter((each) => each !== undefined).toSorted((a, b) => a.start - b.start);
  const isTaken: IsTaken = ({ start, end }) =>
    spans.some((span) => start < span.end && end > span.start);
  const sentences = sentencesOf(list);
  const eventful = new Set(
    list.flatMap(({ facts }, n) =>
      facts.role !== undefined && events.has(facts.role) ? [sentences[n] ?? 0] : [],
    ),
  );
  let best: Candidate | undefined;
  let order = 0;
  for (let from = 0; from < list.length; from += 1) {
    const introduced = introductionBefore(tokens, from);
    if (introduced === 'none') continue;
    const whole = wholeAt(tokens, from, isTaken, introduced !== 'bare');
    if (whole === undefined) continue;
    const isBare = introduced === 'bare';
    if (whole.isGuess && isBare && !isAddressLike(tokens, from, whole.to, sentences)) continue;
    if (
      whole.tells < telling.generic ||
      (whole.tells < telling.town &&
        (isBare ||
          kind === 'adoption' ||
          kind === 'fundraising' ||
          (kind === 'news' && doctors.test(list[from]?.plain ?? ''))))
    )
      continue;
    const sentence = sentences[from] ?? 0;
    let score = whole.tells - order * 0.25;
    if (introduced === 'label') score += 4;
    if (eventful.has(sentence))
      score += kind === 'lost' || kind === 'found' || kind === 'sighting' ? 1.2 : 0.4;
    if (introduced === 'away') score -= 4;
    if (doctors.test(list[from]?.plain ?? '') && (kind === 'lost' || kind === 'found')) score -= 3;
    order += 1;
    if (best === undefined || score > best.score) best = { from, to: whole.to, score };
    from = Math.max(from, whole.to - 1);
  }
  if (best === undefined) return inHashtags(tokens);
  const start = list[best.from]?.start ?? 0;
  const end = list[best.to - 1]?.end ?? 0;
  return { value: text.slice(start, end), start, end };
}

type Introduction = 'preposition' | 'label' | 'bare' | 'away' | 'none';

/** What stands before a place: a preposition, a label, the beginning of a sentence, or what leads elsewhere. */
function introductionBefore({ list }: Tokens, n: number): Introduction {
  const before = list[n - 1];
  if (
    before === undefined ||
    before.kind === 'line' ||
    before.kind === 'emoji' ||
    before.kind === 'hashtag'
  ) {
    return before !== undefined && pins.has(before.plain) ? 'label' : 'bare';
  }
  if (before.plain === ':') return isLabel(list, n - 2) ? 'label' : 'bare';
  if (before.kind === 'sign') {
    if (pins.has(list[n - 2]?.plain ?? '')) return 'label';
    return 'bare';
  }
  if (before.kind !== 'word') return 'bare';
  if (elsewhere.has(before.plain)) return 'away';
  if (before.facts.preposition) {
    const further = list[n - 2]?.plain ?? '';
    if (
      elsewhere.has(further) ||
      /^(?:доставк|привез|отвез|поехал|переех|переезд|пойти)/.test(further)
    )
      return 'away';
    return before.plain === 'до' || before.plain === 'от' ? 'bare' : 'preposition';
  }
  // `в районе Уралмаша`, `на территории завода`, `окрестности Верх-Нейвинского`.
  if (
    /^(?:районе|района|окрестности|окрестностях|территории|территория|рядом|недалеко|неподалеку|нашем|нашего|нашей|соседнем|жители|соседи)$/.test(
      before.plain,
    )
  )
    return 'preposition';
  const { place, town } = list[n]?.facts ?? {};
  return place !== undefined || town === true ? 'bare' : 'none';
}

/** `Место пропажи:` at the beginning of a line or a sentence. */
function isLabel(list: readonly Token[], n: number): boolean {
  if (!labels.test(list[n]?.plain ?? '')) return false;
  const first = labels.test(list[n - 1]?.plain ?? '') ? n - 1 : n;
  const { kind, plain } = list[first - 1] ?? { kind: 'line', plain: '' };
  return kind !== 'word' && plain !== ',';
}

/** Parts that stand together, from a token on. */
function wholeAt(
  tokens: Tokens,
  from: number,
  isTaken: IsTaken,
  isIntroduced: boolean,
): Part | undefined {
  const { list } = tokens;
  const first = list[from];
  // The preposition has said it: `в районе Уралмаша`.
  if (first?.plain === 'районе' && list[from - 1]?.facts.preposition) return undefined;
  const part = partAt(tokens, from, isTaken);
  if (part === undefined) return undefined;
  let { to, tells, isGuess } = part;
  for (let parts = 1; parts < 8; parts += 1) {
    const next = nextPart(tokens, to, isTaken);
    if (next === undefined) break;
    // `Ехали от аэропорта` begins with a verb, `Дача под Сысертью` with a word that tells nothing.
    if (
      list[to]?.facts.joiner &&
      ((isGuess && !isIntroduced) || (tells < telling.area && isVague(list, from)))
    )
      break;
    to = next.to;
    isGuess &&= next.isGuess;
    // Several towns are no address.
    tells = Math.max(tells, next.tells) + (next.tells === telling.town ? 0 : 0.3);
  }
  const bracket = bracketAt(tokens, to, isTaken);
  return { to: bracket ?? to, tells, isGuess };
}

const pieces = /^(?:[,/-]|,)$/;

/** `нашем подъезде`, `двора`. */
function isVague(list: readonly Token[], from: number): boolean {
  const noun = list[from]?.facts.placeAdjective ? list[from + 1] : list[from];
  return vague.test(noun?.plain ?? '');
}

/** The next part of the same place, after a comma, a preposition or nothing. */
function nextPart(tokens: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  const { list } = tokens;
  const between = list[at];
  if (between === undefined || between.kind === 'line') return undefined;
  if (pieces.test(between.plain)) {
    const joined = list[at + 1]?.facts.joiner ? at + 2 : at + 1;
    const part =
      partAt(tokens, joined, isTaken) ??
      (joined === at + 2 ? undefined : numberOfHouse(tokens, at + 1, isTaken));
    if (part === undefined || part.to <= joined) return landmarkAt(tokens, at + 1, isTaken);
    if (joined === at + 2 && part.tells < telling.generic) return undefined;
    if (
      part.tells <= telling.generic &&
      joined === at + 1 &&
      list[joined]?.kind !== 'number' &&
      list[joined]?.facts.place !== 'house'
    )
      return undefined;
    return isEvent(list, joined, part.to) ? undefined : part;
  }
  const landmark = landmarkAt(tokens, at, isTaken);
  if (
    between.plain === 'и' &&
    isNameLike(tokens, at + 1, isTaken) &&
    !list[at + 1]?.facts.firstName &&
    list[at - 1]?.kind === 'word'
  ) {
    return { to: at + 2, tells: telling.spot, isGuess: false };
  }
  if (between.kind === 'number') {
    const part = partAt(tokens, at, isTaken);
    return part?.isGuess === false ? part : undefined;
  }
  if (between.facts.joiner) {
    const skip = list[at + 1]?.plain === 'с' || list[at + 1]?.plain === 'от' ? 2 : 1;
    let inner = at + skip;
    if (list[inner]?.plain === 'районе') inner += 1;
    const part = partAt(tokens, inner, isTaken);
    if (part === undefined || (part.isGuess && list[inner]?.facts.firstName)) return landmark;
    return part;
  }
  if (between.kind === 'word' && isKindAhead(list, at) && between.plain !== 'дома') {
    const part = partAt(tokens, at, isTaken);
    return part !== undefined && !part.isGuess && part.tells > telling.generic ? part : undefined;
  }
  if (
    between.plain === '.' &&
    list[at - 1] !== undefined &&
    !endsSentence(list[at - 1], list[at + 1])
  )
    return partAt(tokens, at + 1, isTaken);
  return undefined;
}

/** A kind of place, or an adjective before one: `Сысертский р-н`, `соседнего дома`. */
function isKindAhead(list: readonly Token[], n: number): boolean {
  const token = list[n];
  if (token?.facts.place !== undefined || token?.facts.town) return true;
  const next = list[n + 1];
  return (
    next?.kind === 'word' &&
    next.facts.place !== undefined &&
    (token?.capital === true || token?.facts.placeAdjective === true)
  );
}

const besides = new Set(['у', 'возле', 'около', 'напротив', 'рядом']);

/** `у каменных палаток`, `рядом со школой`: a thing that the place is near, at the end of a clause. */
function landmarkAt({ list }: Tokens, at: number, isTaken: IsTaken): Part | undefined {
  if (!besides.has(list[at]?.plain ?? '')) return undefined;
  let to = at + 1;
  if (list[at]?.plain === 'рядом' && /^(?:с|со)$/.test(list[to]?.plain ?? '')) to += 1;
  const first = to;
  while (to < first + 2 && isCommon(list[to], isTaken)) to += 1;
  const after = list[to];
  const isEnd =
    after === undefined || after.kind === 'line' || after.kind === 'sign' || after.kind === 'emoji';
  return to > first && isEnd ? { to, tells: telling.generic, isGuess: false } : undefined;
}

function isCommon(token: Token | undefined, isTaken: IsTaken): boolean {
  if (token?.kind !== 'word' || isTaken(token) || token.plain.length < 3) return false;
  const { role, animal, breed, time, preposition, noPlace } = token.facts;
  return (
    (role ?? animal ?? breed ?? time) === undefined &&
    !preposition &&
    !noPlace &&
    !/^(?:меня|нас|него|нее|них|вас|себя|мамы|друзей)$/.test(token.plain)
  );
}

function numberOfHouse(tokens: Tokens, n: number, isTaken: IsTaken): Part | undefined {
  const token = tokens.list[n];
  if (token?.kind !== 'number' || isTaken(token) || !/^\d{1,3}$/.test(token.plain))
    return undefined;
  const after = tokens.list[n + 1];
  if (
    after?.facts.time !== undefined ||
    after?.kind === 'number' ||
    /^(?:лет|год|кг|мес|г|м|этаж)/.test(after?.plain ?? '')
  )
    return undefined;
  return { to: n + 1, tells: telling.generic, isGuess: false };
}

function isEvent(list: readonly Token[], from: number, to: number): boolean {
  return list
    .slice(from, to)
    .some(({ facts }) => facts.role !== undefined && events.has(facts.role));
}

/** `(Каменский район)`, `(за школой)`: the token after the bracket that explains the place. */
function bracketAt(tokens: Tokens, at: number, isTaken: IsTaken): number | undefined {
  const { list } = tokens;
  if (list[at]?.plain !== '(') return undefined;
  let inner = at + 1;
  if (list[inner]?.facts.joiner || list[inner]?.plain === 'это') inner += 1;
  if (list[inner]?.facts.joiner) inner += 1;
  const part = partAt(tokens, inner, isTaken);
  if (part === undefined) return undefined;
  let { to } = part;
  for (
    let next = nextPart(tokens, to, isTaken);
    next !== undefined;
    next = nextPart(tokens, to, isTaken)
  )
    to = next.to;
  if (list[to]?.plain !== ')') return undefined;
  return list[to + 1]?.plain === ',' ? nextPart(tokens, to + 1, isTaken)?.to : undefined;
}

/** A guess at the beginning of a sentence holds if nothing but the place stands in it. */
function isAddressLike(
  tokens: Tokens,
  from: number,
  to: number,
  sentences: readonly number[],
): boolean {
  const { list } = tokens;
  const words = to - from;
  const isWhole =
    sentences[to] !== sentences[from] ||
    list[to] === undefined ||
    list[to]?.kind === 'sign' ||
    list[to]?.kind === 'emoji' ||
    list[to]?.kind === 'line';
  if (!isWhole) return false;
  const first = list[from];
  if (first === undefined || first.facts.firstName || first.facts.breedAdjective) return false;
  if (list.slice(from, to).some(({ plain }) => plain === ','))
    return !common.test(first.plain) || first.facts.town === true;
  const last = list[to - 1];
  if (last?.kind === 'number') return ofStreet.test(first.plain);
  // Alone it is a place if the phone comes next, as at the end of most posts.
  const next = list
    .slice(to, to + 4)
    .some(({ kind, plain }) => kind === 'number' && /^[+789]/.test(plain));
  return words <= 2 && next && !common.test(first.plain) && first.plain.length > 3;
}

const common =
  /(?:ая|яя|ый|ое|ые|ие|ен|ан|на|ны|ет|ит|ят|ут|ю|ешь|ла|ли|ло|ться|тся|сь|те|ики|очки|но|че)$/;
const ofStreet = /(?:а|я|ой|ая|ов|ев|ского|цкого|ской|ии|ы|и)$/;

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

function inHashtags({ list, text }: Tokens): Found<string> | undefined {
  for (const { kind, start, end, plain } of list) {
    if (kind !== 'hashtag') continue;
    const words = plain.slice(1);
    const known = townOf(words);
    if (known) return { value: text.slice(start + 1, end), start: start + 1, end };
  }
  return undefined;
}

function townOf(word: string): boolean {
  return factsOf(word).town === true && word.length > 3;
}
