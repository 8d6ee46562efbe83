// Reads the texts that people hand in. What is not UTF-8 is refused: read anyway, it would be posted with signs in place
// of its letters.

import { InvalidInputError } from '../../errors.ts';

/** The text of bytes, without a byte order mark. `where` names the file, or standard input. */
export function utf8Text(where: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new InvalidInputError(`${where} is not UTF-8`, {
      hint: 'convert it, for example with iconv -f windows-1251 -t utf-8',
    });
  }
}
