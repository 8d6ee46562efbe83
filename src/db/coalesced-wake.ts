// Telling dispatchers that there is work, for a sender of many.

import { wakeDispatchers } from './dispatch.ts';
import type { Queryable } from './pool.ts';

/**
 * Wakes the dispatchers of all processes: the first call goes out at once, those of the next moments share one.
 * A failure is told to `onError` and forgotten; dispatchers look by themselves as well.
 */
export function coalescedWake(
  client: Queryable,
  onError: (error: unknown) => void,
  quietMs = 10,
): () => void {
  let isResting = false;
  let isAsked = false;
  async function send(): Promise<void> {
    isAsked = false;
    isResting = true;
    const rest = new Promise<void>((resolve) => setTimeout(resolve, quietMs).unref());
    await Promise.all([wakeDispatchers(client).catch(onError), rest]);
    isResting = false;
    if (isAsked) void send();
  }
  return () => {
    isAsked = true;
    if (!isResting) void send();
  };
}
