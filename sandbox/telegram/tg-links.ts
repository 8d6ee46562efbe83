// Addresses of Telegram itself that stand for an entity: tg://user, tg://emoji, tg://time.

/** The user that a tg://user link mentions. */
export function mentionedUser(address: string): number | undefined {
  const id = valuesOf(address.toLowerCase(), 'user')?.find(([key]) => key === 'id')?.[1] ?? '';
  const number = wholeNumber(id, 64);
  return number !== undefined && number > 0n && number < 2n ** 40n ? Number(number) : undefined;
}

/** The custom emoji that a tg://emoji link names. */
export function namedEmoji(address: string): string | undefined {
  const id = valuesOf(address, 'emoji')?.find(([key]) => key === 'id')?.[1] ?? '';
  return isEmojiId(id) ? id : undefined;
}

export interface NamedTime {
  readonly unix_time: number;
  readonly date_time_format: string;
}

/** The time that a tg://time link names. */
export function namedTime(address: string): NamedTime | undefined {
  const values = valuesOf(address, 'time') ?? [];
  const times = values.filter(([key]) => key === 'unix').map(([, value]) => wholeNumber(value, 32));
  const format = timeFormat(values.findLast(([key]) => key === 'format')?.[1] ?? '');
  const last = times.at(-1);
  if (last === undefined || format === undefined) return undefined;
  if (times.some((time) => time === undefined || time <= 0n)) return undefined;
  return { unix_time: Number(last), date_time_format: format };
}

export function isEmojiId(text: string): boolean {
  return (wholeNumber(text, 64) ?? 0n) !== 0n;
}

/**
 * The format as the Bot API writes it: day of week, date, time. The short form wins where both forms are asked for.
 * Undefined when a letter has no meaning.
 */
export function timeFormat(text: string): string | undefined {
  if (/^r$/i.test(text)) return 'r';
  if (!/^[tTdDwW]*$/.test(text)) return undefined;
  const one = (...letters: string[]) => letters.find((letter) => text.includes(letter)) ?? '';
  return `${/w/i.test(text) ? 'w' : ''}${one('d', 'D')}${one('t', 'T')}`;
}

/** A number in its usual form, without needless signs or zeros. */
function wholeNumber(text: string, bits: number): bigint | undefined {
  if (!/^-?\d{1,20}$/.test(text)) return undefined;
  const number = BigInt(text);
  return BigInt.asIntN(bits, number) === number && String(number) === text ? number : undefined;
}

/** The query of an address of that host; undefined for any other address. */
function valuesOf(address: string, host: string): (readonly [string, string])[] | undefined {
  const query = new RegExp(String.raw`^tg:(?://)?${host}/?\?([^#]*)`, 'i').exec(address)?.[1];
  return query?.split('&').map((pair) => {
    const mark = pair.indexOf('=');
    return mark < 0
      ? ([pair, ''] as const)
      : ([pair.slice(0, mark), pair.slice(mark + 1)] as const);
  });
}
