// Whether a post was closed: somebody has written НАЙДЕНА or ДОМА above or below what the post said before.

import type { Judgement } from './kind-by-rules.ts';
import type { Span } from './span.ts';
import type { Token } from './tokens.ts';
import type { Role } from './words/roles.ts';

/** The sentences that close the post; none if it is open. */
export function closingOf(list: readonly Token[], { because }: Judgement): readonly Span[] {
  if (!list.some(({ facts: { role } }) => role !== undefined && closes.has(role))) return [];
  const sentences = sentencesOf(list);
  const closing = [...leading(sentences), ...leading(sentences.toReversed())];
  if (closing.length === 0 || sentences.some(({ goesOn }) => goesOn)) return [];
  const isInside = ({ start }: Pick<Span, 'start'>): boolean =>
    closing.some((span) => span.start <= start && start < span.end);
  const said = (kind: string): number =>
    because.filter((each) => each.value === kind && !isInside(each)).length;
  const lost = said('lost');
  const others = said('found') + said('sighting') + said('adoption');
  // `НАЙДЕНА СОБАКА` is what a post says of a found one, too.
  const isOver = closing.some((sentence) => sentence.isOver);
  const wasLost = sentences.some(({ start, isOfLoss }) => isOfLoss && !isInside({ start }));
  const isClosed =
    (isOver && wasLost) ||
    (lost > others && (isOver || wasLost)) ||
    (others > 0 && closing.some(({ endsOther }) => endsOther));
  return isClosed ? closing.map(({ start, end }) => ({ start, end })) : [];
}

interface Sentence extends Span {
  /** Whether it says that a search is over, and nothing else; undefined if it has no words. */
  readonly isClosing: boolean | undefined;
  /** Whether it says that an animal is gone, and not only that it may be. */
  readonly isOfLoss: boolean;
  /** Whether it says that the search goes on, as for the second of two. */
  readonly goesOn: boolean;
  /** Whether it cannot be said of an animal whose owner is looked for. */
  readonly isOver: boolean;
  /** Whether it also closes a post that looked for an owner or a home. */
  readonly endsOther: boolean;
}

const closes = new Set<Role>([
  'found',
  'foundBySomebody',
  'turnedUp',
  'returned',
  'atHome',
  'closed',
  'placed',
  'current',
]);
/** What else such a sentence may speak of. */
const beside = new Set<Role>([
  ...closes,
  'not',
  'homeward',
  'himself',
  'him',
  'information',
  'owner',
  'pet',
  'our',
  'home',
  'taken',
  'broughtBack',
  'new',
  'search',
]);
const small = new Set(
  'всем ура и да в за уже она он они жив жива живы живой живая здоров здорова здоровый цел цела помощь репост репосты отклик отклики участие неравнодушным большое огромное слава богу мы от едет счастлив счастлива мальчик девочка пост можно друзья очень изменено'.split(
    ' ',
  ),
);

const further = new Set(['еще', 'дальше', 'продолжаем', 'второго', 'вторую', 'остальных']);

/** The sentences at the beginning that close the post. */
function leading(sentences: readonly Sentence[]): readonly Sentence[] {
  const told = sentences.filter(({ isClosing }) => isClosing !== undefined);
  const end = told.findIndex(({ isClosing }) => !isClosing);
  return told.slice(0, Math.max(end, 0));
}

function sentencesOf(list: readonly Token[]): readonly Sentence[] {
  const sentences: Sentence[] = [];
  let from = 0;
  for (let n = 0; n <= list.length; n += 1) {
    const token = list[n];
    const isNew = token !== undefined && n > from && token.capital && isEvent(token);
    if (token !== undefined && !isNew && !ends(token)) continue;
    if (n > from) sentences.push(sentenceOf(list.slice(from, n), token?.plain === '?'));
    from = isNew ? n : n + 1;
  }
  return sentences;
}

const signs = new Set(['.', '!', '…', '?', '(', ')', '[', ']', '/', '|', '*']);

function ends({ kind, plain }: Token): boolean {
  return kind === 'line' || kind === 'emoji' || (kind === 'sign' && signs.has(plain));
}

/** `НАЙДЕНА Пропала собака`: what the post said before begins without any sign. */
function isEvent({ facts: { role } }: Token): boolean {
  return role === 'gone' || role === 'fled' || role === 'lostBySomebody' || role === 'missing';
}

const nothing = { isOfLoss: false, goesOn: false, isOver: false, endsOther: false };

function sentenceOf(tokens: readonly Token[], asks: boolean): Sentence {
  const start = tokens[0]?.start ?? 0;
  const end = tokens.at(-1)?.end ?? start;
  const words = tokens.filter(({ kind }) => kind === 'word');
  const roles = words.flatMap(({ facts: { role } }) => role ?? []);
  const has = (...some: readonly Role[]): boolean => some.some((role) => roles.includes(role));
  // Whoever asks for help says thanks, too.
  const isAside = words.every(isSmall) && !has(...closes);
  if (isAside) return { start, end, isClosing: undefined, ...nothing };
  // `не актуально` closes; `не найдена` and `ещё актуально` do not.
  const isNotCurrent = has('not') && has('current');
  const isDenied = (has('not') || has('current')) && !isNotCurrent;
  const isOfLoss =
    words.some(isEvent) && !has('maybe', 'evident', 'who', 'somebody', 'ofWhom', 'perhaps');
  const goesOn = has('seek', 'search') && words.some(({ plain }) => further.has(plain));
  const strange = words.filter((word) => !isSmall(word) && !isBeside(word));
  const isName =
    strange.length === 1 && strange.every(({ capital, facts }) => capital && !facts.isKnown);
  const isPlain = isName || strange.length <= (roles[0] === 'update' ? 8 : 0);
  const isOnTheWay = has('homeward') && words.some(({ plain }) => plain === 'едет');
  const isClosing = !asks && !isDenied && (has(...closes) || isOnTheWay) && isPlain;
  const endsOther =
    isNotCurrent ||
    has('closed', 'placed') ||
    isOnTheWay ||
    (has('owner', 'home') && has('found', 'foundBySomebody', 'turnedUp', 'taken'));
  const isOver = endsOther || has('atHome', 'returned');
  return { start, end, isClosing, isOfLoss, goesOn, isOver, endsOther };
}

function isSmall({ plain, facts: { role } }: Token): boolean {
  return role === 'thanks' || role === 'update' || small.has(plain);
}

function isBeside({ facts: { role, animal, breed, petName, firstName }, capital }: Token): boolean {
  if (role !== undefined) return beside.has(role);
  if (animal !== undefined || breed !== undefined) return true;
  return capital && (petName === true || firstName === true);
}
