// Forgets files that no message names any more, by the rules of each workspace. Only rows go here; see collect.ts for the
// bytes.

import { listWorkspaces } from '../db/inspect.ts';
import { forgetMediaOrigins, mediaGcCandidates } from '../db/media.ts';
import type { Queryable } from '../db/pool.ts';
import { reconcileMedia } from '../db/retention.ts';
import { DatabaseAwayError } from '../errors.ts';

export interface ForgetOptions {
  readonly client: Queryable;
  /** Only counts, up to 10,000 in a workspace. */
  readonly dryRun?: boolean | undefined;
  /** Asked between batches; true ends it. */
  readonly isOver?: (() => boolean) | undefined;
  /** Production leaves the time to the database; tests move it. */
  readonly now?: string | undefined;
}

export interface Forgotten {
  readonly workspaceId: string;
  readonly count: number;
  /** Why files of this workspace were left. */
  readonly note: string | null;
}

const batchSize = 500;
const mostCounted = 10_000;

/** A workspace that fails does not keep the others from their turn. */
export async function forgetUnused(options: ForgetOptions): Promise<Forgotten[]> {
  const { client, isOver = () => false } = options;
  const forgotten: Forgotten[] = [];
  for (const { workspaceId } of await listWorkspaces(client)) {
    if (isOver()) break;
    try {
      forgotten.push({ workspaceId, count: await forgetIn(options, workspaceId), note: null });
    } catch (error) {
      if (error instanceof DatabaseAwayError) throw error;
      const note = `left for the next time: ${error instanceof Error ? error.message : String(error)}`;
      forgotten.push({ workspaceId, count: 0, note });
    }
  }
  return forgotten;
}

async function forgetIn(options: ForgetOptions, workspaceId: string): Promise<number> {
  const { client, now, dryRun = false, isOver = () => false } = options;
  if (dryRun) {
    return (await mediaGcCandidates(client, { workspaceId, limit: mostCounted }, now)).length;
  }
  const first = await mediaGcCandidates(client, { workspaceId, limit: 1 }, now);
  if (first.length === 0) return 0;
  // Whatever was changed by hand: no file goes that a message names.
  await reconcileMedia(client, workspaceId);
  let count = 0;
  for (;;) {
    const unused = await mediaGcCandidates(client, { workspaceId, limit: batchSize }, now);
    const blobRefs = unused.map((each) => each.blobRef);
    const gone =
      isOver() || blobRefs.length === 0
        ? 0
        : await forgetMediaOrigins(client, { workspaceId, blobRefs }, now);
    count += gone;
    // Those that somebody has locked are left; a batch of nothing else would come again and again.
    if (gone === 0 || blobRefs.length < batchSize) return count;
  }
}
