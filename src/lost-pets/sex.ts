// The sex: by words that say it, else by the grammar of those around a name or a breed.

import type { Found } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

export type Sex = 'male' | 'female';

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
const male = /(?:ен|ан|ал|ел|ил|ул|ыл|ос|ез|шел|лся|нся)$/;
const female = /(?:ена|ана|ала|ела|ила|ула|ыла|ла|лась)$/;

export function sexIn(tokens: Tokens, name: Found<string> | undefined): Found<Sex> | undefined {
  const { list } = tokens;
  let hinted: Found<Sex> | undefined;
  for (const [n, token] of list.entries()) {
    if (token.kind !== 'word') continue;
    const { start, end } = token;
    const word = token.plain.includes('-')
      ? (token.plain.split('-').find((each) => said.has(each)) ?? '')
      : token.plain;
    const sex = said.get(word);
    if (sex === undefined || isAddress(list, n) || isMany(list, n)) continue;
    if (direct.has(word)) return { value: sex, start, end };
    hinted ??= { value: sex, start, end };
  }
  return hinted ?? byGrammar(tokens, name);
}

/** `Девочки, что делать?` speaks to people. */
function isAddress(list: readonly Token[], n: number): boolean {
  const plain = list[n]?.plain ?? '';
  return (
    (plain === 'девочки' || plain === 'мальчики') &&
    (n === 0 || list[n - 1]?.kind === 'line') &&
    list[n + 1]?.plain === ','
  );
}

/** `4 девочки и 1 мальчик`. */
function isMany(list: readonly Token[], n: number): boolean {
  return (
    list[n - 1]?.kind === 'number' &&
    (list[n + 1]?.plain === 'и' ||
      list[n - 2]?.plain === 'и' ||
      list[n + 2]?.kind === 'number' ||
      list[n - 2]?.plain === ',')
  );
}

function byGrammar({ list }: Tokens, name: Found<string> | undefined): Found<Sex> | undefined {
  for (const [n, { kind, plain, facts, start, end }] of list.entries()) {
    if (
      kind !== 'word' ||
      (facts.role !== 'gone' &&
        facts.role !== 'fled' &&
        facts.role !== 'left' &&
        facts.role !== 'turnedUp' &&
        facts.role !== 'found')
    )
      continue;
    const near = [list[n + 1], list[n + 2], list[n - 1]];
    const subject = near.find(
      (each) =>
        each !== undefined &&
        (each.facts.animal ??
          each.facts.breed ??
          (each.start === name?.start ? 'named' : undefined)) !== undefined,
    );
    if (subject === undefined) continue;
    const byAnimal = subject.facts.animal !== undefined;
    if (byAnimal && !/^(?:хорек|щенок)$/.test(subject.plain)) return undefined;
    if (subject.plain === 'щенок') return undefined;
    if (female.test(plain)) return { value: 'female', start, end };
    if (male.test(plain) && plain !== 'найден') return { value: 'male', start, end };
  }
  return undefined;
}
