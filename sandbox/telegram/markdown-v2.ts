// parse_mode MarkdownV2: nesting, quotes, and a long list of characters that must be escaped.

import {
  type Entity,
  type EntityType,
  type FormattedText,
  type Range,
  sortEntities,
} from './entities.ts';
import { readFence } from './markdown.ts';
import { linkEntity } from './marked-entities.ts';
import { byteOffset, parseFault } from './parse-fault.ts';
import { namedEmoji, namedTime } from './tg-links.ts';

interface OpenEntity {
  readonly type: EntityType;
  /** Where its content begins in the plain text. */
  readonly from: number;
  /** Where its mark is in the source. */
  readonly mark: number;
  readonly language?: string;
}

const reserved = '_*[]()~`>#+-=|{}.!\n';

/** The names of entities in the server's error messages. */
const names: Partial<Record<EntityType, string>> = {
  bold: 'Bold',
  italic: 'Italic',
  underline: 'Underline',
  strikethrough: 'Strikethrough',
  spoiler: 'Spoiler',
  code: 'Code',
  pre: 'Pre',
  text_link: 'TextUrl',
  custom_emoji: 'CustomEmoji',
  blockquote: 'BlockQuote',
};

const closings: Partial<Record<EntityType, string>> = {
  bold: '*',
  italic: '_',
  underline: '__',
  strikethrough: '~',
  spoiler: '||',
  code: '`',
  pre: '```',
};

function closing({ type }: OpenEntity): string {
  return closings[type] ?? ']';
}

export function parseMarkdownV2(source: string): FormattedText {
  return new Parser(source).parse();
}

class Parser {
  readonly #source: string;
  readonly #open: OpenEntity[] = [];
  readonly #entities: Entity[] = [];
  #text = '';
  #at = 0;
  #quoting = false;
  /** Whether a quote may begin here: there are only marks between the start of the line and this place. */
  #lineStart = true;

  constructor(source: string) {
    this.#source = source;
  }

  parse(): FormattedText {
    while (this.#at < this.#source.length) this.#step();
    this.#closeLastQuote();
    const left = this.#open.at(-1);
    if (left !== undefined) throw this.#unended(left);
    return { text: this.#text, entities: sortEntities(this.#entities) };
  }

  #step(): void {
    const character = this.#peek();
    const escaped = this.#escapedAt(this.#at);
    if (escaped !== undefined) {
      this.#at += 2;
      this.#write(escaped, escaped === '\n');
    } else if (!this.#reservedNow().includes(character)) {
      this.#at += 1;
      this.#write(character, false);
    } else if (this.#endsInnermost()) this.#end();
    else this.#begin();
  }

  #peek(ahead = 0): string {
    return this.#source.charAt(this.#at + ahead);
  }

  /** Every ASCII character may be escaped. */
  #escapedAt(position: number): string | undefined {
    const next = this.#source[position + 1];
    const isEscape = this.#source[position] === '\\' && next !== undefined;
    return isEscape && next >= '\u0001' && next <= '~' ? next : undefined;
  }

