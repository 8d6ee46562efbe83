// Which sex a word says.

export type Sex = 'male' | 'female';

export interface SaidSex {
  readonly value: Sex;
  /** Whether it is said of the animal for the sake of saying it: `мальчик`, not `кот`. */
  readonly isDirect: boolean;
}

const said = new Map<string, Sex>([
  ...words(
    'male',
    'мальчик мальчика мальчиком мальчики мальчишк мальчишки мальчуган кобель кобеля кобелек кобелька кобелем кобелю кабель кабеля самец самца пес пса псом псу песик песика песель песеля кот кота котом коту котик котика котиком котяра котэ кастрат пацан парень джентльмен конь жеребец мерин петух гусак козел бык баран котофей',
  ),
  ...words(
    'female',
    'девочка девочку девочкой девочки девчонка девчонку девчушка сука суку суки сучка сучку сучечка самка самку кошечка кошечку кошечкой кошечки дама девица крольчиха кобыла кобылу коза козу стерилизованная',
  ),
]);

function words(sex: Sex, list: string): [string, Sex][] {
  return list.split(' ').map((word) => [word, sex]);
}

const direct = new Set([
  'мальчик',
  'девочка',
  'кобель',
  'сука',
  'самец',
  'самка',
  'кобелек',
  'сучка',
  'девочку',
  'мальчика',
  'кобеля',
  'суку',
  'дама',
  'кабель',
]);

/** Of a compound, such as `котенок-девочка`, its first part that says one counts. */
export function sexSaidBy(word: string): SaidSex | undefined {
  const part = word.includes('-') ? (word.split('-').find((each) => said.has(each)) ?? '') : word;
  const value = said.get(part);
  return value === undefined ? undefined : { value, isDirect: direct.has(part) };
}
