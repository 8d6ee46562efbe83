// Deletes what has been kept long enough, batch by batch. After each batch comes a rest that is several times as long, so
// that senders have the database for most of the time, however much there is to delete.

import type { Clock } from '../clock.ts';
import type { Queryable } from '../db/pool.ts';
import { type Purged, purgeExpired, purgeOutbox } from '../db/retention.ts';

export interface PurgeOptions {
  readonly client: Queryable;
  readonly clock: Clock;
  /** How long events of the outbox are kept after they were published, as PostgreSQL reads it. */
  readonly outboxRetention: string;
  readonly batchSize?: number | undefined;
  /** Asked between batches; true ends it. */
  readonly isOver?: (() => boolean) | undefined;
  /** Called after each batch with how many rows have gone so far. */
  readonly onBatch?: ((removed: number) => void) | undefined;
  /** Waits between batches; what a stop cuts short. */
  readonly rest: (ms: number) => Promise<void>;
  /** Production leaves the time to the database; tests and benchmarks move it. */
  readonly now?: string | undefined;
}

const batchOf = 500;
/** So many times as long as a batch took. */
const restsPerBatch = 4;
const shortestRestMs = 20;

/** Purges until nothing is left; answers with what went, of each kind and workspace. */
export async function purge(options: PurgeOptions): Promise<Purged[]> {
  const { client, clock, outboxRetention, rest, now, onBatch, isOver = () => false } = options;
  const { batchSize: limit = batchOf } = options;
  const batches = [
    () => purgeExpired(client, { limit, dryRun: false }, now),
    () => purgeOutbox(client, { olderThan: outboxRetention, limit, dryRun: false }, now),
  ];
  const purged: Purged[] = [];
  let removed = 0;
  for (const batch of batches) {
    let hasMore = true;
    while (hasMore && !isOver()) {
      const startedAt = clock.now();
      const found = await batch();
      purged.push(...found);
      removed += found.reduce((sum, each) => sum + each.removed, 0);
      onBatch?.(removed);
      hasMore = found.some((each) => each.more);
      const tookMs = clock.now() - startedAt;
      if (hasMore) await rest(Math.max(shortestRestMs, restsPerBatch * tookMs));
    }
  }
  return summed(purged);
}

/** One for each kind and workspace; of a kind that was left alone, why. */
export function summed(purged: readonly Purged[]): Purged[] {
  const groups = Map.groupBy(purged, (each) => `${each.what}\t${each.workspaceId ?? ''}`);
  return [...groups.values()].flatMap((group) => {
    const [first] = group;
    const removed = group.reduce((sum, each) => sum + each.removed, 0);
    const note = group.at(-1)?.note ?? null;
    if (first === undefined || (removed === 0 && note === null)) return [];
    return [{ ...first, removed, more: false, note }];
  });
}
