// Whether there is anything to migrate, asked without a lock and by any login that may work with the database.

import { NotAllowedError } from '../../errors.ts';
import { appliedFiles } from '../health.ts';
import type { Queryable } from '../pool.ts';
import type { SchemaFiles } from './files.ts';

/** False also when there is no schema yet; `forbidden` when the login may not ask. */
export async function isUpToDate(
  client: Queryable,
  files: SchemaFiles,
): Promise<boolean | 'forbidden'> {
  const applied = await appliedFiles(client).catch((error: unknown) => {
    if (error instanceof NotAllowedError) return 'forbidden' as const;
    if (isMissing(error)) return undefined;
    throw error;
  });
  if (applied === 'forbidden') return applied;
  const wanted = [
    ...files.migrations.map((file) => `migration ${file.name} ${file.checksum}`),
    ...files.functions.map((file) => `function ${file.name} ${file.checksum}`),
    ...files.views.map((file) => `view ${file.name} ${file.checksum}`),
  ];
  const found = new Set(applied?.map((each) => `${each.kind} ${each.name} ${each.checksum}`));
  return found.size === wanted.length && wanted.every((each) => found.has(each));
}

// No such schema or function: the database has never been migrated, or only by a version without this function.
function isMissing(error: unknown): boolean {
  const state = error instanceof Error && 'sqlstate' in error ? error.sqlstate : undefined;
  return state === '3F000' || state === '42883';
}
