// Words that hint at an animal without naming it.

import type { Animal } from './words/animals.ts';

/** What only dogs have or do. */
const doglike =
  /^(?:собач|будка$|будке$|будку$|конур|гавка|лает$|лай$|намордник|кинолог|холке$|поводк[аеу]$|выгул|щенн)/;
/** What only cats do. */
const catlike =
  /^(?:кошач|мурлык|мурчи|мурча|мурлы|кис-кис|кыс-кыс|мяука|мяуч|когтеточк|лоток$|лотк|лоточ|трехцветн|черепахов|пантер|носочк)/;

export function hintOf(word: string): Animal | undefined {
  if (catlike.test(word)) return 'cat';
  return doglike.test(word) ? 'dog' : undefined;
}
