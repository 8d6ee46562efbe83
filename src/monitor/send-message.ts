// Carries a notification to its target, and returns the outcome as a commit records it.

import type { ClaimedNotification, NotificationOutcome } from '../db/monitor.ts';
import type { Tell, Told } from './targets/target.ts';

const tellMs = 60_000;
const longestErrorLength = 1000;
const dayMs = 86_400_000;

/** Ends within a minute, whatever the target does. */
export async function sendMessage(
  tell: Tell,
  claimed: ClaimedNotification,
  stop: AbortSignal,
): Promise<NotificationOutcome> {
  const { workspaceId, notificationId, claimToken } = claimed;
  const signal = AbortSignal.any([stop, AbortSignal.timeout(tellMs)]);
  const told = await tell({ ...claimed, id: notificationId }, signal);
  return { workspaceId, notificationId, claimToken, ...outcomeOf(told) };
}

function outcomeOf(told: Told): Pick<NotificationOutcome, 'error' | 'retryAfter' | 'leftToOthers'> {
  if (told.ok) return { error: null, retryAfter: null, leftToOthers: false };
  const { reason, retryAfterMs, othersMay = false } = told;
  return {
    error: reason.slice(0, longestErrorLength) || 'no reason was given',
    retryAfter: retryAfterMs === undefined ? null : `${Math.min(retryAfterMs, dayMs)} milliseconds`,
    leftToOthers: othersMay,
  };
}
