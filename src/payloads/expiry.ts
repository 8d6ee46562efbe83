// Removes raw payloads. The object goes first and then its row: a process that dies in between leaves a row whose object
// is gone, and the next round clears it.

import { expiredPayloads, forgetPayloads } from '../db/payloads.ts';
import type { Queryable } from '../db/pool.ts';
import type { OriginStore } from '../media/origin-store.ts';

interface Removable {
  readonly payloadRef: string;
  readonly objectUrl: string;
}

const batch = 100;

/**
 * Removes those whose time is over, of all workspaces, batch by batch until `isOver` says that it must stop. Answers how
 * many went, by workspace.
 */
export async function forgetExpired(
  client: Queryable,
  objects: Pick<OriginStore, 'remove'>,
  { now, isOver = () => false }: { now?: string | undefined; isOver?: () => boolean } = {},
): Promise<ReadonlyMap<string, number>> {
  const removed = new Map<string, number>();
  while (!isOver()) {
    const expired = await expiredPayloads(client, batch, now);
    for (const [workspaceId, some] of Map.groupBy(expired, (each) => each.workspaceId)) {
      await removePayloads(client, objects, workspaceId, some);
      removed.set(workspaceId, (removed.get(workspaceId) ?? 0) + some.length);
    }
    if (expired.length < batch) break;
  }
  return removed;
}

export async function removePayloads(
  client: Queryable,
  objects: Pick<OriginStore, 'remove'>,
  workspaceId: string,
  payloads: readonly Removable[],
): Promise<void> {
  for (let from = 0; from < payloads.length; from += batch) {
    const some = payloads.slice(from, from + batch);
    for (const { objectUrl } of some) await objects.remove(objectUrl);
    const payloadRefs = some.map((each) => each.payloadRef);
    await forgetPayloads(client, workspaceId, payloadRefs);
  }
}
