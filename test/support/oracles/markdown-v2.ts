// How Telegram's server reads MarkdownV2, character by character, as its documentation and its answers
// have it: the second opinion for outrider.read_telegram_markdown.

import { byteOf, linkSuffix, type Reading, refused } from './markup-reading.ts';

interface Entity {
  readonly kind: Kind;
  /** Where its mark stands: an index into the characters. */
  readonly at: number;
  /** How long the visible text was when it began. */
  readonly visibleFrom: number;
}

class Refusal extends Error {}

const reserved = new Set('_*[]()~`>#+-=|{}.!\n');
const spaces = new Set([' ', '\t', '\r', '\n', '\v']);
const closing = {
  Bold: '*',
  Italic: '_',
  Underline: '__',
  Strikethrough: '~',
  Spoiler: '||',
  Code: '`',
  Pre: '```',
  PreCode: '```',
  TextUrl: ']',
  CustomEmoji: ']',
  BlockQuote: '',
} as const;

type Kind = keyof typeof closing;

const isCode = (kind: Kind | undefined): boolean =>
  kind === 'Code' || kind === 'Pre' || kind === 'PreCode';

export function readMarkdownV2(text: string): Reading {
  try {
    return new MarkdownV2(text).read();
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message);
    throw error;
  }
}

class MarkdownV2 {
  readonly #characters: readonly string[];
  readonly #open: Entity[] = [];
  #at = 0;
  #visible = '';
  #flat = '';
  #isLineStart = true;
  #firstEntity = Number.POSITIVE_INFINITY;

  constructor(text: string) {
    this.#characters = Array.from(text);
  }

