// JSON as MAX writes it: `seq` is a bare integer beyond 2^53, which JSON.stringify cannot write.

export type Json =
  | string
  | number
  | bigint
  | boolean
  | null
  | undefined
  | readonly Json[]
  | { readonly [name: string]: Json };

/** The text of a value. Writes bigints as integers and leaves out absent members. */
export function writeJson(value: Json): string {
  if (typeof value === 'bigint') return value.toString();
  if (isList(value)) return `[${value.map((each) => writeJson(each ?? null)).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value ?? null);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${writeJson(member)}`).join(',')}}`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
