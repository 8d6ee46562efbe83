// Every way in which a sender's request is refused.

import { z } from 'zod';
import { NoTurnError } from '../db/turns.ts';
import { DatabaseAwayError, DatabaseBusyError } from '../errors.ts';
import type { Answer } from '../http/answer.ts';
import { bodyRefusal, type RefusalHead, refusalOf, serverStatusOf } from '../http/refusal.ts';
import { StoreAwayError } from '../media/origin-store.ts';
import { OverloadedError, WorkspaceBusyError } from './shares.ts';

/** The codes of refusals, each with its status. */
export const statusOf = {
  ...serverStatusOf,
  malformed_json: 400,
  missing_secret: 401,
  unknown_secret: 401,
  workspace_disabled: 403,
  endpoint_closed: 403,
  bad_signature: 403,
  payload_too_large: 413,
  unsupported_media_type: 415,
  post_refused: 422,
  update_refused: 422,
  media_refused: 422,
  upload_refused: 422,
  rate_limited: 429,
  workspace_busy: 429,
  media_unavailable: 502,
  database_unavailable: 503,
  locked: 503,
  overloaded: 503,
  payload_unreadable: 503,
  signing_secret_unreadable: 503,
  storage_full: 503,
  storage_unavailable: 503,
  took_too_long: 503,
} as const;

export type RefusalCode = keyof typeof statusOf;

const codes = z.enum(Object.keys(statusOf));

export const Refused = z.strictObject({
  error: z.strictObject({
    code: codes.meta({ description: 'For programs; does not change.' }),
    message: z.string().meta({ description: 'For people: what is wrong, and where.' }),
    hint: z.string().optional().meta({ description: 'What to do about it.' }),
    path: z.string().optional().meta({ description: 'The place in the post: media[2].url.' }),
    max_payload_bytes: z.number().optional(),
  }),
  run_id: z.string().optional().meta({ description: 'Under which the refusal is recorded.' }),
});

export interface Refusal extends Answer {
  readonly body: z.input<typeof Refused>;
}

export interface RefusalFacts extends RefusalHead {
  readonly hint?: string | undefined;
  readonly path?: string | undefined;
  readonly maxPayloadBytes?: number | undefined;
  readonly runId?: string | null | undefined;
}

export function refuse(code: RefusalCode, message: string, facts: RefusalFacts = {}): Refusal {
  const { hint, path, maxPayloadBytes, runId, ...head } = facts;
  const error = {
    code,
    message,
    ...(hint === undefined ? {} : { hint }),
    ...(path === undefined ? {} : { path }),
    ...(maxPayloadBytes === undefined ? {} : { max_payload_bytes: maxPayloadBytes }),
  };
  return withRun(refusalOf(statusOf[code], error, head), runId);
}

/** The same refusal, with the run that it is recorded under. */
export function withRun(refusal: Refusal, runId: string | null | undefined): Refusal {
  if (runId === null || runId === undefined) return refusal;
  return {
    ...refusal,
    body: { ...refusal.body, run_id: runId },
    facts: { ...refusal.facts, run_id: runId },
  };
}

/** How long a sender is asked to wait when the database is away or busy. */
const databaseSeconds = 5;

/** The refusal for a request whose handler threw: what is away or full, but nothing about our internals. */
export function refusalFor(error: unknown): Refusal {
  if (error instanceof WorkspaceBusyError) return workspaceBusy(error.message);
  if (error instanceof NoTurnError) {
    return workspaceBusy('other requests of the workspace keep the database busy');
  }
  if (error instanceof DatabaseBusyError) return databaseBusy(error);
  if (error instanceof DatabaseAwayError) return databaseAway();
  if (error instanceof OverloadedError) {
    return refuse('overloaded', `${error.message}, so nothing was accepted`, {
      hint: 'send the same request again',
      retryAfterSeconds: 1,
    });
  }
  if (isOfFullDisk(error)) {
    return refuse('storage_full', 'there is no room for files, so nothing was accepted', {
      hint: 'send the same request again later',
      retryAfterSeconds: 60,
    });
  }
  if (error instanceof StoreAwayError) {
    return refuse('storage_unavailable', 'files cannot be kept now, so nothing was accepted', {
      hint: 'send the same request again later; the log says what the operator has to do',
      retryAfterSeconds: 60,
    });
  }
  const ofBody = bodyRefusal(error);
  if (ofBody !== undefined) return ofBody;
  return refuse('internal', 'something went wrong here; it has been logged', {
    hint: 'send the same request again; a repeat is recognised by its source_ref or its content',
  });
}

function isOfFullDisk(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOSPC' || code === 'EDQUOT';
}

function workspaceBusy(why: string): Refusal {
  return refuse('workspace_busy', `${why}, so nothing was accepted`, {
    hint: 'wait for the answers to other requests, then send it again',
    retryAfterSeconds: 1,
  });
}

function databaseBusy({ sqlstate }: DatabaseBusyError): Refusal {
  if (sqlstate === '55P03') {
    const message = 'another transaction holds what this request needs, so nothing was accepted';
    return refuse('locked', message, {
      hint: 'send the same request again; if it goes on, look for a transaction that a login of the workspace left open',
      retryAfterSeconds: 1,
    });
  }
  if (sqlstate === '57014') {
    const message = 'the database took too long over this request and broke it off';
    return refuse('took_too_long', `${message}, so nothing was accepted`, {
      hint: 'it is too much for the database as it is now: send less text or markup, or try it later',
      retryAfterSeconds: 60,
    });
  }
  return databaseAway();
}

function databaseAway(): Refusal {
  return refuse('database_unavailable', 'the database does not answer, so nothing was accepted', {
    hint: 'send the same request again; a repeat is recognised by its source_ref or its content',
    retryAfterSeconds: databaseSeconds,
  });
}
