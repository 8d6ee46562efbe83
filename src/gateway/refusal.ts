// Every way in which the gateway refuses a request. Nothing was sent then, except perhaps where the code is `internal`.

import { z } from 'zod';
import {
  DatabaseAwayError,
  DatabaseBusyError,
  InvalidInputError,
  NotAllowedError,
  NotFoundError,
  type OutriderError,
} from '../errors.ts';
import {
  bodyRefusal,
  type Refusal,
  type RefusalHead,
  refusalOf,
  serverStatusOf,
} from '../http/refusal.ts';
import { StoreAwayError } from '../media/origin-store.ts';
import { NoRoomError } from './room.ts';

/** The codes of refusals, each with its status. */
export const statusOf = {
  ...serverStatusOf,
  malformed_json: 400,
  missing_token: 401,
  wrong_token: 401,
  payload_too_large: 413,
  unsupported_media_type: 415,
  not_a_row: 422,
  no_room: 429,
  database_unavailable: 503,
  storage_unavailable: 503,
  token_unreadable: 503,
} as const;

export type RefusalCode = keyof typeof statusOf;

export const Refused = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(statusOf)).meta({ description: 'For programs; does not change.' }),
      message: z.string().meta({ description: 'For people: what is wrong, and where.' }),
      hint: z.string().optional().meta({ description: 'What to do about it.' }),
    }),
  })
  .meta({
    description: 'Why the request was refused. Nothing was sent, unless the code is internal.',
  });

export function refuse(
  code: RefusalCode,
  message: string,
  { hint, ...head }: RefusalHead & { readonly hint?: string | undefined } = {},
): Refusal {
  const words = hint === undefined ? { code, message } : { code, message, hint };
  return refusalOf(statusOf[code], words, head);
}

/** The request is no row that the route takes. */
export function notARow(message: string): Refusal {
  return refuse('not_a_row', message, {
    hint: 'send a row as the function of the database gave it; /openapi.json describes it',
  });
}

/** The refusal for a request whose handler threw. It tells nothing about our internals. */
export function refusalFor(error: unknown): Refusal {
  if (error instanceof NoRoomError) {
    return refuse('no_room', `${error.message}, so nothing was begun`, {
      hint: 'send the same request again, or give the claim back',
      retryAfterSeconds: 1,
    });
  }
  if (error instanceof DatabaseAwayError || error instanceof DatabaseBusyError) {
    return refuse('database_unavailable', 'the database does not answer, so nothing was begun', {
      hint: 'send the same request again',
      retryAfterSeconds: 5,
    });
  }
  if (error instanceof StoreAwayError) {
    return refuse('storage_unavailable', 'files cannot be kept now', {
      hint: 'send the same request again later; the log says what the operator has to do',
      retryAfterSeconds: 60,
    });
  }
  if (isOfRow(error)) return notARow(inWords(error));
  return bodyRefusal(error) ?? refuse('internal', 'something went wrong here; it has been logged');
}

/** The database does not know what the row names, or cannot read it. */
function isOfRow(error: unknown): error is OutriderError {
  return (
    error instanceof InvalidInputError ||
    error instanceof NotFoundError ||
    error instanceof NotAllowedError
  );
}

/** Quotes only our own functions: what PostgreSQL says may quote the row. */
function inWords({ sqlstate, message }: OutriderError): string {
  const isOurs = sqlstate?.startsWith('OR') === true;
  return isOurs ? message : 'a value of the row cannot be read by the database';
}
