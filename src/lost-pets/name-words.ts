// What a word says of the animal's name where it stands near.

/**
 * `caller`: the name follows, as after зовут. `answer`: what the animal listens to follows. `sex`: the name may stand
 * beside it. `common`: it begins sentences and is no name.
 */
export type NameHint = 'caller' | 'answer' | 'sex' | 'common';

const hints: readonly (readonly [NameHint, RegExp])[] = [
  [
    'caller',
    /^(?:зовут|завут|зовется|кличка|кличке|кличку|кличкой|клички|имя|имени|именем|звать|назвали|назвала|назван|окрестили|прозвали)$/,
  ],
  ['answer', /^(?:отзывается|откликается|реагирует|отзываеться|откликаеться|оборачивается)$/],
  [
    'sex',
    /^(?:девочка|мальчик|девочку|мальчика|кобель|сука|самец|самка|девочкой|мальчиком|котик|кошечка)$/,
  ],
  [
    'common',
    /^(?:он|она|они|это|очень|если|был|была|мы|я|вы|так|все|всех|просим|прошу|дети|ребенок|что|как|район|окрас|цвет|рост|вес|глаза|шерсть|хвост|уши|стерилизован[а-я]*|кастрирован[а-я]*)$/,
  ],
];

export function nameHintOf(word: string): NameHint | undefined {
  return hints.find(([, expression]) => expression.test(word))?.[0];
}
