// Turns the text of a call into the text of a message: parses, cleans, trims and measures it.

import { showsNothing, tidy } from './cleaning.ts';
import { addFound, type FormattedText } from './entities.ts';
import { findEntities } from './found-entities.ts';
import { readEntities } from './given-entities.ts';
import { parseHtml } from './html.ts';
import { parseMarkdown } from './markdown.ts';
import { parseMarkdownV2 } from './markdown-v2.ts';
import type { Parameters } from './parameters.ts';
import { refusal } from './refusals.ts';

/** The limit for the original text, in bytes, before anything is parsed. */
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

/** A text that is not JSON is ignored. */
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

/** The text as it goes into the message; refuses an empty or too long one. */
export function finishText(formatted: FormattedText): FormattedText {
  const finished = tidy(formatted);
  if (showsNothing(finished.text)) throw refusal('Text must be non-empty');
  if (codePoints(finished.text) > textMost) throw refusal('Message is too long');
  return withFound(finished);
}

/** A caption may show nothing: one of invisible characters is kept. Only one that is too long is refused. */
export function finishCaption(formatted: FormattedText): FormattedText {
  const finished = tidy(formatted);
  if (codePoints(finished.text) > captionMost) throw refusal('Message caption is too long');
  return withFound(finished);
}

function withFound({ text, entities }: FormattedText): FormattedText {
  return { text, entities: addFound(entities, findEntities(text)) };
}

/** All limits on the length of a text count in these. */
export function codePoints(text: string): number {
  let count = 0;
  for (const _ of text) count += 1;
  return count;
}
