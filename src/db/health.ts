// Whether the database does its work.

import { z } from 'zod';
import { at, callForValue } from './call.ts';
import { time } from './columns.ts';
import type { Queryable } from './pool.ts';

/** The database's clock; that it answers is what a caller wants to know. */
export async function databaseTime(client: Queryable): Promise<Date> {
  return callForValue(client, { name: 'database_time', args: [], row: time });
}

/** Makes the plans of a connection; false when it could not. */
export async function warmUp(client: Queryable, now?: string): Promise<boolean> {
  return callForValue(client, { name: 'warm_up', args: at(now, []), row: z.boolean() });
}
