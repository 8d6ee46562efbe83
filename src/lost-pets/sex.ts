// The sex: by words that say it, else by the grammar of those around a name or a breed.

import type { Sex } from './sex-words.ts';
import type { Found } from './span.ts';
import type { Token, Tokens } from './tokens.ts';

const male = /(?:ен|ан|ал|ел|ил|ул|ыл|ос|ез|шел|лся|нся)$/;
const female = /(?:ена|ана|ала|ела|ила|ула|ыла|ла|лась)$/;

export function sexIn(tokens: Tokens, name: Found<string> | undefined): Found<Sex> | undefined {
  const { list } = tokens;
  let hinted: Found<Sex> | undefined;
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    if (token?.kind !== 'word') continue;
    const { sex } = token.facts;
    if (sex === undefined || isAddress(list, n) || isMany(list, n)) continue;
    const { start, end } = token;
    const { value, isDirect } = sex;
    if (isDirect) return { value, start, end };
    hinted ??= { value, start, end };
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
