// POST /v1/bot/<platform>: what a platform calls when somebody has written to a bot.
//
// The update is recorded, then the request is answered, and the bot's turn follows. If the process dies in between, the
// turn is done by whoever looks for updates without one (see leftovers.ts). If it dies before the answer, the platform
// sends the update again, and it is known by its id.

import { randomUUID } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { z } from 'zod';
import { parseJson } from '../adapters/answer.ts';
import { type BotUpdate, type TakenUpdate, takeBotUpdate } from '../db/bot.ts';
import type { Queryable } from '../db/pool.ts';
import { InvalidInputError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import type { Area } from '../http/server.ts';
import { traceIdOf } from '../http/trace.ts';
import type { Heard } from '../ingest/answers.ts';
import {
  type Credentials,
  createEndpointRequests,
  type EndpointRequest,
} from '../ingest/endpoint-request.ts';
import { admit, type Endpoint, refuseAtGate, tooLarge } from '../ingest/gate.ts';
import { type Refusal, refusalFor, refuse } from '../ingest/refusal.ts';
import { hashOfSecret } from '../ingest/secret.ts';
import type { Limits } from '../ingest/shares.ts';
import { createInOrder, type InOrder } from './in-order.ts';
import type { BotPlatform } from './platform.ts';
import { botPlatforms } from './platforms.ts';
import type { Turns } from './turns.ts';

export interface BotAreaOptions {
  readonly client: Queryable;
  readonly limits: Limits;
  /** Does the turns of updates that were recorded. */
  readonly turns: Turns;
  readonly patience?: BodyPatience | undefined;
}

interface BodyPatience {
  /** For the whole body. */
  readonly totalMs: number;
  /** The longest silence within it. */
  readonly silenceMs: number;
}

/** What the database takes at most; an endpoint may take less. */
const maxBytes = 1024 * 1024;
const usual: BodyPatience = { totalMs: 30_000, silenceMs: 30_000 };
const kind = 'bot_webhook';

export function botArea(options: BotAreaOptions): Area {
  return async (app) => {
    app.setErrorHandler((error, _request, reply) => reply.answer(refusalFor(error), error));
    for (const platform of botPlatforms) {
      const requests = createEndpointRequests(options.client, options.limits, secretIn(platform));
      const context = { ...options, platform, inOrder: createInOrder() };
      app.post(`/v1/bot/${platform.name}`, async (request, reply) => {
        const incoming = { raw: request.raw, response: reply.raw };
        return reply.answer(await requests.take(context, incoming, takeRequest));
      });
    }
  };
}

function secretIn({ secretHeader }: BotPlatform): Credentials {
  return {
    kind,
    secretHashOf(headers: IncomingHttpHeaders) {
      const secret = headers[secretHeader];
      return typeof secret === 'string' && secret !== '' ? hashOfSecret(secret) : undefined;
    },
    missingSecret: () =>
      refuse('missing_secret', 'the request carries no secret', {
        hint: `the platform sends the secret of its webhook as ${secretHeader}; outrider bot subscribe gives it one`,
      }),
  };
}

interface TakeContext extends BotAreaOptions {
  readonly platform: BotPlatform;
  readonly inOrder: InOrder;
}

async function takeRequest(context: TakeContext, incoming: EndpointRequest): Promise<Answer> {
  const { client, platform, inOrder, patience = usual } = context;
  const { secretHash } = incoming;
  const body = await readBody(incoming, maxBytes, patience);
  const sizeBytes = body.ok ? body.bytes.byteLength : body.sizeBytes;
  const gate = { kind, secretHash, sizeBytes } as const;
  if (!body.ok) {
    return refuseAtGate(client, gate, tooLarge(maxBytes, 'the most that an update may have'));
  }
  const json = parseJson(body.bytes.toString('utf8'));
  if (json === undefined) return refuseAtGate(client, gate, notJson());
  const read = platform.readUpdate(json);
  if (read.kind === 'unreadable') return refuseAtGate(client, gate, unreadable(read.why));
  if (read.kind === 'ignored') {
    const admitted = await admit(client, gate);
    if (!admitted.ok) return admitted.refusal;
    return heard({ verdict: 'ignored', note: read.why }, admitted.endpoint);
  }
  const { update } = read;
  const traceId = traceIdOf(incoming.raw.headers) ?? randomUUID();
  // MAX calls us for the next message of a chat before we have answered for the one before it.
  return inOrder(`${secretHash} ${update.chatId}`, async () => {
    const admitted = await admit(client, gate);
    if (!admitted.ok) return admitted.refusal;
    return takeUpdate(context, admitted.endpoint, { update, traceId });
  });
}

async function takeUpdate(
  { client, platform, turns }: TakeContext,
  endpoint: Endpoint,
  given: { readonly update: BotUpdate; readonly traceId: string },
): Promise<Answer> {
  const provider = platform.name;
  let taken: TakenUpdate;
  try {
    taken = await takeBotUpdate(client, { ...endpoint, provider, ...given });
  } catch (error) {
    if (error instanceof InvalidInputError) return unreadable(error.message);
    throw error;
  }
  const { verdict, chatId, providerMessageId, note } = taken;
  const { workspaceId } = endpoint;
  if (verdict === 'taken') turns.add({ workspaceId, provider, chatId, providerMessageId });
  return heard({ verdict, ...(note === null ? {} : { note }) }, endpoint, given.traceId);
}

function heard(
  body: z.input<typeof Heard>,
  { workspaceId: workspace_id, endpointId: endpoint_id }: Endpoint,
  trace_id?: string,
): Answer {
  const facts = { workspace_id, endpoint_id, trace_id, verdict: body.verdict };
  return { status: 200, body, facts };
}

function notJson(): Refusal {
  return refuse('malformed_json', 'the body is not JSON');
}

function unreadable(why: string): Refusal {
  return refuse('update_refused', `the update cannot be read: ${why}`);
}
