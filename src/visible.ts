// Makes texts of others safe for a terminal and for logs. Characters that a terminal obeys, or that turn the direction
// of writing, are shown by their number.

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text with \u001b for an escape, and so on. */
export function visible(text: string): string {
  return text.replaceAll(obeyed, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
