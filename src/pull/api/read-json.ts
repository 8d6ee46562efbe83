// JSON of a stranger, as bytes.

import { parseJson } from '../parse-json.ts';
import { SourceError } from '../source-error.ts';

export function readJson(bytes: Uint8Array, host: string): unknown {
  const text = decoded(bytes, host);
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof RangeError) {
      throw new SourceError(`${host} answers with JSON that is nested too deeply`);
    }
    const start = text.trimStart().slice(0, 1);
    throw new SourceError(
      start === '<'
        ? `${host} answers with a page instead of JSON`
        : `${host} answers with JSON that breaks off or has a fault`,
    );
  }
}

function decoded(bytes: Uint8Array, host: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new SourceError(`${host} answers with JSON that is not UTF-8`);
  }
}
