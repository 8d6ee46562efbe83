// Cuts a post into words, numbers, links, mentions and signs, each at its place in the text.

import { inCyrillic, plainOf } from './plain.ts';
import { factsOf, nothing, type WordFacts } from './word-facts.ts';

export type TokenKind =
  | 'word'
  | 'number'
  | 'link'
  | 'mention'
  | 'account'
  | 'hashtag'
  | 'emoji'
  | 'sign'
  | 'line';

export interface Token {
  readonly kind: TokenKind;
  readonly start: number;
  readonly end: number;
  /** As it is compared: plain, and in Cyrillic letters if it is a Russian word. */
  readonly plain: string;
  /** Whether it begins with a capital letter. */
  readonly capital: boolean;
  /** Whether it has capital letters only, and more than one. */
  readonly shouted: boolean;
  readonly facts: WordFacts;
}

export interface Tokens {
  readonly text: string;
  readonly plain: string;
  readonly list: readonly Token[];
  /** How many tokens are words. */
  readonly words: number;
  /** How many are links, mentions or accounts. */
  readonly links: number;
  readonly hashtags: number;
  /** Whether most of the words are in capitals, so that capitals mean nothing. */
  readonly isShouting: boolean;
  /** Whether hardly a word has a capital letter, so that names have none either. */
  readonly isQuiet: boolean;
}

const letter = 'a-zа-я\u0450-\u04ff';
// Each alternative begins with other characters than those before it or is bounded, so that the whole is linear.
const piece = new RegExp(
  [
    String.raw`(?:(?:https?:\/\/|www\.)[^\s<>()"«»\]]{1,2000}|(?:m\.)?(?:vk\.com|vk\.me|vk\.cc|t\.me|wa\.me|ok\.ru|youtu\.be|clck\.ru)\/[^\s<>()"«»\],;]{1,500})`,
    String.raw`(?:\[(?:id|club|public|event)?[a-z0-9_.]{1,40}\|[^\]\n]{1,80}\]|\[https?:\/\/[^\]|\n]{1,300}\|[^\]\n]{1,80}\])`,
    String.raw`(?:[@*](?:id|club)?[a-z][a-z0-9_.]{1,40}(?: ?\([^)\n]{1,40}\))?)`,
    String.raw`(?:#[${letter}0-9_\u0001@]{1,80})`,
    String.raw`(?:(?<![${letter}\d])(?:[а-яa-z][ ]){3,24}[а-яa-z](?![${letter}]))`,
    String.raw`(?:(?:г\.о|р\.п|п\.г\.т)\.)`,
    String.raw`(?:(?:ж\/д|д\/с|а\/д|ж\/м|к\/с|м\/р|м\/н|с\/т|б\/п|р\/ц|д\/о)(?![${letter}]))`,
    String.raw`(?:[${letter}]\u0001*(?:[${letter}\u0001]|[-][${letter}]|[034](?=[${letter}]{2})|\u{1f43e}(?=[${letter}])){0,60})`,
    String.raw`(?:\d[\d\u0001]{0,40}(?:[.,]\d{1,2}(?!\d))?)`,
    String.raw`(?:\n)`,
    String.raw`(?:\p{Extended_Pictographic})`,
    String.raw`(?:[^\s\u0001])`,
  ].join('|'),
  'uy',
);

const spacedLetters = / /g;
const startsLink =
  /^(?:https?:|www\.|(?:m\.)?(?:vk\.com|vk\.me|vk\.cc|t\.me|wa\.me|ok\.ru|youtu\.be|clck\.ru)\/)/;

