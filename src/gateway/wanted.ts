// A send whose caller has gone: it does not begin, but once it has begun it goes on. To break it off would make an unknown
// outcome of a known one, and the caller may come back for it.

import type { IsWanted } from './sends.ts';

/** What the transport asks right before the first byte of every call. */
export function whileWanted(holds: () => boolean, isWanted: IsWanted): () => boolean {
  let hasBegun = false;
  return () => {
    if (!holds()) return false;
    hasBegun ||= isWanted();
    return hasBegun;
  };
}
