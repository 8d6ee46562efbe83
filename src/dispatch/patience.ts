// How long a claimed delivery may wait for a call to end before it is begun.

import type { ClaimedDelivery } from '../db/claim.ts';

/** A slot is a time of a platform's pace, which has room for calls that are a fifth of a second late. */
export const pacedMs = 200;

/** Nobody counts the calls; but another process may have a free one. */
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
