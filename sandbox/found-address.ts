// Where an address that a text contains ends. Platforms make it a link by themselves.

const brackets = new Map([
  [')', '('],
  [']', '['],
  ['}', '{'],
]);

/**
 * Leaves out what belongs to the sentence: all from a closing bracket that the address did not open, and punctuation at its
 * end. So https://example.org/Bim_(dog) is whole, also between brackets. As `fix_url` of TDLib does it.
 */
export function wholeAddress(found: string): string {
  const opened: Record<string, number> = {};
  let end = 0;
  for (const character of found) {
    const opening = brackets.get(character);
    if (opening !== undefined) {
      const left = (opened[opening] ?? 0) - 1;
      if (left < 0) break;
      opened[opening] = left;
    } else {
      opened[character] = (opened[character] ?? 0) + 1;
    }
    end += character.length;
  }
  return found.slice(0, end).replace(/[.:;,('"?!`]+$/, '');
}
