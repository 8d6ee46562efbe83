/** A value whose texts PostgreSQL can keep: one NUL or half a character would make it refuse the whole chunk. */
export function storable(value: unknown): unknown {
  if (typeof value === 'string') return storableText(value);
  if (Array.isArray(value)) return value.map(storable);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [storableText(name), storable(each)]),
  );
}

export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '\ufffd');
}
