// Texts of others on a terminal and in logs. What a terminal would obey, or what turns the writing around, is shown by
// its number.

const obeyed = /[\p{Cc}\p{Zl}\p{Zp}\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** The text with \u001b for an escape, and so on. */
export function visible(text: string): string {
  return text.replaceAll(obeyed, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
}
