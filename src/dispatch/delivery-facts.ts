import type { ClaimedDelivery } from '../db/claim.ts';

/** What a line of the log says about a delivery, so that it can be found. */
export function deliveryFacts(workspaceId: string, delivery: ClaimedDelivery) {
  return {
    workspace_id: workspaceId,
    channel_id: delivery.channel.channelId,
    delivery_id: delivery.deliveryId,
    trace_id: delivery.traceId,
    attempt: delivery.attempt,
  };
}
