// From the text of a call to the text of a message: parse, clean, trim, measure.

import { showsNothing, tidy } from './cleaning.ts';
import { addFound, type FormattedText } from './entities.ts';
import { findEntities } from './found-entities.ts';
import { readEntities } from './given-entities.ts';
import { parseHtml } from './html.ts';
import { parseMarkdown } from './markdown.ts';
import { parseMarkdownV2 } from './markdown-v2.ts';
import type { Parameters } from './parameters.ts';
import { refusal } from './refusals.ts';

/** Of the text as it came, in bytes, before anything is parsed. */
const rawBytesMost = 32_768;
const textMost = 4096;
const captionMost = 1024;

/** The text of sendMessage and editMessageText, parsed. */
export function parseMessageText(parameters: Parameters): FormattedText {
  const text = parameters.text('text');
  if (text === '') throw refusal('Message text is empty');
  return parseText(text, parameters.text('parse_mode'), jsonOf(parameters.text('entities')));
}

export function parseCaption(parameters: Parameters): FormattedText {
  const entities = jsonOf(parameters.text('caption_entities'));
  return parseText(parameters.text('caption'), parameters.text('parse_mode'), entities);
}

/** What is no JSON is ignored. */
function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The entities are read only without a parse mode. */
export function parseText(text: string, parseMode: string, entities: unknown): FormattedText {
  if (Buffer.byteLength(text) > rawBytesMost) throw refusal('Text is too long');
  if (!text.isWellFormed()) throw refusal('Strings must be encoded in UTF-8');
  const mode = parseMode.toLowerCase();
  if (text !== '' && mode !== '' && mode !== 'none') {
    if (mode === 'html') return parseHtml(text);
    if (mode === 'markdownv2') return parseMarkdownV2(text);
    if (mode === 'markdown') return parseMarkdown(text);
    throw refusal('Unsupported parse_mode');
  }
  return { text, entities: readEntities(entities) };
}

/** As it goes into the message; refuses what is empty or too long. */
export function finishText(formatted: FormattedText): FormattedText {
  const finished = tidy(formatted);
  if (showsNothing(finished.text)) throw refusal('Text must be non-empty');
  if (codePoints(finished.text) > textMost) throw refusal('Message is too long');
  return withFound(finished);
}

/** Of a caption nothing is asked: one of characters that take no room is kept. */
export function finishCaption(formatted: FormattedText): FormattedText {
  const finished = tidy(formatted);
  if (codePoints(finished.text) > captionMost) throw refusal('Message caption is too long');
  return withFound(finished);
}

function withFound({ text, entities }: FormattedText): FormattedText {
  return { text, entities: addFound(entities, findEntities(text)) };
}

/** The measure of every limit on the length of a text. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
