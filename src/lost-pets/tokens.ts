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
  /** Whether most of the words are in capitals, so that capitals mean nothing. */
  readonly isShouting: boolean;
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
  let words = 0;
  let shouted = 0;
  for (let at = 0; at < plain.length; ) {
    if (plain.charCodeAt(at) === space) {
      at += 1;
      continue;
    }
    const start = at;
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
      list.push({ kind, start, end, plain: found, capital: false, shouted: false, facts: nothing });
      continue;
    }
    const capital = text.charCodeAt(start) !== plain.charCodeAt(start) && isUpper(text, start);
    const isShouted =
      capital && found.length > 1 && isUpper(text, start + 1) && isUpper(text, end - 1);
    if (found.length > 2) {
      words += 1;
      if (isShouted) shouted += 1;
    }
    const word =
      ordinary === undefined
        ? inCyrillic(found.includes(' ') ? found.replaceAll(spacedLetters, '') : found)
        : found;
    list.push({ kind, start, end, plain: word, capital, shouted: isShouted, facts: factsOf(word) });
  }
  return { text, plain, list, isShouting: words > 3 && shouted > words * 0.6 };
}

const space = 0x20;

/** Most words are of Russian letters alone and end at a blank or a stop: they need no pattern. */
function endOfOrdinaryWord(plain: string, start: number): number | undefined {
  let end = start;
  for (let code = plain.charCodeAt(end); code >= 0x430 && code <= 0x44f; )
    code = plain.charCodeAt((end += 1));
  if (end - start < 2 || end - start > 60) return undefined;
  const code = plain.charCodeAt(end);
  const isOver =
    end === plain.length ||
    code === space ||
    code === 0x0a ||
    code === 0x2c ||
    code === 0x2e ||
    code === 0x21 ||
    code === 0x3f;
  return isOver ? end : undefined;
}

function isUpper(text: string, at: number): boolean {
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
