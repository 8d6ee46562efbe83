// What Telegram's server keeps of a text before it counts it, and which texts it takes for empty: clean_input_string,
// fix_formatted_text and is_empty_string of TDLib, in words. It shares nothing with the functions that it judges.

/** A range of code points, both ends included. */
type Range = readonly [first: number, last: number];

const within = (ranges: readonly Range[], character: string): boolean => {
  const code = character.codePointAt(0) ?? -1;
  return ranges.some(([first, last]) => code >= first && code <= last);
};

/** Taken out of every text: the carriage return, separators and directions, and marks that run out of their line. */
const dropped: readonly Range[] = [
  [0x0d, 0x0d],
  [0x03_0a, 0x03_0a],
  [0x03_33, 0x03_33],
  [0x03_3f, 0x03_3f],
  [0x20_28, 0x20_2e],
];

/** Nobody sees them: a text that has nothing else is "text must be non-empty". */
const unseen: readonly Range[] = [
  ...dropped,
  [0x01, 0x20],
  [0xa0, 0xa0],
  [0x16_80, 0x16_80],
  [0x18_0e, 0x18_0e],
  [0x20_00, 0x20_0f],
  [0x20_2f, 0x20_2f],
  [0x20_5f, 0x20_5f],
  [0x28_00, 0x28_00],
  [0x30_00, 0x30_00],
  [0xfe_ff, 0xfe_ff],
  [0xff_fc, 0xff_fc],
  [0xe_00_00, 0xe_00_7f],
];

export const isEmptyOnTelegram = (text: string): boolean =>
  Array.from(text).every((character) => within(unseen, character));

/** How long a text is for Telegram; firstEntity: the byte at which its first entity begins. */
export function lengthOnTelegram(text: string, firstEntity = Number.POSITIVE_INFINITY): number {
  const characters: { readonly isBlank: boolean; readonly inEntity: boolean }[] = [];
  let offset = 0;
  for (const character of text) {
    if (!within(dropped, character)) {
      // Other control characters become spaces.
      characters.push({ isBlank: character <= ' ', inEntity: offset >= firstEntity });
    }
    offset += Buffer.byteLength(character);
  }
  while (characters.at(-1)?.isBlank) characters.pop();
  const first = characters.findIndex(({ isBlank, inEntity }) => !isBlank || inEntity);
  return characters.length - Math.max(first, 0);
}