export function tokensOf(text: string): Tokens {
  const plain = plainOf(text);
  const list: Token[] = [];
  let allWords = 0;
  let links = 0;
  let hashtags = 0;
  // Of more than two letters.
  let words = 0;
  let shouted = 0;
  let capitals = 0;
  for (let at = 0; at < plain.length; ) {
    const code = plain.charCodeAt(at);
    if (code === space) {
      at += 1;
      continue;
    }
    const start = at;
    const plainKind = kindOfSign(code);
    if (plainKind !== undefined) {
      at += 1;
      list.push(signAt(plainKind, start, plain.charAt(start)));
      continue;
    }
    const ordinary = endOfOrdinaryWord(plain, at);
    if (ordinary === undefined) piece.lastIndex = at;
    const match = ordinary === undefined ? piece.exec(plain) : null;
    if (ordinary === undefined && match === null) {
      at += 1;
      continue;
    }
    const found = match?.[0] ?? plain.slice(start, ordinary);
    const end = start + found.length;
    at = end;
    const kind = ordinary === undefined ? kindOf(found) : 'word';
    if (kind !== 'word') {
      if (kind === 'hashtag') hashtags += 1;
      else if (kind === 'link' || kind === 'mention' || kind === 'account') links += 1;
      list.push(signAt(kind, start, found));
      continue;
    }
    allWords += 1;
    const capital = text.charCodeAt(start) !== code && isUpper(text, start);
    const isShouted =
      capital && found.length > 1 && isUpper(text, start + 1) && isUpper(text, end - 1);
    if (found.length > 2) {
      words += 1;
      if (capital) capitals += 1;
      if (isShouted) shouted += 1;
    }
    const word =
      ordinary === undefined
        ? inCyrillic(found.includes(' ') ? found.replaceAll(spacedLetters, '') : found)
        : found;
    list.push({ kind, start, end, plain: word, capital, shouted: isShouted, facts: factsOf(word) });
  }
  return {
    text,
    plain,
    list,
    words: allWords,
    links,
    hashtags,
    isShouting: words > 3 && shouted > words * 0.6,
    isQuiet: words > 3 && capitals * 16 <= words,
  };
}

function signAt(kind: TokenKind, start: number, plain: string): Token {
  return {
    kind,
    start,
    end: start + plain.length,
    plain,
    capital: false,
    shouted: false,
    facts: nothing,
  };
}

const space = 0x20;
const line = 0x0a;
const signs = new Set(Array.from('!"\'(),-./:;?«»', (sign) => sign.charCodeAt(0)));

/** Most signs begin nothing longer: they need no pattern. */
function kindOfSign(code: number): TokenKind | undefined {
  if (code === line) return 'line';
  if (code > 0xbb || (code >= 0x30 && code <= 0x39) || !signs.has(code)) return undefined;
  return 'sign';
}

function isLetter(code: number): boolean {
  return code >= 0x430 && code <= 0x44f;
}

/** Most words are of Russian letters alone and end at a blank or a sign: they need no pattern. */
function endOfOrdinaryWord(plain: string, start: number): number | undefined {
  let end = start;
  let code = plain.charCodeAt(end);
  while (isLetter(code)) {
    end += 1;
    code = plain.charCodeAt(end);
  }
  const length = end - start;
  // A letter by itself may begin a word of spaced letters: `п р о п а л`.
  if (length === 1)
    return code === space && isLetter(plain.charCodeAt(start + 3)) ? end : undefined;
  if (length === 0 || length > 60) return undefined;
  const isOver = end === plain.length || code === space || code === line || closes(code);
  return isOver ? end : undefined;
}

/** `,`, `.`, `!`, `?`, `:`, `;` and `)`: after these a word does not go on. */
function closes(code: number): boolean {
  return (
    code === 0x2c ||
    code === 0x2e ||
    code === 0x21 ||
    code === 0x3f ||
    code === 0x3a ||
    code === 0x3b ||
    code === 0x29
  );
}

function isUpper(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  if (code >= 0x430 && code <= 0x45f) return false;
  if ((code >= 0x400 && code <= 0x42f) || (code >= 0x41 && code <= 0x5a)) return true;
  const character = text[at] ?? '';
  return character !== character.toLowerCase();
}

function kindOf(found: string): TokenKind {
  const first = found.charCodeAt(0);
  if (first === 0x0a) return 'line';
  if (first >= 0x30 && first <= 0x39) return 'number';
  const isCyrillic = first >= 0x430 && first <= 0x4ff;
  if (isCyrillic) return 'word';
  if (first >= 0x61 && first <= 0x7a)
    return found.length > 4 && startsLink.test(found) ? 'link' : 'word';
  if (found.length > 1 && first === 0x23) return 'hashtag';
  if (found.length > 1 && first === 0x5b) return 'mention';
  if (found.length > 1 && (first === 0x40 || first === 0x2a)) return 'account';
  return first < 0xa9 ? 'sign' : pictograph.test(found) ? 'emoji' : 'sign';
}

const pictograph = /\p{Extended_Pictographic}/u;
