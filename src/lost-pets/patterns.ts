// Patterns over the parts that words play. A post becomes a string with one character for each token, so that a regular
// expression over that short string finds phrases, however their words are declined.
//
//   `gone`            a token that plays this part
//   `seek|toFind`     one of several
//   `home?`           a token that may be missing
//   `~3`              up to three tokens of the same sentence, whatever they are
//   `start`           the beginning of a sentence
//   `end`             its end

import type { Token, Tokens } from './tokens.ts';
import { type Role, roleWords } from './words/roles.ts';

/** What a token is if its word plays no part. */
const others = [
  'beast',
  'word',
  'number',
  'stop',
  'question',
  'comma',
  'sign',
  'tag',
  'link',
] as const;
type Part = Role | (typeof others)[number];

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a record are its keys
const parts: readonly Part[] = [...(Object.keys(roleWords) as Role[]), ...others];
const numbers = new Map<string, number>(parts.map((part, n) => [part, n]));
const firstCode = 0xe000;
const codeOf = (part: string): string => String.fromCharCode(firstCode + (numbers.get(part) ?? 0));
const ends = codeOf('stop') + codeOf('question');

/** A post as the parts that its tokens play. */
export interface Phrase {
  /** One character for each token. */
  readonly codes: string;
  /** The tokens that play each part, by the number of the part. */
  readonly tokens: readonly (readonly number[] | undefined)[];
  /** The numbers of the parts that are played. */
  readonly played: readonly number[];
}

export interface Finding {
  readonly from: number;
  readonly to: number;
}

export interface Pattern {
  /** What it needs, in order: the numbers of parts of which one must be played. */
  readonly needed: readonly (readonly number[])[];
  /** The places of what it finds, in tokens. */
  find(phrase: Phrase): readonly Finding[];
}

export function patternOf(words: string): Pattern {
  const elements = words.split(' ');
  const needed = elements
    .filter((word) => !/^~|\?$|^start$|^end$/.test(word))
    .map((word) => word.split('|').map((name) => numberOf(name)));
  const [only] = needed;
  if (elements.length === 1 && only !== undefined)
    return { needed, find: (phrase) => singles(phrase, only) };
  const expression = new RegExp(elements.map(sourceOf).join(''), 'g');
  return {
    needed,
    find({ codes, tokens }) {
      for (const names of needed) if (!isPlayed(tokens, names)) return none;
      const findings: Finding[] = [];
      expression.lastIndex = 0;
      for (let match = expression.exec(codes); match !== null; match = expression.exec(codes))
        findings.push({ from: match.index, to: match.index + match[0].length });
      return findings;
    },
  };
}

const none: readonly Finding[] = [];

/** Tells which of many patterns may find something, by their numbers. Most need a part that no token plays. */
export function candidatesOf(patterns: readonly Pattern[]): (phrase: Phrase) => readonly number[] {
  const lanes = Math.ceil(patterns.length / bitsOfLane);
  const most = Math.max(0, ...patterns.map(({ needed }) => needed.length));
  // For the first need of each pattern, then the second and so on: the patterns that have no such need, and by part those
  // whose need it meets.
  const needs = Array.from({ length: most }, (_, nth) => {
    const byPart = parts.map(() => new Int32Array(lanes));
    const without = new Int32Array(lanes);
    for (const [number, { needed }] of patterns.entries()) {
      const names = needed[nth];
      if (names === undefined) putInto(without, number);
      for (const name of names ?? []) putInto(byPart[name] ?? without, number);
    }
    return { byPart, without };
  });
  return ({ played }) => {
    const found: number[] = [];
    for (let lane = 0; lane < lanes; lane += 1) {
      let left = -1;
      for (const { byPart, without } of needs) {
        let fits = without[lane] ?? 0;
        for (let n = 0; n < played.length; n += 1) fits |= byPart[played[n] ?? 0]?.[lane] ?? 0;
        left &= fits;
      }
      // The lowest bit that is set, until none is left.
      for (; left !== 0; left &= left - 1)
        found.push(lane * bitsOfLane + 31 - Math.clz32(left & -left));
    }
    return found;
  };
}

/** A set of patterns is kept as bits: bit 3 of the second lane is pattern 35. */
const bitsOfLane = 32;

