// POST /v1/preview: says what would become of a post, with the secret and the body of /v1/ingest. It writes nothing, so
// it leaves no record and counts for no pace.

import type { FastifyReply, FastifyRequest } from 'fastify';
import { findEndpoint } from '../db/intake.ts';
import type { Queryable } from '../db/pool.ts';
import { InvalidInputError, NotAllowedError, NotFoundError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import type { Area } from '../http/server.ts';
import { createEndpointRequests, type EndpointRequest } from '../ingest/endpoint-request.ts';
import { parseExactly } from '../ingest/exact-json.ts';
import { tooLarge, unknownSecret } from '../ingest/gate.ts';
import { readPost } from '../ingest/read-post.ts';
import { type Refusal, refusalFor, refuse } from '../ingest/refusal.ts';
import type { Limits } from '../ingest/shares.ts';
import { type SignatureContext, verifySignature } from '../ingest/signature.ts';
import { wholePost } from '../ingest/whole-post.ts';
import { whyNotKept } from '../ingest/why-not-kept.ts';
import { namesLinks } from '../media/import-media.ts';
import { asDocument } from './answers.ts';
import type { Preview, PreviewRequest } from './preview.ts';

export interface PreviewAreaOptions extends SignatureContext {
  readonly client: Queryable;
}

/** Little of what the process has: whoever looks must not be in the way of those who post. */
const limits: Limits = {
  requests: 10,
  bytes: 2 * 1024 * 1024,
  allBytes: 8 * 1024 * 1024,
  calls: 1,
  turnMs: 5000,
};

const patience = { totalMs: 30_000, silenceMs: 30_000 };

export function previewArea(options: PreviewAreaOptions): Area {
  return async (app) => {
    const requests = createEndpointRequests(options.client, limits);
    app.setErrorHandler((error, _request, reply) => reply.answer(refusalFor(error), error));
    app.post('/v1/preview', async (request: FastifyRequest, reply: FastifyReply) => {
      const incoming = { raw: request.raw, response: reply.raw };
      return reply.answer(await requests.take(options, incoming, answerRequest));
    });
  };
}

async function answerRequest(
  context: PreviewAreaOptions,
  incoming: EndpointRequest,
): Promise<Answer> {
  const { client } = context;
  const { raw, secretHash } = incoming;
  const endpoint = await findEndpoint(client, { kind: 'webhook_push', secretHash });
  if (endpoint === undefined) return unknownSecret();
  const { workspaceId, endpointId, maxPayloadBytes, signingSecretRef } = endpoint;
  const body = await readBody(incoming, maxPayloadBytes, patience);
  if (!body.ok) return tooLarge(maxPayloadBytes, 'max_payload_bytes');
  const post = readPost(raw, body.bytes);
  if (!post.ok) return post.refusal;
  const signed = await verifySignature(context, raw.headers, {
    endpoint,
    signingSecretRef,
    bytes: body.bytes,
  });
  if (!signed.ok) return signed.refusal;
  const rawPost = asTaken(post.text, signingSecretRef !== null, signed.webhookId);
  const preview = await previewed(client, { workspaceId, endpointId, rawPost }).catch(refusalOf);
  if ('status' in preview) return preview;
  const facts = { workspace_id: workspaceId, endpoint_id: endpointId, verdict: preview.verdict };
  return { status: 200, body: asDocument(preview), facts };
}

/** The simulators are loaded when somebody asks for a preview: a process that only takes posts in has no use for them. */
async function previewed(client: Queryable, request: PreviewRequest): Promise<Preview> {
  const { previewPost } = await import('./preview.ts');
  return previewPost(client, request);
}

/** As it would be taken in: a repeat is known by the receipt of this very post. */
function asTaken(text: string, isSigned: boolean, webhookId: string | null): string {
  if (!isSigned && !namesLinks(parseExactly(text))) return text;
  return JSON.stringify(wholePost(text, { traceId: null, webhookId }));
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof InvalidInputError) return refuse('post_refused', whyNotKept(error));
  if (error instanceof NotFoundError) return unknownSecret();
  if (error instanceof NotAllowedError && error.sqlstate === 'OR003') {
    return refuse('workspace_disabled', 'the workspace of this secret takes nothing in');
  }
  throw error;
}
