// Remembers which workspace a secret belongs to, so the database is asked once. Unknown secrets are looked up a few at a
// time: strangers take no connection from known senders.

import { type EndpointKind, findEndpoint } from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import { type TurnOptions, takingTurns } from '../db/turns.ts';

export interface KnownEndpoints {
  /** Undefined when no enabled endpoint has the secret. */
  workspaceOf(secretHash: string): Promise<string | undefined>;
  /** The secret is no longer valid: the next request with it is looked up again. */
  forget(secretHash: string): void;
}

export function createKnownEndpoints(
  client: Queryable,
  turns: TurnOptions,
  kind: EndpointKind = 'webhook_push',
): KnownEndpoints {
  const asking = takingTurns(client, turns);
  const known = new Map<string, string>();
  return {
    async workspaceOf(secretHash) {
      const before = known.get(secretHash);
      if (before !== undefined) return before;
      const found = await findEndpoint(asking, { kind, secretHash });
      if (found !== undefined) known.set(secretHash, found.workspaceId);
      return found?.workspaceId;
    },
    forget: (secretHash) => void known.delete(secretHash),
  };
}
