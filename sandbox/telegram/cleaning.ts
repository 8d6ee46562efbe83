// What Telegram does to a text before it judges and counts it: some characters go, control characters
// become spaces, blanks at both ends go, and the entities follow.

import {
  type Entity,
  endOf,
  type FormattedText,
  settleEntities,
  sortEntities,
} from './entities.ts';
import { refusal } from './refusals.ts';

/** Carriage returns, separators and direction marks, and three marks that run out of their line. */
const dropped = /\r|[\u2028-\u202e]|\u030a|\u0333|\u033f/;

/** Spaces of every width and marks that take no room: a text of these alone shows nothing. */
const nothing =
  /^[\0- \u00a0\u1680\u180e\u2000-\u200f\u202f\u205f\u2800\u3000\ufeff\ufffc\u{e0000}-\u{e007f}]*$/u;

/** For a text that was tidied. */
export function showsNothing(text: string): boolean {
  return nothing.test(text);
}

/** The order is Telegram's: crossing entities of the original text are settled before any character is dropped. */
export function tidy({ text, entities }: FormattedText): FormattedText {
  checkRanges(entities);
  const settled = settleEntities(entities);
  checkEdges(text, settled);
  const cleaned = clean({ text, entities: settled });
  return trim({ text: cleaned.text, entities: settleEntities(cleaned.entities) });
}

function clean({ text, entities }: FormattedText): FormattedText {
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
    const end = endOf(entity);
    const offset = entity.offset - (shift[entity.offset] ?? 0);
    return { ...entity, offset, length: end - (shift[end] ?? 0) - offset };
  });
  return { text: withoutMarkRuns(kept.join('')), entities: moved };
}

/** In a row of direction marks only the last one keeps its meaning. */
function withoutMarkRuns(text: string): string {
  return text.replaceAll(/[\u200e\u200f](?=[\u200e\u200f])/g, '\u200c');
}

/** Trims both ends; on the left only up to the first entity. */
function trim({ text, entities }: FormattedText): FormattedText {
  const end = text.replace(/[ \n]+$/, '').length;
  const first = Math.min(end, ...entities.map(({ offset }) => offset));
  const blank = /^[ \n]*/.exec(text.slice(0, first))?.[0].length ?? 0;
  const cut = entities.flatMap((entity) => {
    const length = Math.min(endOf(entity), end) - entity.offset;
    return length > 0 ? [{ ...entity, offset: entity.offset - blank, length }] : [];
  });
  return { text: text.slice(blank, end), entities: sortEntities(cut) };
}

function checkRanges(entities: readonly Entity[]): void {
  for (const { offset, length } of entities) {
    if (offset < 0 || offset > 1_000_000) {
      throw refusal(`Receive an entity with incorrect offset ${offset}`);
    }
    if (length < 0 || length > 1_000_000) {
      throw refusal(`Receive an entity with incorrect length ${length}`);
    }
  }
}

/** Refuses an entity that begins or ends inside a character; then one that begins or ends behind the text. */
function checkEdges(text: string, entities: readonly Entity[]): void {
  for (const entity of entities) {
    const { offset } = entity;
    const end = endOf(entity);
    if (splitsPair(text, offset)) {
      const place = bytesBefore(text, offset + 1);
      throw refusal(`Entity begins in a middle of a UTF-16 symbol at byte offset ${place}`);
    }
    if (splitsPair(text, end)) {
      const place = bytesBefore(text, end + 1);
      throw refusal(
        `Entity beginning at UTF-16 offset ${offset} ends in a middle of a UTF-16 symbol at byte offset ${place}`,
      );
    }
  }
  const beyond = entities.find(({ offset }) => offset > text.length);
  if (beyond !== undefined) {
    throw refusal(`Entity begins after the end of the text at UTF-16 offset ${beyond.offset}`);
  }
  const over = entities.findLast((entity) => endOf(entity) > text.length);
  if (over !== undefined) {
    throw refusal(
      `Entity beginning at UTF-16 offset ${over.offset} ends after the end of the text at UTF-16 offset ${endOf(over)}`,
    );
  }
}

function splitsPair(text: string, position: number): boolean {
  const code = text.charCodeAt(position);
  return code >= 0xdc00 && code <= 0xdfff;
}

function bytesBefore(text: string, position: number): number {
  return Buffer.byteLength(text.slice(0, position));
}
