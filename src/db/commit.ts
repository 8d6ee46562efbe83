// Records what became of sends.

import { z } from 'zod';
import { at, callForRow, callFunction, json } from './call.ts';
import { type AcknowledgedPart, partAsJson } from './claim.ts';
import { exactTime } from './columns.ts';
import type { Queryable } from './pool.ts';

/** Why a send failed, from the adapter to the record. */
export interface SendError<Code extends string = string> {
  readonly category: 'TRANSIENT' | 'PERMANENT';
  readonly scope: 'delivery' | 'channel' | 'platform';
  readonly code: Code;
  /** What is known of the post: it was refused, it was not sent, or it may have arrived. */
  readonly outcome: 'refused' | 'not_sent' | 'unknown';
  /** What the queue acts upon; missing when the post or the chat is at fault. */
  readonly cause?: ErrorCause | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly message: string;
  /** What to do about a refused credential, if it is not to replace the token. */
  readonly remedy?: string | undefined;
  readonly raw?: unknown;
}

export type ErrorCause =
  /** We were too fast, or a quota is used up. */
  | 'pace'
  /** The platform refuses the credential, whichever post is sent with it. */
  | 'credential'
  /** The platform could not be reached, or gave no usable answer. */
  | 'outage'
  /** An upload is still being processed. */
  | 'not_ready'
  /** The sender itself: it was told to stop, or its media store is away. */
  | 'sender';

/** An error as any program may give it. Without `outcome`, the code says what is known (docs/sending.md). */
export type GivenError = Pick<SendError, 'category' | 'scope' | 'code'> & {
  readonly [Field in keyof SendError]?: SendError[Field] | undefined;
};

interface Held {
  readonly deliveryId: string;
  readonly claimToken: string;
  readonly parts?: readonly AcknowledgedPart[] | undefined;
  /** Where the raw answer is kept; the event carries it. */
  readonly payloadRef?: string | undefined;
}

export interface Sent extends Held {
  readonly ok: true;
  readonly providerMessageId: string;
  readonly sentAt?: string | undefined;
  readonly meta?: unknown;
}

export interface Failed extends Held {
  readonly ok: false;
  readonly error: GivenError;
  /** A lower bound; the retry policy may choose a later time. */
  readonly nextRetryAt?: string | undefined;
}

export type Outcome = Sent | Failed;

const Verdict = z
  .object({
    delivery_id: z.string(),
    became: z.enum(['sent', 'retry', 'failed_permanent', 'dead']).nullable(),
    next_retry_at: exactTime.nullable(),
    note: z.string().nullable(),
  })
  .transform((row) => ({
    deliveryId: row.delivery_id,
    became: row.became,
    nextRetryAt: row.next_retry_at,
    note: row.note,
  }));

/** `became` is null when the commit was stale; `note` says why. */
export type Verdict = z.output<typeof Verdict>;

/** Records many outcomes at once; one verdict for each. */
export async function commitOutcomes(
  client: Queryable,
  workspaceId: string,
  outcomes: readonly Outcome[],
  now?: string,
): Promise<Verdict[]> {
  return callFunction(client, {
    name: 'commit_outcomes',
    args: at(now, [workspaceId, json(outcomes.map(outcomeAsJson))]),
    row: Verdict,
  });
}

/** Successes with nothing to record but the provider's ids. The lists are parallel: entry n of each is one delivery. */
export interface PlainSent {
  readonly deliveryIds: readonly string[];
  readonly claimTokens: readonly string[];
  readonly providerMessageIds: readonly string[];
}

const Stale = z
  .object({ delivery_id: z.string(), note: z.string() })
  .transform((row) => ({ deliveryId: row.delivery_id, note: row.note }));

/** An outcome that was not recorded, and why. */
export type Stale = z.output<typeof Stale>;

/** Records many plain successes at once; answers only with those that were stale. */
export async function commitSent(
  client: Queryable,
  workspaceId: string,
  sent: PlainSent,
  now?: string,
): Promise<Stale[]> {
  const { deliveryIds, claimTokens, providerMessageIds } = sent;
  return callFunction(client, {
    name: 'commit_sent',
    args: at(now, [workspaceId, deliveryIds, claimTokens, providerMessageIds]),
    row: Stale,
  });
}

interface OneDelivery {
  readonly workspaceId: string;
  readonly deliveryId: string;
  readonly claimToken: string;
}

export async function markSent(
  client: Queryable,
  delivery: OneDelivery,
  sent: { providerMessageId: string; sentAt?: string | undefined; rawMeta?: unknown },
  now?: string,
): Promise<Verdict> {
  return callForRow(client, {
    name: 'mark_sent',
    args: at(now, [
      delivery.workspaceId,
      delivery.deliveryId,
      sent.providerMessageId,
      sent.sentAt ?? null,
      sent.rawMeta === undefined ? null : json(sent.rawMeta),
      delivery.claimToken,
    ]),
    row: Verdict,
  });
}

export async function scheduleRetry(
  client: Queryable,
  delivery: OneDelivery,
  failure: { error: GivenError; nextRetryAt?: string | undefined },
  now?: string,
): Promise<Verdict> {
  return callForRow(client, {
    name: 'schedule_retry',
    args: at(now, [
      delivery.workspaceId,
      delivery.deliveryId,
      failure.nextRetryAt ?? null,
      json(errorAsJson(failure.error)),
      delivery.claimToken,
    ]),
    row: Verdict,
  });
}

export async function failPermanent(
  client: Queryable,
  delivery: OneDelivery,
  error: GivenError,
  now?: string,
): Promise<Verdict> {
  return callForRow(client, {
    name: 'fail_permanent',
    args: at(now, [
      delivery.workspaceId,
      delivery.deliveryId,
      json(errorAsJson(error)),
      delivery.claimToken,
    ]),
    row: Verdict,
  });
}

/** An outcome as commit_outcomes takes it. JSON leaves undefined fields out. */
export function outcomeAsJson(outcome: Outcome): object {
  const held = {
    delivery_id: outcome.deliveryId,
    claim_token: outcome.claimToken,
    ok: outcome.ok,
    parts: outcome.parts?.length ? outcome.parts.map(partAsJson) : undefined,
    payload_ref: outcome.payloadRef,
  };
  if (!outcome.ok) {
    return { ...held, error: errorAsJson(outcome.error), next_retry_at: outcome.nextRetryAt };
  }
  return {
    ...held,
    provider_message_id: outcome.providerMessageId,
    sent_at: outcome.sentAt,
    meta: outcome.meta,
  };
}

export function errorAsJson(error: GivenError): object {
  const { retryAfterMs, ...rest } = error;
  return { ...rest, retry_after_ms: retryAfterMs };
}
