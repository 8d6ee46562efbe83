// Whole numbers that JavaScript would round stay texts: they are names of items.

export function parseJson(text: string): unknown {
  return /\d{16}/.test(text) ? JSON.parse(text, keepDigits) : JSON.parse(text);
}

// Node hands the source of a value to the reviver; TypeScript does not know it yet.
function keepDigits(_key: string, value: unknown, ...[context]: unknown[]): unknown {
  if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
  const source: unknown = Reflect.get(Object(context), 'source');
  return typeof source === 'string' && /^-?\d+$/.test(source) ? source : value;
}
