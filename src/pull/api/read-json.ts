// JSON of a stranger. Whole numbers that JavaScript would round stay texts: they are names of items.

import { SourceError } from '../source-error.ts';

export function readJson(bytes: Uint8Array, host: string): unknown {
  const text = decoded(bytes, host);
  try {
    return /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
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

// Node hands the source of a value to the reviver; TypeScript does not know it yet.
function keepDigits(_key: string, value: unknown, ...[context]: unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source: unknown = Reflect.get(Object(context), 'source');
  return typeof source === 'string' && /^-?\d+$/.test(source) ? source : value;
}
