// Places that are named in quotes.

import type { IsTaken } from './place-names.ts';
import { type Part, telling, withHouse } from './place-part.ts';
import { afterQuotes } from './place-signs.ts';
import type { Tokens } from './tokens.ts';

/** `«Пятёрочки»` after a preposition. */
export function ofQuotes(tokens: Tokens, from: number, isTaken: IsTaken): Part | undefined {
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
export function quotedAfter({ list }: Tokens, n: number): number | undefined {
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
    /^(?:зовут|кличк|имя|имени|откликается|отзывается|пометк|групп|сообществ|фонд|канал|корм|выставк|ярмарк|акци|фестивал|марафон|проект|конкурс|рубрик|праздник|газет|фильм)/.test(
      plain,
    )
  )
    return undefined;
  return afterQuotes(list, n + 1);
}
