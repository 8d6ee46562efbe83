// Gives back what dead senders held.

import { z } from 'zod';
import { at, callFunction } from './call.ts';
import { workspaceRow } from './columns.ts';
import type { Queryable } from './pool.ts';

const Recovered = z
  .object({ delivery_id: z.string(), became: z.enum(['queued', 'retry', 'dead']) })
  .transform((row) => ({ deliveryId: row.delivery_id, became: row.became }));

export type Recovered = z.output<typeof Recovered>;

/** Recovers the stale leases of a workspace. */
export async function recoverLeases(
  client: Queryable,
  workspaceId: string,
  now?: string,
): Promise<Recovered[]> {
  return callFunction(client, {
    name: 'recover_leases',
    args: at(now, [workspaceId]),
    row: Recovered,
  });
}

/** The workspaces in which there is something to recover. */
export async function staleWorkspaces(client: Queryable, now?: string): Promise<string[]> {
  return callFunction(client, {
    name: 'stale_workspaces',
    args: at(now, []),
    row: workspaceRow,
  });
}
