// Whether the database does its work.

import { callForValue } from './call.ts';
import { time } from './columns.ts';
import type { Queryable } from './pool.ts';

/** The database's clock; that it answers is what a caller wants to know. */
export async function databaseTime(client: Queryable): Promise<Date> {
  return callForValue(client, { name: 'database_time', args: [], row: time });
}
