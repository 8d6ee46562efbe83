// Finds out whether an attempt with an unknown outcome has arrived. For about an hour VK knows a post by its guid, and
// repeating is safe. After that we read the wall itself, if the token may read it.

import type { SendError } from '../adapter.ts';
import { asRead, sendError } from '../answer.ts';
import type { Caller } from '../caller.ts';
import { deliveryTime } from '../delivery-time.ts';
import type { Answer, VkApi } from './api.ts';
import type { Target } from './target.ts';
import { findPost } from './wall-posts.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** A little less than VK's hour. */
const guidMs = 55 * minuteMs;

export interface EarlierAttempt {
  readonly deliveryId: string;
  readonly text: string;
  /** The names of all photos of the post, if all were uploaded before; otherwise none. */
  readonly photos: readonly string[];
}

export type Finding =
  | { readonly kind: 'arrived'; readonly postId: number }
  /** As far as can be told, repeating makes no second post. */
  | { readonly kind: 'repeat' }
  | { readonly kind: 'wait'; readonly error: SendError };

export async function findEarlier(
  api: VkApi,
  caller: Caller,
  wall: Target,
  attempt: EarlierAttempt,
): Promise<Finding> {
  const now = api.options.now().getTime();
  const madeAt = deliveryTime(attempt.deliveryId)?.getTime();
  const hasGuid = madeAt !== undefined && now - madeAt < guidMs;
  if (hasGuid && wall.onUnknown !== 'look') return { kind: 'repeat' };
  // The clocks of VK and ours may differ by a little.
  const since = new Date((madeAt ?? now - dayMs) - minuteMs);
  const found = await findPost(api, caller, wall, { ...attempt, since });
  if (found.ok) {
    if (found.value === undefined) return { kind: 'repeat' };
    return { kind: 'arrived', postId: found.value.id };
  }
  if (hasGuid) return { kind: 'repeat' };
  if (found.error.category === 'TRANSIENT') return { kind: 'wait', error: later(found) };
  if (wall.onUnknown !== 'hold') return { kind: 'repeat' };
  const words = 'an earlier attempt may have arrived, and the token may not read the wall to see';
  const error = sendError('outcome_unknown', words, { category: 'PERMANENT' });
  return { kind: 'wait', error };
}

/** A used-up quota for reading is no reason to stop posting, and a read without an answer leaves nothing behind. */
function later({ error, said }: Extract<Answer<unknown>, { ok: false }>): SendError {
  return said === 29 ? { ...error, scope: 'delivery' } : asRead(error);
}
