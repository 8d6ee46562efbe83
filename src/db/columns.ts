// Pieces of row schemas, for what the driver or a JSON document hands over as text.

import { z } from 'zod';

const isoTime = /^(\d{4,}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)([+-]\d\d)(?::(\d\d))?$/;

/** An int8 that counts things, as a number; refused when a number cannot hold it exactly. */
export const int8 = z.string().transform((text, context) => {
  const value = Number(text);
  if (Number.isSafeInteger(value)) return value;
  context.addIssue({ code: 'custom', message: 'is beyond the safe integers' });
  return z.NEVER;
});

/** The same in a JSON document, which may have it as a number. */
export const int8InJson = z.union([z.int(), int8]);

/**
 * A time for people and for waiting, whatever zone the session writes it in. Drops microseconds: never send it back as
 * a token.
 */
export const time = z.string().transform((text, context) => {
  const parts = isoTime.exec(text);
  if (parts !== null) {
    const [, date, clock, offset, minutes = '00'] = parts;
    const value = new Date(`${date}T${clock}${offset}:${minutes}`);
    if (!Number.isNaN(value.getTime())) return value;
  }
  context.addIssue({ code: 'custom', message: 'is not a time of this era' });
  return z.NEVER;
});

/** The same for a time in a JSON document. */
export const timeInJson = z.string().transform((text, context) => {
  const value = new Date(text);
  if (!Number.isNaN(value.getTime())) return value;
  context.addIssue({ code: 'custom', message: 'is not a time of this era' });
  return z.NEVER;
});

/** A time that came over one of both ways. */
export const timeOrInJson = z.union([time, timeInJson]);

/** A time as PostgreSQL wrote it, to the microsecond, to be handed back unchanged. */
export const exactTime = z.string();

/** An exact time for people and logs: ISO 8601, to the millisecond. */
export function inIso(exact: string): string {
  return time.parse(exact).toISOString();
}

/** A row that names a workspace. */
export const workspaceRow = z
  .object({ workspace_id: z.string() })
  .transform((row) => row.workspace_id);
