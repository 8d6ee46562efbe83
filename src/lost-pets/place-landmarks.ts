// Things that a place is near, at the end of a clause: `у каменных палаток`.

import type { IsTaken } from './place-names.ts';
import { type Part, telling } from './place-part.ts';
import type { Token, Tokens } from './tokens.ts';

const besides = new Set(['у', 'возле', 'около', 'напротив', 'рядом']);

/** `у каменных палаток`, `рядом со школой`: a thing that the place is near, at the end of a clause. */
export function landmarkAt({ list }: Tokens, at: number, isTaken: IsTaken): Part | undefined {
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

const persons =
  /^(?:меня|нас|него|нее|них|вас|себя|мам|друз|подруг|людей|сосед|волонтер|куратор|бабушк|дедушк|тет[иья]|дяд|сестр|брат|охран|сторож|продав|родств|знаком|рыбак|дороги$)/;

function isCommon(token: Token | undefined, isTaken: IsTaken): boolean {
  if (token?.kind !== 'word' || isTaken(token) || token.plain.length < 3) return false;
  const { role, animal, breed, time, preposition, noPlace } = token.facts;
  return (
    (role ?? animal ?? breed ?? time) === undefined &&
    !preposition &&
    !noPlace &&
    !persons.test(token.plain)
  );
}
