// Wakes dispatchers, for a caller that has reason to do so many times a second.

import { wakeDispatchers } from './dispatch.ts';
import type { Queryable } from './pool.ts';

/**
 * Wakes the dispatchers of all processes: the first call goes out at once, those of the next `quietMs` share one.
 * A failure goes to `onError` and nothing is tried again: dispatchers also look for work by themselves.
 */
export function coalescedWake(
  client: Queryable,
  onError: (error: unknown) => void,
  quietMs = 10,
): () => void {
  let isQuiet = false;
  let isAsked = false;
  async function send(): Promise<void> {
    isAsked = false;
    isQuiet = true;
    const pause = new Promise<void>((resolve) => setTimeout(resolve, quietMs).unref());
    await Promise.all([wakeDispatchers(client).catch(onError), pause]);
    isQuiet = false;
    if (isAsked) void send();
  }
  return () => {
    isAsked = true;
    if (!isQuiet) void send();
  };
}
