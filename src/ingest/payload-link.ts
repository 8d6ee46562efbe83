// GET /v1/payloads/<token>: a raw payload, for whoever has been given the link to it, while it is good.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { openPayloadLink } from '../db/payloads.ts';
import type { Queryable } from '../db/pool.ts';
import { takingTurns } from '../db/turns.ts';
import { DatabaseAwayError, DatabaseBusyError, NotFoundError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import type { Area } from '../http/server.ts';
import type { PayloadStore } from '../payloads/payload-store.ts';
import { type Refusal, refuse } from './refusal.ts';

export interface PayloadLinks {
  readonly client: Queryable;
  /** Undefined: this process has no key. */
  readonly store: PayloadStore | undefined;
}

const Parameters = z.object({ token: z.string() });
/** The workspace, and the token that was made for the link. */
const token = /^([A-Za-z0-9][A-Za-z0-9_.-]{0,63})\.([0-9a-f]{64})$/;
/** Whoever guesses tokens takes no connection from those who post. */
const turns = { atOnce: 1, waitMs: 5000 };

export function payloadArea({ client, store }: PayloadLinks): Area {
  const asking = takingTurns(client, turns);
  return async (app) => {
    app.setErrorHandler((error, _request, reply) => reply.answer(refusalFor(error), error));
    app.get('/v1/payloads/:token', async (request, reply) => {
      const [, workspaceId, secret] = token.exec(Parameters.parse(request.params).token) ?? [];
      if (workspaceId === undefined || secret === undefined) return reply.answer(gone());
      return reply.answer(await opened({ client: asking, store }, workspaceId, secret));
    });
  };
}

async function opened(
  { client, store }: PayloadLinks,
  workspaceId: string,
  secret: string,
): Promise<Answer> {
  if (store === undefined) return unreadable('no key is configured here');
  const tokenHash = createHash('sha256').update(secret).digest('hex');
  const found = await openPayloadLink(client, { workspaceId, tokenHash });
  if (found === undefined) return gone();
  const { payloadRef, objectUrl } = found;
  const object = await store.open({ workspaceId, payloadRef }, objectUrl);
  if (object === undefined) return gone();
  if (!object.ok) {
    return unreadable(
      object.fault === 'no_key'
        ? `its key (${object.keyId}) is not in the list any more`
        : 'it is damaged',
    );
  }
  return {
    status: 200,
    body: object.bytes,
    headers: {
      'content-type': 'application/octet-stream',
      'content-disposition': `attachment; filename="${payloadRef}.http"`,
    },
    facts: { workspace_id: workspaceId, payload_ref: payloadRef },
  };
}

function gone(): Refusal {
  return refuse('not_found', 'this link leads nowhere: it has expired, or the payload has', {
    hint: 'outrider payload link makes another one',
  });
}

function unreadable(why: string): Refusal {
  return refuse('payload_unreadable', `the payload cannot be decrypted: ${why}`, {
    hint: 'OUTRIDER_PAYLOAD_KEY_REF of this process names the keys',
  });
}

function refusalFor(error: unknown): Refusal {
  if (error instanceof NotFoundError) return gone();
  if (error instanceof DatabaseAwayError || error instanceof DatabaseBusyError) {
    return refuse('database_unavailable', 'the database does not answer', { retryAfterSeconds: 5 });
  }
  return refuse('internal', 'something went wrong here; it has been logged');
}
