// Telegram's HTML as its server reads it (parse_html of TDLib), one character after the other. It shares
// nothing with the function that it judges.

import { byteOf, decodeAt, linkSuffix, type Reading, refused } from './markup-reading.ts';

interface OpenTag {
  readonly name: string;
  readonly argument: string;
  readonly from: number;
}

const tags = new Set(
  'a b strong i em s strike del u ins tg-spoiler tg-emoji tg-time span pre code blockquote'.split(
    ' ',
  ),
);
const end = '';

/** What a fault says; it ends the reading at once. */
class Refusal extends Error {}

class TelegramReader {
  private at = 0;
  private visible = '';
  private flat = '';
  private halfPair = false;
  private firstEntity = Number.POSITIVE_INFINITY;
  private readonly open: OpenTag[] = [];
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  read(): Reading {
    while (this.at < this.text.length) this.step();
    const left = this.open.at(-1);
    if (left !== undefined) {
      throw new Refusal(`Can't find end tag corresponding to start tag "${left.name}"`);
    }
    if (this.halfPair) {
      throw new Refusal(
        'Text contains invalid Unicode characters after decoding HTML entities, check for unmatched surrogate code units',
      );
    }
    const firstEntity = byteOf(this.visible, this.firstEntity);
    return { visible: this.visible, flat: this.flat, fault: null, firstEntity };
  }

  private step(): void {
    if (this.here() === '<') {
      if (this.text[this.at + 1] === '/') this.endTag();
      else this.startTag();
      return;
    }
    const entity = decodeAt(this.text, this.at, { lt: '<', gt: '>', amp: '&', quot: '"' }, 'x');
    if (entity === undefined) {
      this.show(this.here());
      this.at += 1;
      return;
    }
    this.halfPair ||= entity.isHalf;
    this.show(entity.character);
    this.at += entity.length;
  }

  private startTag(): void {
    const begin = this.at;
    this.at += 1;
    const name = asciiLower(this.takeWhile((c) => !isSpace(c) && c !== '>'));
    if (this.here() === end) this.refuse('Unclosed start tag', begin);
    if (!tags.has(name)) this.refuse(`Unsupported start tag "${name}"`, begin);
    let argument = '';
    for (;;) {
      this.takeWhile(isSpace);
      if (this.here() === '>') break;
      const attribute = this.takeWhile((c) => !isSpace(c) && !'=>/"\''.includes(c));
      if (attribute === '') this.refuse(`Empty attribute name in the tag "${name}"`, begin);
      this.takeWhile(isSpace);
      if (this.here() === end) this.refuse(`Unclosed start tag "${name}"`, begin);
      if (this.here() !== '=') continue;
      this.at += 1;
      this.takeWhile(isSpace);
      if (this.here() === end) this.refuse(`Unclosed start tag "${name}"`, begin);
      const value = this.attributeValue();
      if (this.here() === end) this.refuse('Unclosed start tag', begin);
      argument = meaning(name, attribute, value) ?? argument;
    }
    this.at += 1;
    if (name === 'span' && argument !== 'spoiler') {
      this.refuse('Tag "span" must have class "tg-spoiler"', begin);
    }
    this.open.push({ name, argument, from: this.visible.length });
  }

  private attributeValue(): string {
    const quote = this.here();
    if (quote !== '"' && quote !== "'") {
      const begin = this.at;
      const token = this.takeWhile((c) => /[A-Za-z0-9.-]/.test(c));
      const next = this.here();
      if (next !== end && next !== '>' && !isSpace(next)) {
        this.refuse('Unexpected end of name token', begin);
      }
      return asciiLower(token);
    }
    this.at += 1;
    let value = '';
    while (this.here() !== quote && this.here() !== end) {
      const entity = decodeAt(this.text, this.at, { lt: '<', gt: '>', amp: '&', quot: '"' }, 'x');
      value += entity?.character ?? this.here();
      this.at += entity?.length ?? 1;
    }
    if (this.here() === quote) this.at += 1;
    return value;
  }

  private endTag(): void {
    const begin = this.at;
    const open = this.open.pop();
    if (open === undefined) throw this.refusal('Unexpected end tag', begin);
    this.at += 2;
    const name = asciiLower(this.takeWhile((c) => !isSpace(c) && c !== '>'));
    this.takeWhile(isSpace);
    if (this.here() !== '>') this.refuse('Unclosed end tag', begin);
    this.at += 1;
    if (name !== '' && name !== open.name) {
      const where = this.refusal('Unmatched end tag', begin).message;
      throw new Refusal(`${where}, expected "</${open.name}>", found "</${name}>"`);
    }
    if (this.visible.length > open.from) this.close(open);
  }

  private close(open: OpenTag): void {
    this.firstEntity = Math.min(this.firstEntity, open.from);
    if (open.name === 'tg-emoji' && !isEmojiId(open.argument)) {
      throw new Refusal('Invalid custom emoji identifier specified');
    }
    if (open.name === 'tg-time' && !/^(?:[rR]|[tTdDwW]*)$/.test(open.argument)) {
      throw new Refusal('Invalid date format used');
    }
    if (open.name === 'a') {
      this.flat += linkSuffix(this.visible.slice(open.from), open.argument);
    }
  }

  private here(): string {
    return this.text[this.at] ?? end;
  }

  private takeWhile(fits: (character: string) => boolean): string {
    const begin = this.at;
    while (this.here() !== end && fits(this.here())) this.at += 1;
    return this.text.slice(begin, this.at);
  }

  private show(text: string): void {
    this.visible += text;
    this.flat += text;
  }

  private refusal(what: string, at: number): Refusal {
    return new Refusal(`${what} at byte offset ${Buffer.byteLength(this.text.slice(0, at))}`);
  }

  private refuse(what: string, at: number): never {
    throw this.refusal(what, at);
  }
}

/** The part of an attribute that Telegram keeps for the tag, if it keeps any. */
function meaning(tag: string, attribute: string, value: string): string | undefined {
  const key = `${tag} ${attribute}`;
  if (['a href', 'tg-emoji emoji-id', 'tg-time format'].includes(key)) return value;
  return key === 'span class' && value.startsWith('tg-') ? value.slice(3) : undefined;
}

function isEmojiId(text: string): boolean {
  if (!/^-?\d+$/.test(text)) return false;
  const id = BigInt(text);
  return id !== 0n && String(id) === text && BigInt.asIntN(64, id) === id;
}

const isSpace = (character: string): boolean => ' \t\r\n\v'.includes(character);

const asciiLower = (text: string): string => text.replaceAll(/[A-Z]/g, (c) => c.toLowerCase());

export function telegramHtml(text: string): Reading {
  try {
    return new TelegramReader(text).read();
  } catch (error) {
    if (error instanceof Refusal) return refused(error.message);
    throw error;
  }
}
