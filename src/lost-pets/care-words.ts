// Which mark of care a word may be.

export type Care = 'sterilised' | 'vaccinated' | 'chipped' | 'collar' | 'litter' | 'treated';

const marks: readonly (readonly [Care, RegExp])[] = [
  ['sterilised', /^(?:стерил|кастр|простерил|прокастр)/],
  ['vaccinated', /^(?:привит|прививк|вакцинирован|привив|вакцина$|привитой)/],
  ['chipped', /^(?:чип$|чипа$|чипом$|чипирован|клейм|чипован|микрочип)/],
  ['collar', /^(?:ошейн|ошеин|адресник|шлейк|шлее|медальон|жетон)/],
  ['litter', /^(?:лоток|лотк|лоточ|туалет$|горшок)/],
  ['treated', /^(?:обработан|глистогон|проглист|дегельминт|глист|противопаразит|обработк)/],
];

export function careOf(word: string): Care | undefined {
  if (word.length < 3) return undefined;
  return marks.find(([, expression]) => expression.test(word))?.[0];
}
