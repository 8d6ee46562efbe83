// How long a claimed delivery may wait for a call to end before it is begun.

import type { ClaimedDelivery } from '../db/claim.ts';

/** With a pace, a delivery has a slot. The pace of a platform leaves room for calls that are 200 ms late. */
export const pacedMs = 200;

/** Without a pace nobody counts the calls, but another process may be free to make one. */
const unpacedMs = 2000;

/** The patience of the deliveries of one claim. */
export function patienceOf(
  claimed: readonly ClaimedDelivery[],
): (delivery: ClaimedDelivery) => number {
  const slots = new Map<string, string>();
  const unpaced = new Set<string>();
  for (const { channel, notBefore } of claimed) {
    // Neither a channel nor a group with a pace gives the same slot twice.
    if (slots.get(channel.channelId) === notBefore) unpaced.add(channel.channelId);
    slots.set(channel.channelId, notBefore);
  }
  return ({ channel }) => (unpaced.has(channel.channelId) ? unpacedMs : pacedMs);
}
