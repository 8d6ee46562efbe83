// The refusal of a markup parser that cannot read a text. Places are counted in bytes of UTF-8.

import type { Refusal } from './refusals.ts';
import { refusal } from './refusals.ts';

export function parseFault(detail: string): Refusal {
  return refusal(`Can't parse entities: ${detail}`);
}

/** The byte offset of a UTF-16 position. */
export function byteOffset(text: string, position: number): number {
  return Buffer.byteLength(text.slice(0, position));
}

/** Whether the server counts it as white space; the end of the text counts, too. */
export function isBlank(character: string | undefined): boolean {
  return character === undefined || /^[ \t\r\n\0\v]$/.test(character);
}
