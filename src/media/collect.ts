// Removes bytes that nobody names any more: those whose rows were deleted, and those whose rows were never written because
// a process died. Rows go first, by the rules of their workspaces; here it only counts that no workspace has one.
//
//   put ─► row ─► (row deleted) ─► set aside ─► an hour later: removed, or restored if a row names it again
//
// Somebody may put the same bytes at the very moment at which they are judged, and write the row a moment later. So
// nothing is removed that was in its place when it was judged: it is set aside first, where `open` still finds it. An hour
// later the row is there, or it will never be: nobody takes so long from the put to the row.

import type { ListedBlob, OriginStore } from './origin-store.ts';

export interface CollectOptions {
  readonly store: OriginStore;
  /** Which of these addresses a row names. */
  readonly named: (originUrls: readonly string[]) => Promise<ReadonlySet<string>>;
  /** Only counts. */
  readonly dryRun?: boolean | undefined;
  /** Bytes that were put or set aside since are left alone. */
  readonly minAgeMs?: number | undefined;
  /** Asked between batches; true ends it. */
  readonly isOver?: (() => boolean) | undefined;
}

/** How many blobs; in a dry run, how many would be. */
export interface Collected {
  readonly removed: number;
  readonly setAside: number;
  readonly restored: number;
}

const hourMs = 3_600_000;
const batchSize = 500;

export async function collectBytes(options: CollectOptions): Promise<Collected> {
  const { store, minAgeMs = hourMs, isOver = () => false } = options;
  const collected = { removed: 0, setAside: 0, restored: 0 };
  let batch: ListedBlob[] = [];
  for await (const blob of store.list()) {
    if (blob.ageMs >= minAgeMs) batch.push(blob);
    if (batch.length < batchSize) continue;
    if (isOver()) return collected;
    await collectBatch(options, batch, collected);
    batch = [];
  }
  if (batch.length > 0 && !isOver()) await collectBatch(options, batch, collected);
  return collected;
}

async function collectBatch(
  { store, named, dryRun = false }: CollectOptions,
  batch: readonly ListedBlob[],
  collected: { -readonly [Kind in keyof Collected]: number },
): Promise<void> {
  const known = await named(batch.map((each) => each.originUrl));
  for (const { originUrl, isAside } of batch) {
    const act = actFor({ isAside, isNamed: known.has(originUrl) });
    if (act === undefined) continue;
    collected[act.counts] += 1;
    if (!dryRun) await store[act.does](originUrl);
  }
}

function actFor({ isAside, isNamed }: { isAside: boolean; isNamed: boolean }) {
  if (isNamed) return isAside ? ({ does: 'restore', counts: 'restored' } as const) : undefined;
  if (isAside) return { does: 'discard', counts: 'removed' } as const;
  return { does: 'setAside', counts: 'setAside' } as const;
}
