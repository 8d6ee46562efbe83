// Reads JSON so that a change in one place leaves the rest as it was: numbers that JavaScript would round or write in
// another way are written back as they came.

// Node has JSON.rawJSON and hands the source of a value to the reviver; TypeScript does not know them yet.
const rawJson: unknown = Reflect.get(JSON, 'rawJSON');

/** The object of a JSON text; JSON.stringify gives its numbers back digit by digit. */
export function parseExactly(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text, (_key, each: unknown, ...[context]: unknown[]) =>
    typeof each === 'number' ? exactly(each, context) : each,
  );
  if (typeof value !== 'object' || value === null) throw new TypeError('not a JSON object');
  return { ...value };
}

function exactly(number: number, context: unknown): unknown {
  const source: unknown = Reflect.get(Object(context), 'source');
  if (typeof rawJson !== 'function' || source === String(number)) return number;
  return Reflect.apply(rawJson, JSON, [source]);
}