function putInto(set: Int32Array, number: number): void {
  const lane = Math.floor(number / bitsOfLane);
  set[lane] = (set[lane] ?? 0) | (1 << (number % bitsOfLane));
}

/** Whether a token plays one of the parts. */
function isPlayed(tokens: Phrase['tokens'], names: readonly number[]): boolean {
  for (const name of names) if (tokens[name] !== undefined) return true;
  return false;
}

function singles({ tokens }: Phrase, names: readonly number[]): readonly Finding[] {
  if (!isPlayed(tokens, names)) return none;
  const found: Finding[] = [];
  for (const name of names)
    for (const from of tokens[name] ?? []) found.push({ from, to: from + 1 });
  return names.length > 1 ? found.toSorted((a, b) => a.from - b.from) : found;
}

function numberOf(name: string): number {
  const number = numbers.get(name);
  if (number === undefined) throw new Error(`no word plays the part ${name}`);
  return number;
}

function sourceOf(word: string): string {
  if (word.startsWith('~')) return `[^${ends}]{0,${word.slice(1)}}`;
  if (word === 'start') return `(?<=^|[${ends}])`;
  if (word === 'end') return `(?=$|[${ends}])`;
  const optional = word.endsWith('?');
  const names = (optional ? word.slice(0, -1) : word).split('|');
  return `[${names.map((name) => String.fromCharCode(firstCode + numberOf(name))).join('')}]${optional ? '?' : ''}`;
}

const characters = parts.map((_, number) => String.fromCharCode(firstCode + number));
const nobody: (number[] | undefined)[] = parts.map(() => undefined);

export function phraseOf({ list }: Tokens): Phrase {
  const tokens = nobody.slice();
  const played: number[] = [];
  let codes = '';
  for (let n = 0; n < list.length; n += 1) {
    const token = list[n];
    if (token === undefined) continue;
    const number = numbers.get(partOf(token, list[n - 1], list[n + 1])) ?? 0;
    codes += characters[number] ?? '';
    const alike = tokens[number];
    if (alike === undefined) {
      tokens[number] = [n];
      played.push(number);
    } else alike.push(n);
  }
  return { codes, tokens, played };
}

const houses = new Set(['🏠', '🏡', '🏘', '🏚']);

function partOf(token: Token, before: Token | undefined, after: Token | undefined): Part {
  const { kind, plain, facts } = token;
  if (kind === 'word') {
    // `напротив 12 дома`
    if (facts.role === 'atHome' && before?.kind === 'number') return 'word';
    return facts.role ?? (isBeast(token) ? 'beast' : 'word');
  }
  if (kind === 'number') return 'number';
  if (kind === 'line') return 'stop';
  if (kind === 'emoji') return houses.has(plain) ? 'home' : 'sign';
  if (kind === 'hashtag') return 'tag';
  if (kind === 'link' || kind === 'mention' || kind === 'account') return 'link';
  if (plain === '?') return 'question';
  if (plain === '!' || plain === '…') return 'stop';
  if (plain === '.') return endsSentence(before, after) ? 'stop' : 'sign';
  if (plain === '₽') return 'money';
  return plain === ',' ? 'comma' : 'sign';
}

function isBeast({ facts, capital }: Token): boolean {
  return (
    facts.animal !== undefined ||
    facts.breed !== undefined ||
    (facts.petName === true && capital && facts.firstName === undefined)
  );
}

const abbreviations = new Set(
  'ул г гор д дер хут с пос п пгт ст пер пр просп бул наб пл ш обл р-н р-он мкр мкрн м кв корп к стр тел т моб им р св руб тыс мес ост ж/д а/д тц окр кол сев юж зап вост оз ур стр пгт рп шк'.split(
    ' ',
  ),
);

/** A full stop after a short word, or within a number, ends no sentence. */
export function endsSentence(before: Token | undefined, after: Token | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  if (before.kind === 'number' && after.kind === 'number') return false;
  if (after.plain === ',') return false;
  if (before.kind !== 'word') return true;
  const isShort =
    abbreviations.has(before.plain) ||
    (before.plain.length === 1 && before.capital && after.capital);
  return !(isShort && (after.capital || after.kind === 'number' || after.kind === 'word'));
}
