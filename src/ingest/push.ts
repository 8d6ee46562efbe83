// POST /v1/ingest: takes a post in.
//
// A post that needs nothing else is admitted, judged and enqueued by one call of the database. If a sender of this
// process has room, that call also claims what may be sent at once. A post that has to be verified, or whose media
// have to be copied, is admitted and judged by that call, and enqueued by another (see admitted-push.ts). Nothing is
// answered with 2xx before it is committed.

import { setImmediate } from 'node:timers/promises';
import { ingestPush, type Pushed } from '../db/intake.ts';
import { InvalidInputError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { readBody } from '../http/body.ts';
import { traceIdOf } from '../http/trace.ts';
import { takeAdmitted } from './admitted-push.ts';
import { enqueuedAnswer } from './answers.ts';
import type { IngestContext } from './context.ts';
import type { EndpointRequest } from './endpoint-request.ts';
import { refuseAtGate, tooLarge, verdictOf } from './gate.ts';
import { noted, withKept } from './kept-post.ts';
import { keepRequest } from './kept-request.ts';
import { readPost } from './read-post.ts';
import { refuse } from './refusal.ts';
import { whyNotKept } from './why-not-kept.ts';

/** What the database takes at most; an endpoint may take less. */
const maxPostBytes = 1024 * 1024;

export async function takePush(context: IngestContext, incoming: EndpointRequest): Promise<Answer> {
  const { client, patience } = context;
  const { secretHash } = incoming;
  const { postMs: totalMs, silenceMs } = patience;
  const body = await readBody(incoming, maxPostBytes, { totalMs, silenceMs });
  if (!body.ok) {
    const { sizeBytes } = body;
    const refusal = tooLarge(maxPostBytes, 'the most that a post may have');
    return refuseAtGate(client, { secretHash, sizeBytes }, refusal);
  }
  const answer = await takeBody(context, incoming, body.bytes);
  keepRequest(context, incoming, body.bytes, answer);
  return answer;
}

async function takeBody(
  context: IngestContext,
  incoming: EndpointRequest,
  bytes: Buffer,
): Promise<Answer> {
  const { client } = context;
  const { raw, secretHash, workspaceId } = incoming;
  const request = { secretHash, sizeBytes: bytes.byteLength };
  const post = readPost(raw, bytes);
  if (!post.ok) return refuseAtGate(client, request, post.refusal);

  const { text } = post;
  const traceId = traceIdOf(raw.headers) ?? null;
  const { value: pushed, ...times } = await noted(context, () =>
    push(context, workspaceId, { ...request, rawPayload: text, traceId }),
  );
  if (pushed instanceof InvalidInputError) {
    return refuseAtGate(client, request, refuse('post_refused', whyNotKept(pushed)));
  }
  const { verdict, enqueued, claimed, signingSecretRef } = pushed;
  if (verdict === 'taken' && enqueued !== null) {
    // The claimed sends write their requests in the next turns of the event loop; the answer can wait for that.
    if (claimed.length > 0) await setImmediate().then(() => setImmediate());
    const own = pushed.workspaceId ?? workspaceId;
    const answer = enqueuedAnswer(context, own, enqueued, claimed.length);
    return withKept(context, answer, own, enqueued, times);
  }
  if (verdict === 'taken' || verdict === 'rejected') {
    return refuse('post_refused', pushed.reason ?? '', { runId: pushed.runId });
  }
  const admitted = verdictOf({ ...pushed, verdict });
  if (!admitted.ok) return admitted.refusal;
  const { endpoint } = admitted;
  return takeAdmitted(context, incoming, { endpoint, signingSecretRef, bytes, text, traceId });
}

async function push(
  context: IngestContext,
  workspaceId: string,
  request: Parameters<typeof ingestPush>[1],
): Promise<Pushed | InvalidInputError> {
  const own = context.claimer(workspaceId);
  let pushed: Pushed | InvalidInputError | undefined;
  try {
    pushed = await ingestPush(context.client, { ...request, claimer: own?.runId }).catch(misfit);
    return pushed;
  } finally {
    own?.take(pushed === undefined || pushed instanceof InvalidInputError ? [] : pushed.claimed);
  }
}

/** If PostgreSQL cannot hold the JSON, the sender is at fault. Any other error is ours. */
function misfit(error: unknown): InvalidInputError {
  if (error instanceof InvalidInputError && error.sqlstate?.startsWith('OR') === false)
    return error;
  throw error;
}