  read(): Reading {
    while (this.#at < this.#characters.length) this.#step();
    this.#endQuote('');
    const left = this.#open.at(-1);
    if (left !== undefined) throw this.#endless(left);
    const firstEntity = byteOf(this.#visible, this.#firstEntity);
    return { visible: this.#visible, flat: this.#flat, fault: null, firstEntity };
  }

  #step(): void {
    const character = this.#peek();
    const top = this.#open.at(-1)?.kind;
    if (this.#escaped() !== undefined) {
      this.#show(this.#takeEscaped(), true);
    } else if (isCode(top) ? character !== '`' : !reserved.has(character)) {
      this.#show(character, false);
      this.#at += 1;
    } else if (character === '\n') {
      if (this.#peek(1) !== '>') this.#endQuote('\n');
      this.#show('\n', true);
      this.#at += 1;
    } else if (this.#closes(top)) {
      this.#close();
    } else {
      this.#begin(character);
    }
  }

  #closes(top: Kind | undefined): boolean {
    if (top === undefined || top === 'BlockQuote') return false;
    return this.#is(closing[top]) && !(top === 'Italic' && this.#is('__'));
  }

  #begin(character: string): void {
    if (this.#is('||')) this.#push('Spoiler', 2);
    else if (this.#is('__')) this.#push('Underline', 2);
    else if (this.#is('_')) this.#push('Italic', 1);
    else if (this.#is('*')) this.#push('Bold', 1);
    else if (this.#is('~')) this.#push('Strikethrough', 1);
    else if (this.#is('![')) this.#push('CustomEmoji', 2);
    else if (this.#is('[')) this.#push('TextUrl', 1);
    else if (this.#is('```')) this.#beginBlock();
    else if (this.#is('`')) this.#push('Code', 1);
    else if (this.#is('>') && this.#isLineStart) {
      if (this.#isInQuote()) this.#at += 1;
      else this.#push('BlockQuote', 1);
    } else {
      throw new Refusal(
        `Character '${character}' is reserved and must be escaped with the preceding '\\'`,
      );
    }
  }

  /** A block may name its language, and a line break at its beginning is not shown. */
  #beginBlock(): void {
    let end = this.#at + 3;
    const isWord = (at: number): boolean => {
      const one = this.#characters[at];
      return one !== undefined && one !== '`' && !spaces.has(one);
    };
    while (isWord(end)) end += 1;
    const after = this.#characters[end];
    const hasLanguage = end > this.#at + 3 && after !== undefined && after !== '`';
    this.#push(hasLanguage ? 'PreCode' : 'Pre', 3);
    if (hasLanguage) this.#at = end;
    const first = this.#peek();
    const second = this.#peek(1);
    if (first !== '\n' && first !== '\r') return;
    this.#at += (second === '\n' || second === '\r') && second !== first ? 2 : 1;
  }

  #close(): void {
    const entity = this.#open.at(-1);
    if (entity === undefined) throw new Error('nothing is open');
    this.#at += closing[entity.kind].length;
    if (entity.kind === 'TextUrl' && this.#is('(')) {
      const words = this.#visible.slice(entity.visibleFrom);
      const url = this.#takeUrl();
      if (words !== '') this.#flat += linkSuffix(words, url);
    } else if (entity.kind === 'CustomEmoji') {
      if (!this.#is('('))
        throw new Refusal('The entity must contain a tg://emoji or tg://time URL');
      if (!isEmojiOrTime(this.#takeUrl())) {
        throw new Refusal('Invalid tg://emoji or tg://time URL specified');
      }
    }
    this.#end(this.#visible.length);
  }

  /** Closes the innermost entity at a length of the visible text; one that holds nothing is none. */
  #end(length: number): void {
    const entity = this.#open.pop();
    if (entity === undefined || length === entity.visibleFrom) return;
    this.#firstEntity = Math.min(this.#firstEntity, entity.visibleFrom);
  }

  #takeUrl(): string {
    this.#at += 1;
    const begin = this.#at;
    let url = '';
    while (!this.#is(')')) {
      if (this.#at >= this.#characters.length) {
        throw new Refusal(`Can't find end of a URL at byte offset ${this.#byte(begin)}`);
      }
      if (this.#escaped() === undefined) {
        url += this.#peek();
        this.#at += 1;
      } else {
        url += this.#takeEscaped();
      }
    }
    this.#at += 1;
    return url;
  }

  /** A quote ends with its line; two bars before that make it one to be expanded. */
  #endQuote(lineBreak: string): void {
    if (!this.#isInQuote()) return;
    const top = this.#open.at(-1);
    if (top?.kind === 'Spoiler') {
      const distance = this.#at - top.at;
      const isLast =
        distance === 2 || (distance === 3 && lineBreak !== '' && this.#visible.endsWith('\r'));
      if (isLast) this.#open.pop();
    }
    const quote = this.#open.at(-1);
    if (quote === undefined) throw new Error('the quote is gone');
    if (quote.kind !== 'BlockQuote') throw this.#endless(quote);
    this.#end(this.#visible.length + lineBreak.length);
  }

  #endless(entity: Entity): Refusal {
    return new Refusal(
      `Can't find end of ${entity.kind} entity at byte offset ${this.#byte(entity.at)}`,
    );
  }

  #push(kind: Kind, width: number): void {
    this.#open.push({ kind, at: this.#at, visibleFrom: this.#visible.length });
    this.#at += width;
  }

  /** A carriage return shows nothing; a line break begins a line unless it stands plain in code. */
  #show(character: string, mayBeginLine: boolean): void {
    this.#visible += character;
    this.#flat += character;
    if (character !== '\r') this.#isLineStart = mayBeginLine && character === '\n';
  }

  #isInQuote(): boolean {
    return this.#open.some((entity) => entity.kind === 'BlockQuote');
  }

  #escaped(): string | undefined {
    const next = this.#peek(1);
    if (this.#peek() !== '\\' || next === '') return undefined;
    return (next.codePointAt(0) ?? 0) <= 126 ? next : undefined;
  }

  #takeEscaped(): string {
    const taken = this.#peek(1);
    this.#at += 2;
    return taken;
  }

  #peek(ahead = 0): string {
    return this.#characters[this.#at + ahead] ?? '';
  }

  #is(mark: string): boolean {
    return Array.from(mark).every((one, index) => this.#peek(index) === one);
  }

  #byte(at: number): number {
    return Buffer.byteLength(this.#characters.slice(0, at).join(''));
  }
}

/** What may stand behind ![words]: an emoji with a 64-bit id, or a moment with a format. */
function isEmojiOrTime(url: string): boolean {
  const [, host = '', query = ''] = /^tg:(?:\/\/)?(emoji|time)\/?\?([^#]*)/is.exec(url) ?? [];
  const parameters = query.split('&').map((parameter) => {
    const equals = parameter.indexOf('=');
    return equals < 0
      ? { name: parameter, value: '' }
      : { name: parameter.slice(0, equals), value: parameter.slice(equals + 1) };
  });
  const valuesOf = (name: string): string[] =>
    parameters.filter((one) => one.name === name).map((one) => one.value);
  if (host.toLowerCase() === 'emoji') {
    const id = valuesOf('id')[0] ?? '';
    return /^-?[1-9]\d*$/.test(id) && BigInt.asIntN(64, BigInt(id)) === BigInt(id);
  }
  const moments = valuesOf('unix');
  const format = valuesOf('format').at(-1) ?? '';
  return (
    moments.length > 0 &&
    moments.every((one) => /^[1-9]\d*$/.test(one) && BigInt(one) < 2n ** 31n) &&
    /^(?:r|R|[tTdDwW]*)$/.test(format)
  );
}
