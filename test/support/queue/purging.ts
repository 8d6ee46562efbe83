// The purge, as tests call it.

import type { Queryable } from '../../../src/db/pool.ts';
import { type Purged, purgeExpired } from '../../../src/db/retention.ts';

/** Purges until nothing is left; answers with how much went, by kind. */
export async function purgeAll(
  client: Queryable,
  now: string,
  limit = 500,
): Promise<Record<string, number>> {
  const purged: Purged[] = [];
  for (let hasMore = true; hasMore; ) {
    const found = await purgeExpired(client, { limit, dryRun: false }, now);
    hasMore = found.some((each) => each.more);
    purged.push(...found);
  }
  return countsOf(purged);
}

/** How much went, or would go, by kind. */
export function countsOf(purged: readonly Purged[]): Record<string, number> {
  const kinds = Map.groupBy(purged, (each) => each.what);
  const counts = [...kinds].map(
    ([what, each]) => [what, each.reduce((sum, { removed }) => sum + removed, 0)] as const,
  );
  return Object.fromEntries(counts.filter(([, count]) => count > 0));
}
