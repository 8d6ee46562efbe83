// What operators do by hand; each leaves an event with who and why.

import { z } from 'zod';
import { at, callFunction } from './call.ts';
import type { Queryable } from './pool.ts';

const Requeued = z
  .object({ delivery_id: z.string(), requeued: z.boolean(), note: z.string().nullable() })
  .transform((row) => ({ deliveryId: row.delivery_id, requeued: row.requeued, note: row.note }));

export type Requeued = z.output<typeof Requeued>;

/** Sends dead and failed deliveries again; each refusal comes with its reason. */
export async function requeueDeliveries(
  client: Queryable,
  request: {
    workspaceId: string;
    deliveryIds: readonly string[];
    operator: string;
    reason: string;
  },
  now?: string,
): Promise<Requeued[]> {
  const { workspaceId, deliveryIds, operator, reason } = request;
  return callFunction(client, {
    name: 'requeue_deliveries',
    args: at(now, [workspaceId, deliveryIds, operator, reason]),
    row: Requeued,
  });
}

const OpenedGroup = z
  .object({ platform: z.string(), rate_group: z.string() })
  .transform((row) => ({ platform: row.platform, rateGroup: row.rate_group }));

export type OpenedGroup = z.output<typeof OpenedGroup>;

/** Opens the rate groups that were closed because a platform refused the credential; its token has been replaced. */
export async function reopenCredential(
  client: Queryable,
  request: { workspaceId: string; authRef: string; operator: string; reason: string },
  now?: string,
): Promise<OpenedGroup[]> {
  const { workspaceId, authRef, operator, reason } = request;
  return callFunction(client, {
    name: 'reopen_credential',
    args: at(now, [workspaceId, authRef, operator, reason]),
    row: OpenedGroup,
  });
}