  #write(character: string, lineStart: boolean): void {
    this.#text += character;
    if (character !== '\r') this.#lineStart = lineStart;
  }

  #reservedNow(): string {
    const type = this.#open.at(-1)?.type;
    return type === 'code' || type === 'pre' ? '`' : reserved;
  }

  #endsInnermost(): boolean {
    const character = this.#peek();
    const innermost = this.#open.at(-1);
    if (innermost === undefined) return false;
    if (this.#quoting && character === '\n' && this.#peek(1) !== '>') return true;
    if (innermost.type === 'blockquote') return false;
    if (innermost.type === 'italic') return character === '_' && this.#peek(1) !== '_';
    return this.#source.startsWith(closing(innermost), this.#at);
  }

  #begin(): void {
    const character = this.#peek();
    const doubled = character === this.#peek(1);
    if (character === '\n') {
      this.#at += 1;
      this.#write('\n', true);
    } else if (character === '>' && this.#lineStart) {
      if (this.#quoting) this.#at += 1;
      else this.#push('blockquote', 1);
      this.#quoting = true;
    } else if (character === '_') this.#push(doubled ? 'underline' : 'italic', doubled ? 2 : 1);
    else if (character === '*') this.#push('bold', 1);
    else if (character === '~') this.#push('strikethrough', 1);
    else if (character === '|' && doubled) this.#push('spoiler', 2);
    else if (character === '[') this.#push('text_link', 1);
    else if (character === '!' && this.#peek(1) === '[') this.#push('custom_emoji', 2);
    else if (this.#source.startsWith('```', this.#at)) {
      const fence = readFence(this.#source, this.#at + 3);
      this.#push('pre', fence.end - this.#at, fence.language);
    } else if (character === '`') this.#push('code', 1);
    else {
      throw parseFault(
        `Character '${character}' is reserved and must be escaped with the preceding '\\'`,
      );
    }
  }

  #push(type: EntityType, width: number, language = ''): void {
    const from = this.#text.length;
    this.#open.push({ type, from, mark: this.#at, ...(language !== '' && { language }) });
    this.#at += width;
  }

  #end(): void {
    const entity = this.#open.pop();
    if (entity === undefined) return;
    if (this.#peek() === '\n') {
      this.#endQuote(entity);
      return;
    }
    this.#at += closing(entity).length;
    const range = { offset: entity.from, length: this.#text.length - entity.from };
    const made = this.#made(entity, range);
    if (range.length > 0) this.#entities.push(...made);
  }

  #made(entity: OpenEntity, range: Range): Entity[] {
    if (entity.type === 'text_link') return this.#link(range);
    if (entity.type === 'custom_emoji') return this.#emojiOrTime(range);
    const language = entity.language === undefined ? {} : { language: entity.language };
    return [{ type: entity.type, ...range, ...language }];
  }

  /** A line that does not begin with `>` ends the quote. A spoiler mark right before makes the quote expandable. */
  #endQuote(innermost: OpenEntity): void {
    const folds = innermost.type === 'spoiler' && this.#bare(innermost, this.#at);
    const quote = folds ? this.#open.pop() : innermost;
    if (quote?.type !== 'blockquote') throw this.#unended(quote ?? innermost);
    this.#quoting = false;
    this.#at += 1;
    this.#write('\n', true);
    this.#addQuote(quote, folds);
  }

  /** Whether there is nothing between its mark and the position. */
  #bare(spoiler: OpenEntity, position: number): boolean {
    return /^\|\|\r?$/.test(this.#source.slice(spoiler.mark, position));
  }

  #closeLastQuote(): void {
    if (!this.#quoting) return;
    const last = this.#open.at(-1);
    const folds = last?.type === 'spoiler' && last.mark === this.#source.length - 2;
    if (folds) this.#open.pop();
    const quote = this.#open.at(-1);
    if (quote?.type !== 'blockquote') return;
    this.#open.pop();
    if (this.#text.length > quote.from) this.#addQuote(quote, folds);
  }

  #addQuote(quote: OpenEntity, folds: boolean): void {
    this.#entities.push({
      type: folds ? 'expandable_blockquote' : 'blockquote',
      offset: quote.from,
      length: this.#text.length - quote.from,
    });
  }

  #link(range: Range): Entity[] {
    if (this.#peek() !== '(') return linkEntity(this.#text.slice(range.offset), range);
    return linkEntity(this.#address(), range);
  }

  #emojiOrTime(range: Range): Entity[] {
    if (this.#peek() !== '(') {
      throw parseFault('The entity must contain a tg://emoji or tg://time URL');
    }
    const address = this.#address();
    const id = namedEmoji(address);
    if (id !== undefined) return [{ type: 'custom_emoji', ...range, custom_emoji_id: id }];
    const time = namedTime(address);
    if (time === undefined) throw parseFault('Invalid tg://emoji or tg://time URL specified');
    return [{ type: 'date_time', ...range, ...time }];
  }

  #address(): string {
    const begin = this.#at + 1;
    let address = '';
    this.#at = begin;
    while (this.#at < this.#source.length && this.#peek() !== ')') {
      const escaped = this.#escapedAt(this.#at);
      address += escaped ?? this.#peek();
      this.#at += escaped === undefined ? 1 : 2;
    }
    if (this.#at >= this.#source.length) {
      throw parseFault(`Can't find end of a URL at byte offset ${byteOffset(this.#source, begin)}`);
    }
    this.#at += 1;
    return address;
  }

  #unended(entity: OpenEntity) {
    const name = entity.language === undefined ? names[entity.type] : 'PreCode';
    const place = byteOffset(this.#source, entity.mark);
    return parseFault(`Can't find end of ${name} entity at byte offset ${place}`);
  }
}
