import type { Queryable } from '../pool.ts';
import { fileFault, hasState } from './faults.ts';
import type { SqlFile } from './files.ts';

// Undefined function, table, object (type), column: another file may still bring it.
const notThereYet = ['42883', '42P01', '42704', '42703'];

/**
 * Applies files that may need each other, in whatever order works: a file that misses something
 * waits for the next round; a round without progress is an error.
 */
export async function applyInAnyOrder(
  client: Queryable,
  files: readonly SqlFile[],
  apply: (file: SqlFile) => Promise<void>,
): Promise<void> {
  let waiting = [...files];
  while (waiting.length > 0) {
    const later: SqlFile[] = [];
    let firstFault: unknown;
    for (const file of waiting) {
      await client.query('savepoint one_file');
      try {
        await apply(file);
        await client.query('release savepoint one_file');
      } catch (error) {
        if (!hasState(error, ...notThereYet)) throw fileFault(file, error);
        await client.query('rollback to savepoint one_file');
        firstFault ??= fileFault(file, error);
        later.push(file);
      }
    }
    if (later.length === waiting.length) throw firstFault;
    waiting = later;
  }
}
