// From the text of a call to the text of a message: parse, clean, trim, measure.

import { type Entity, type EntityType, type FormattedText, settleEntities } from './entities.ts';
import { findEntities } from './found-entities.ts';
import { parseHtml } from './html.ts';
import {
  isList,
  isObject,
  type JsonObject,
  optionalText,
  requiredInteger,
  requiredText,
} from './json.ts';
import { checkLink } from './links.ts';
import { parseMarkdown } from './markdown.ts';
import { parseMarkdownV2 } from './markdown-v2.ts';
import type { Parameters } from './parameters.ts';
import { refusal, within } from './refusals.ts';

/** Of the text as it came, in bytes, before anything is parsed. */
const rawBytesMost = 32_768;
const textMost = 4096;
const captionMost = 1024;

/** Carriage returns, separators and direction marks, and three marks that run out of their line. */
const dropped = /\r|[\u2028-\u202e]|\u0333|\u033f|\u030a/;

/** The text of sendMessage and editMessageText, parsed. */
export function parseMessageText(parameters: Parameters): FormattedText {
  const text = parameters.text('text');
  if (text === '') throw refusal('Message text is empty');
  return parseText(text, parameters.text('parse_mode'), givenEntities(parameters, 'entities'));
}

export function parseCaption(parameters: Parameters): FormattedText {
  const given = givenEntities(parameters, 'caption_entities');
  return parseText(parameters.text('caption'), parameters.text('parse_mode'), given);
}

export function parseText(text: string, parseMode: string, given: unknown): FormattedText {
  if (Buffer.byteLength(text) > rawBytesMost) throw refusal('Text is too long');
  if (!text.isWellFormed()) throw refusal('Strings must be encoded in UTF-8');
  const mode = parseMode.toLowerCase();
  if (text !== '' && mode !== '' && mode !== 'none') {
    if (mode === 'html') return parseHtml(text);
    if (mode === 'markdownv2') return parseMarkdownV2(text);
    if (mode === 'markdown') return parseMarkdown(text);
    throw refusal('Unsupported parse_mode');
  }
  return { text, entities: isList(given) ? given.flatMap(readEntity) : [] };
}

/** As it goes into the message; refuses what is empty or too long. */
export function finishText(formatted: FormattedText): FormattedText {
  const finished = tidy(formatted);
  if (isEmpty(finished.text)) throw refusal('Text must be non-empty');
  if (codePoints(finished.text) > textMost) throw refusal('Message is too long');
  return settled(finished);
}

export function finishCaption(formatted: FormattedText): FormattedText {
  const finished = tidy(formatted);
  if (isEmpty(finished.text)) return { text: '', entities: [] };
  if (codePoints(finished.text) > captionMost) throw refusal('Message caption is too long');
  return settled(finished);
}

function settled({ text, entities }: FormattedText): FormattedText {
  return { text, entities: settleEntities(entities, findEntities(text)) };
}

/** The measure of every limit on the length of a text. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}

/** Characters that nobody sees do not make a text. */
function isEmpty(text: string): boolean {
  return /^[\s\u200b-\u200f\u2060\u3164\ufeff]*$/u.test(text);
}

/** Control characters become spaces, some characters go, and so does white space at both ends. */
function tidy({ text, entities }: FormattedText): FormattedText {
  checkRanges(text, entities);
  const kept: string[] = [];
  const shift = new Int32Array(text.length + 1);
  let removed = 0;
  for (let at = 0; at < text.length; at += 1) {
    shift[at] = removed;
    const character = text.charAt(at);
    if (dropped.test(character)) removed += 1;
    else kept.push(character < ' ' && character !== '\n' ? ' ' : character);
  }
  shift[text.length] = removed;
  const moved = entities.map((entity) => {
    const end = entity.offset + entity.length;
    const offset = entity.offset - (shift[entity.offset] ?? 0);
    return { ...entity, offset, length: end - (shift[end] ?? 0) - offset };
  });
  return trim({ text: kept.join(''), entities: moved.filter(({ length }) => length > 0) });
}

