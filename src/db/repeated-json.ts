// JSON that comes back in row after row: the channel of many deliveries, the payload of a message that
// goes to many channels. Each distinct text is read, checked and frozen once, and shared.

import pg from 'pg';
import { z } from 'zod';
import { exactTypes } from './exact-types.ts';

/** Like exactTypes, but with json left as text, for rows that use repeatedJson. */
export const jsonAsText = new pg.TypeOverrides(exactTypes);
for (const type of [pg.types.builtins.JSON, pg.types.builtins.JSONB]) {
  jsonAsText.setTypeParser(type, (text: string) => text);
}

const remembered = 1000;

/** A column of such JSON. */
export function repeatedJson<Schema extends z.ZodType>(
  schema: Schema,
): z.ZodType<z.output<Schema>, string> {
  const known = new Map<string, z.output<Schema>>();
  return z.string().transform((text, context) => {
    const before = known.get(text);
    if (before !== undefined) return before;
    const parsed = schema.safeParse(JSON.parse(text));
    if (!parsed.success) {
      context.addIssue({ code: 'custom', message: parsed.error.issues[0]?.message ?? 'is odd' });
      return z.NEVER;
    }
    if (known.size === remembered) known.clear();
    Object.freeze(parsed.data);
    known.set(text, parsed.data);
    return parsed.data;
  });
}
