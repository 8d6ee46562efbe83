// What a database was made from.

import { z } from 'zod';
import { callFunction } from './call.ts';
import type { Queryable } from './pool.ts';

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