/** On the left only up to where the first entity begins. */
function trim({ text, entities }: FormattedText): FormattedText {
  const end = text.replace(/[ \n]+$/, '').length;
  const first = Math.min(end, ...entities.map(({ offset }) => offset));
  const blank = /^[ \n]*/.exec(text.slice(0, first))?.[0].length ?? 0;
  const cut = entities.flatMap((entity) => {
    const length = Math.min(entity.offset + entity.length, end) - entity.offset;
    return length > 0 ? [{ ...entity, offset: entity.offset - blank, length }] : [];
  });
  return { text: text.slice(blank, end), entities: cut };
}

function checkRanges(text: string, entities: readonly Entity[]): void {
  for (const { offset, length } of entities) {
    if (offset < 0 || offset > 1_000_000) {
      throw refusal(`Receive an entity with incorrect offset ${offset}`);
    }
    if (length < 0 || length > 1_000_000) {
      throw refusal(`Receive an entity with incorrect length ${length}`);
    }
    if (length > 0 && offset > text.length) {
      throw refusal(`Entity begins after the end of the text at UTF-16 offset ${offset}`);
    }
    if (offset + length > text.length) {
      throw refusal(
        `Entity beginning at UTF-16 offset ${offset} ends after the end of the text at UTF-16 offset ${offset + length}`,
      );
    }
    if (isLowSurrogate(text, offset)) {
      const place = Buffer.byteLength(text.slice(0, offset - 1)) + 4;
      throw refusal(`Entity begins in a middle of a UTF-16 symbol at byte offset ${place}`);
    }
  }
}

function isLowSurrogate(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code >= 0xdc00 && code <= 0xdfff;
}

/** Nothing when the parameter is missing or no JSON: the server then ignores it. */
function givenEntities(parameters: Parameters, name: string): unknown {
  try {
    return JSON.parse(parameters.text(name));
  } catch {
    return undefined;
  }
}

const given = [
  'bold',
  'italic',
  'underline',
  'strikethrough',
  'spoiler',
  'code',
  'blockquote',
  'expandable_blockquote',
] as const satisfies readonly EntityType[];
const found = 'mention hashtag cashtag bot_command url email phone_number bank_card_number'.split(
  ' ',
);

function readEntity(value: unknown): Entity[] {
  return within('MessageEntity', () => {
    if (!isObject(value)) throw refusal('expected an Object');
    const offset = requiredInteger(value, 'offset');
    return entityOf(value, { offset, length: requiredInteger(value, 'length') });
  });
}

function entityOf(value: JsonObject, range: Pick<Entity, 'offset' | 'length'>): Entity[] {
  const name = requiredText(value, 'type');
  const style = given.find((type) => type === name);
  if (style !== undefined) return [{ type: style, ...range }];
  if (found.includes(name)) return [];
  if (name === 'pre') {
    const language = optionalText(value, 'language');
    return [{ type: 'pre', ...range, ...(language !== '' && { language }) }];
  }
  if (name === 'text_link') {
    const link = checkLink(requiredText(value, 'url'));
    if ('fault' in link) throw refusal(`Entity ${link.fault}`);
    return [{ type: 'text_link', ...range, url: link.url }];
  }
  if (name === 'text_mention') {
    const user = value['user'];
    if (!isObject(user)) throw refusal('Can\'t find field "user"');
    const id = requiredInteger(user, 'id');
    return [{ type: 'text_mention', ...range, user: { id, is_bot: false, first_name: '' } }];
  }
  if (name === 'custom_emoji') {
    const id = requiredText(value, 'custom_emoji_id');
    return [{ type: 'custom_emoji', ...range, custom_emoji_id: id }];
  }
  throw refusal('Unsupported type specified');
}
