// Decides about a message that may have arrived. Telegram has no key that would make a repeat harmless, and no way to
// look whether a message has arrived, so the channel's settings decide.

import type { SendError } from '../adapter.ts';
import { sendError } from '../answer.ts';
import type { Target } from './target.ts';

/** Why a part that may have arrived is not sent again; undefined when it is. */
export function heldBack({ onUnknown }: Target): SendError | undefined {
  return onUnknown === 'hold' ? held : undefined;
}

const held: SendError = sendError(
  'outcome_unknown',
  'an earlier attempt may have arrived; the channel holds such posts for an operator (on_unknown)',
  { category: 'PERMANENT' },
);

/** The error of a send. An unknown outcome becomes permanent if the channel holds such posts. */
export function afterUnknown(error: SendError, { onUnknown }: Target): SendError {
  if (error.outcome !== 'unknown' || onUnknown === 'retry') return error;
  return { ...error, category: 'PERMANENT' };
}
