// Requests to endpoints. We know whose request it is before we read a byte of its body, and count what it uses for its
// workspace.

import type { IncomingHttpHeaders } from 'node:http';
import type { EndpointKind } from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import type { Answer } from '../http/answer.ts';
import type { ByteHolder, Incoming } from '../http/body.ts';
import { missingSecret, unknownSecret } from './gate.ts';
import { createKnownEndpoints } from './known-endpoints.ts';
import type { Refusal } from './refusal.ts';
import { secretHashOf } from './secret.ts';
import { createShares, type Limits } from './shares.ts';

export interface EndpointRequest extends Incoming, ByteHolder {
  readonly secretHash: string;
  readonly workspaceId: string;
}

/** Handles one kind of request. The context has the connections of the request's workspace. */
export type Take<Context> = (context: Context, request: EndpointRequest) => Promise<Answer>;

export interface EndpointRequests {
  take<Context extends { readonly client: Queryable }>(
    context: Context,
    incoming: Incoming,
    how: Take<Context>,
  ): Promise<Answer>;
}

/** Which endpoints the requests are for, and how they carry the secret. */
export interface Credentials {
  readonly kind: EndpointKind;
  secretHashOf(headers: IncomingHttpHeaders): string | undefined;
  missingSecret(): Refusal;
}

const ofPosts: Credentials = { kind: 'webhook_push', secretHashOf, missingSecret };

export function createEndpointRequests(
  client: Queryable,
  limits: Limits,
  credentials: Credentials = ofPosts,
): EndpointRequests {
  const { calls: atOnce, turnMs: waitMs } = limits;
  const endpoints = createKnownEndpoints(client, { atOnce, waitMs }, credentials.kind);
  const shares = createShares(client, limits);
  return {
    async take(context, incoming, how) {
      const secretHash = credentials.secretHashOf(incoming.raw.headers);
      if (secretHash === undefined) return credentials.missingSecret();
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
