// Requests to endpoints. We know whose request it is before we read a byte of its body, and count what it uses for its
// workspace.

import type { Queryable } from '../db/pool.ts';
import type { Answer } from '../http/answer.ts';
import type { ByteHolder, Incoming } from '../http/body.ts';
import type { IngestContext } from './context.ts';
import { missingSecret, unknownSecret } from './gate.ts';
import { createKnownEndpoints } from './known-endpoints.ts';
import { secretHashOf } from './secret.ts';
import { createShares, type Limits } from './shares.ts';

export interface EndpointRequest extends Incoming, ByteHolder {
  readonly secretHash: string;
  readonly workspaceId: string;
}

/** Handles one kind of request. The context has the connections of the request's workspace. */
export type Take = (context: IngestContext, request: EndpointRequest) => Promise<Answer>;

export interface EndpointRequests {
  take(context: IngestContext, incoming: Incoming, how: Take): Promise<Answer>;
}

export function createEndpointRequests(client: Queryable, limits: Limits): EndpointRequests {
  const { calls: atOnce, turnMs: waitMs } = limits;
  const endpoints = createKnownEndpoints(client, { atOnce, waitMs });
  const shares = createShares(client, limits);
  return {
    async take(context, incoming, how) {
      const secretHash = secretHashOf(incoming.raw.headers);
      if (secretHash === undefined) return missingSecret();
      const workspaceId = await endpoints.workspaceOf(secretHash);
      if (workspaceId === undefined) return unknownSecret();
      const answer = await shares.within(workspaceId, (share) => {
        const { client: own, holdBytes } = share;
        const request = { ...incoming, secretHash, workspaceId, holdBytes };
        return how({ ...context, client: own }, request);
      });
      if (answer.status === 401) endpoints.forget(secretHash);
      return answer;
    },
  };
}
