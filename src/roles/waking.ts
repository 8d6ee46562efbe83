// Tells dispatchers and repliers that something may be due.

import { coalescedWake } from '../db/coalesced-wake.ts';
import type { Queryable } from '../db/pool.ts';
import type { Ground } from './ground.ts';

/**
 * Wakes the dispatcher of this process. If there is none, or it cannot take the work now, wakes those of all processes.
 */
export function wakeOver(client: Queryable, ground: Ground): (workspaceId?: string) => void {
  const wakeOthers = coalescedWake(client, (error) => {
    ground.log.warn('dispatchers could not be woken; they look by themselves', {
      error: String(error),
    });
  });
  return (workspaceId) => {
    if (ground.dispatcher?.wake(workspaceId) !== true) wakeOthers();
  };
}

/** The same for the replies of bots. */
export function wakeReplierOver(client: Queryable, ground: Ground): () => void {
  const wakeOthers = coalescedWake(client, (error) => {
    ground.log.warn('repliers could not be woken; they look by themselves', {
      error: String(error),
    });
  });
  return () => {
    if (ground.replier?.wake() !== true) wakeOthers();
  };
}
