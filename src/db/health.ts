// Whether the database works, and which files it was made from.

import { z } from 'zod';
import { at, callForValue, callFunction } from './call.ts';
import { time } from './columns.ts';
import type { Queryable } from './pool.ts';

/** The time by the database's clock. For a health check it is enough that the database answers. */
export async function databaseTime(client: Queryable): Promise<Date> {
  return callForValue(client, { name: 'database_time', args: [], row: time });
}

/** Makes the plans of a connection before a post needs them; false when it could not. */
export async function warmUp(client: Queryable, now?: string): Promise<boolean> {
  return callForValue(client, { name: 'warm_up', args: at(now, []), row: z.boolean() });
}

const AppliedFile = z.object({
  kind: z.enum(['migration', 'function', 'view']),
  name: z.string(),
  checksum: z.string(),
});

export type AppliedFile = z.output<typeof AppliedFile>;

/** The files that the schema was made from; for Outrider's own processes. */
export async function appliedFiles(client: Queryable): Promise<AppliedFile[]> {
  return callFunction(client, { name: 'applied_files', args: [], row: AppliedFile });
}
