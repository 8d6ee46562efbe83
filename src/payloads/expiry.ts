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

/** Removes those whose time is over, of all workspaces, batch by batch until `isOver` says that it must stop. */
export async function forgetExpired(
  client: Queryable,
  objects: Pick<OriginStore, 'remove'>,
  { now, isOver = () => false }: { now?: string | undefined; isOver?: () => boolean } = {},
): Promise<void> {
  while (!isOver()) {
    const expired = await expiredPayloads(client, batch, now);
    for (const [workspaceId, some] of Map.groupBy(expired, (each) => each.workspaceId)) {
      await removePayloads(client, objects, workspaceId, some);
    }
    if (expired.length < batch) return;
  }
}

export async function removePayloads(
  client: Queryable,
  objects: Pick<OriginStore, 'remove'>,
  workspaceId: string,
  payloads: readonly Removable[],
): Promise<void> {
  if (payloads.length === 0) return;
  for (const { objectUrl } of payloads) await objects.remove(objectUrl);
  await forgetPayloads(
    client,
    workspaceId,
    payloads.map((each) => each.payloadRef),
  );
}
