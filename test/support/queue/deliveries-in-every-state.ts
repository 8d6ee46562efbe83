// A workspace whose deliveries are in every state.

import { type ClaimedDelivery, claimDeliveries } from '../../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../../src/db/commit.ts';
import { addBacklog, addDelivery, after, start } from '../database/seed.ts';
import type { TestDatabase } from '../database/test-database.ts';
import { failed, sent } from './outcomes.ts';

export function retryAt({ deliveryId, claimToken }: ClaimedDelivery, nextRetryAt: string): Outcome {
  const error = { category: 'TRANSIENT', scope: 'delivery', code: 'busy' } as const;
  return { deliveryId, claimToken, ok: false, error, nextRetryAt };
}

/** Adds deliveries in every state to the channels `news` and `pets`. Those that come in together have the same time. */
export async function addDeliveriesInEveryState(
  { admin, service }: TestDatabase,
  workspaceId: string,
): Promise<void> {
  await admin.query(
    `update outrider.channels set rate_rps = 1 where workspace_id = $1 and channel_id = 'pets'`,
    [workspaceId],
  );
  await addBacklog(admin, workspaceId, ['news'], 10);
  const held = await claimDeliveries(service, { workspaceId, runId: 'run', limit: 10 }, start);
  const outcomes = held.map((each, n) => {
    if (n < 4) return sent(each);
    if (n < 6) return retryAt(each, after(500));
    return n < 8 ? failed(each, { category: 'PERMANENT' }) : undefined;
  });
  const told = outcomes.filter((each) => each !== undefined);
  await commitOutcomes(service, workspaceId, told, after(1));
  await admin.query(
    `update outrider.deliveries set status = 'dead', next_retry_at = null, failed_at = $2, updated_at = $2
     where delivery_id = (
       select delivery_id from outrider.deliveries where workspace_id = $1 and status = 'retry' order by seq limit 1)`,
    [workspaceId, after(2)],
  );
  for (const channelId of ['news', 'pets']) {
    await addDelivery(admin, workspaceId, channelId, { status: 'deduped', occurrence: null });
    await addDelivery(admin, workspaceId, channelId, { not_before: after(3600) });
    await addDelivery(admin, workspaceId, channelId);
    await addDelivery(admin, workspaceId, channelId);
  }
  await claimDeliveries(service, { workspaceId, runId: 'run', limit: 4 }, after(3));
}
