// What a markup parser says about a text that it cannot read. Places are counted in bytes of UTF-8.

import type { Refusal } from './refusals.ts';
import { refusal } from './refusals.ts';

export function parseFault(detail: string): Refusal {
  return refusal(`Can't parse entities: ${detail}`);
}

/** The byte offset of a UTF-16 position. */
export function byteOffset(text: string, position: number): number {
  return Buffer.byteLength(text.slice(0, position));
}

/** White space as the server counts it; the end of the text is some, too. */
export function isBlank(character: string | undefined): boolean {
  return character === undefined || /^[ \t\r\n\0\v]$/.test(character);
}
