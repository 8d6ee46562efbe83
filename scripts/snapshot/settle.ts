import type { Queryable } from '../../src/db/pool.ts';
import { snapshotSchema } from './snapshot.ts';

/**
 * The snapshot of a snapshot, replayed into an empty database. PostgreSQL regroups some expressions
 * when it reads its own text (a leading parenthesis of the same operator goes). Reading it once more
 * changes nothing, so this is the form to keep and to compare.
 */
export async function settleSnapshot(empty: Queryable, text: string): Promise<string> {
  await empty.query(text);
  return snapshotSchema(empty);
}
