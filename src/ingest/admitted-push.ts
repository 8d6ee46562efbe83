// The remaining steps for a post that was admitted and judged, but still has to be verified or needs its media:
// signature, media, enqueue.

import { dropRepeatedPush, type Enqueued, enqueueCopiedPost } from '../db/intake.ts';
import {
  DatabaseAwayError,
  DatabaseBusyError,
  InvalidInputError,
  NotAllowedError,
  NotFoundError,
} from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import type { Incoming } from '../http/body.ts';
import { type ImportFault, importMedia, namesLinks } from '../media/import-media.ts';
import { enqueuedAnswer } from './answers.ts';
import type { IngestContext } from './context.ts';
import { type Endpoint, recorded } from './gate.ts';
import { noted, withKept } from './kept-post.ts';
import { type Refusal, refuse } from './refusal.ts';
import { verifySignature } from './signature.ts';
import { wholePost } from './whole-post.ts';
import { whyNotKept } from './why-not-kept.ts';

export interface AdmittedPush {
  readonly endpoint: Endpoint;
  readonly signingSecretRef: string | null;
  readonly bytes: Buffer;
  readonly text: string;
  readonly traceId: string | null;
}

export async function takeAdmitted(
  context: IngestContext,
  incoming: Incoming,
  push: AdmittedPush,
): Promise<Answer> {
  const { client, fetcher, halted } = context;
  const { endpoint, text, traceId } = push;
  const { workspaceId } = endpoint;

  const signed = await verifySignature(context, incoming.raw.headers, push);
  if (!signed.ok)
    return signed.isOurs ? signed.refusal : recorded(client, endpoint, signed.refusal);

  const whole = wholePost(text, { traceId, webhookId: signed.webhookId });
  const repeat = await droppedRepeat(context, endpoint, whole);
  if (repeat !== undefined) return enqueuedAnswer(context, workspaceId, repeat);
  const signal = AbortSignal.any([halted, whenGone(incoming)]);
  const imported = await importMedia({ client, fetcher }, workspaceId, whole, signal);
  if (signal.aborted) return stopping();
  if (!imported.ok) {
    tellOfAddress(context, workspaceId, imported.fault);
    return recorded(client, endpoint, mediaRefusal(imported.fault));
  }

  const post = { ...endpoint, rawPayload: imported.post, received: whole };
  const { value: enqueued, ...times } = await noted(context, () =>
    enqueueCopiedPost(client, post).catch(refusalOf),
  );
  if ('verdict' in enqueued) {
    const answer = enqueuedAnswer(context, workspaceId, enqueued);
    return withKept(context, answer, workspaceId, enqueued, times);
  }
  return enqueued.body.error.code === 'endpoint_closed'
    ? enqueued
    : recorded(client, endpoint, enqueued);
}

/** A repeat of a post with links is dropped before they are fetched. What else may be wrong with it is found later. */
async function droppedRepeat(
  { client }: IngestContext,
  endpoint: Endpoint,
  rawPayload: object,
): Promise<Enqueued | undefined> {
  if (!namesLinks(rawPayload)) return undefined;
  try {
    return await dropRepeatedPush(client, { ...endpoint, rawPayload });
  } catch (error) {
    if (error instanceof DatabaseAwayError || error instanceof DatabaseBusyError) throw error;
    return undefined;
  }
}

/** Tells only the operator how to allow the address: a stranger need not know what could be allowed here. */
function tellOfAddress(
  { log }: IngestContext,
  workspaceId: string,
  { code, path, reason }: ImportFault,
): void {
  if (code !== 'address_refused') return;
  log.warn('media are not fetched from that address', {
    workspace_id: workspaceId,
    path,
    reason,
    hint: 'if media may come from there, list the host in OUTRIDER_MEDIA_PRIVATE_HOSTS',
  });
}

function mediaRefusal({ path, reason, transient }: ImportFault): Refusal {
  if (!transient) return refuse('media_refused', reason, { path });
  return refuse('media_unavailable', reason, {
    path,
    hint: 'nothing was accepted; send the same request again later',
    retryAfterSeconds: 30,
  });
}

function refusalOf(error: unknown): Refusal {
  if (error instanceof InvalidInputError) return refuse('post_refused', whyNotKept(error));
  // The endpoint or its workspace was closed after the request was admitted.
  const isClosed = error instanceof NotFoundError || error instanceof NotAllowedError;
  if (isClosed && error.sqlstate?.startsWith('OR') === true) {
    return refuse('endpoint_closed', 'the endpoint was closed while the post was taken in');
  }
  throw error;
}

function stopping(): Refusal {
  return refuse('stopping', 'the server is stopping, so nothing was accepted', {
    hint: 'send the same request again',
    retryAfterSeconds: 1,
  });
}

/** Aborted when nobody waits for the answer any more. */
function whenGone({ response }: Incoming): AbortSignal {
  const controller = new AbortController();
  response.once('close', () => controller.abort());
  return controller.signal;
}
