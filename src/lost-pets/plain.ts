// The text as it is compared: in lower case, with ё as е, without accents. Every character stays at its place, so that
// what is found in it can be shown as it was written.

/** Stands where a character was that nobody sees: a zero-width one, an accent, what makes a keycap of a digit. */
export const filler = '\u0001';

const invisible =
  '\u00ad\u0300-\u0305\u0307\u0309-\u036f\u0306\u0308\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u2064\u20e3\ufe00-\ufe0f\ufeff';
const special = new RegExp(
  `[ёЁİ${invisible}\u2010-\u2015\u2212\uff10-\uff19\u00a0\u2000-\u200a\u202f\u205f\u3000\t\r]`,
  'g',
);
const composable = /[иИ]\u0306/g;

/** As long as the text. */
export function plainOf(text: string): string {
  const composed = !text.includes('\u0306')
    ? text
    : text.replaceAll(composable, (letter) => (letter.startsWith('и') ? 'й' : 'Й') + filler);
  const plain = composed.toLowerCase().replaceAll('ё', 'е');
  // Lower case may be longer, as that of İ is; then each character is replaced at its place first.
  if (plain.length !== text.length)
    return composed.replaceAll(special, plainCharacter).toLowerCase();
  return plain.replaceAll(special, plainCharacter);
}

function plainCharacter(character: string): string {
  const code = character.charCodeAt(0);
  if (code === 0x451 || code === 0x401) return 'е';
  if (code === 0x130) return 'i';
  if (code === 0x2212 || (code >= 0x2010 && code <= 0x2015)) return '-';
  if (code >= 0xff10 && code <= 0xff19) return String.fromCharCode(code - 0xff10 + 0x30);
  if (code === 0x09 || code === 0x0d || code === 0xa0 || code === 0x202f || code === 0x205f)
    return ' ';
  if (code === 0x3000 || (code >= 0x2000 && code <= 0x200a)) return ' ';
  return filler;
}

const lookAlikes: Readonly<Record<string, string>> = {
  a: 'а',
  b: 'в',
  c: 'с',
  e: 'е',
  h: 'н',
  i: 'и',
  k: 'к',
  m: 'м',
  n: 'п',
  o: 'о',
  p: 'р',
  r: 'г',
  t: 'т',
  u: 'и',
  x: 'х',
  y: 'у',
  '0': 'о',
  '3': 'з',
  '4': 'ч',
  '6': 'б',
  i̇: 'и',
  і: 'и',
  ї: 'и',
  є: 'е',
  ө: 'о',
  ҝ: 'к',
};
const certain = /^[abcehkmoptxy]+$/;
const cyrillic = /[а-я]/;
const strange = /[^а-я-]/;

/** A word in Cyrillic letters, where Latin letters or digits stand for some that look like them. */
export function inCyrillic(word: string): string {
  const cleaned = word.includes(filler) ? word.replaceAll(filler, '') : word;
  if (!strange.test(cleaned)) return cleaned;
  if (!cyrillic.test(cleaned)) {
    // A word of Latin letters alone is Russian only if each of them has a twin.
    if (cleaned.length < 3 || !certain.test(cleaned)) return cleaned;
  }
  let written = '';
  for (const letter of cleaned) written += letter.length > 1 ? 'о' : (lookAlikes[letter] ?? letter);
  return written;
}
