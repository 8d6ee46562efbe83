// What every event carries to its consumers, whatever the broker:
//
//   { "version": 1, "eventId": "…", "occurredAt": "2026-03-02T10:00:00.000000Z", "actor": { … },
//     "data": { … } }
//
// `version` is the version of the data's shape, `eventId` the key by which a repeat is known, and `occurredAt` the time
// when it happened. `actor` is who did it, as an object of the application's own; it is absent when nobody did. `data`
// has the shape of the event's type.

import { z } from 'zod';
import { InvalidInputError } from '../errors.ts';
import { isNil } from './nil-uuid.ts';

/** Who did it: an object of the application's own, such as `{ userId, storeId }`. */
export const ActorRef = z.record(z.string(), z.unknown());

export type ActorRef = z.output<typeof ActorRef>;

/** Lets fields through that a later version may add. */
export const Envelope = z.looseObject({
  version: z.int().min(1),
  eventId: z.guid().refine((id) => !isNil(id), 'is the nil UUID, which is nobody’s id'),
  occurredAt: z.iso.datetime({ offset: true }),
  actor: ActorRef.optional(),
  data: z.unknown().refine((data) => data !== undefined, 'is missing'),
});

export type Envelope = z.output<typeof Envelope>;

/** Reads the envelope in the body of a message. */
export function readEnvelope(payload: string): Envelope {
  const parsed = Envelope.safeParse(parseJson(payload));
  if (parsed.success) return parsed.data;
  throw new InvalidInputError(`this is no event’s envelope: ${firstFault(parsed.error)}`, {
    hint: 'an envelope has version, eventId, occurredAt, data and perhaps actor',
  });
}

/** The place and the fault, without the value itself. */
export function firstFault(error: z.ZodError, root = ''): string {
  const issue = error.issues[0];
  if (issue === undefined) return 'it cannot be read';
  const path = [...(root === '' ? [] : [root]), ...issue.path].join('.');
  return path === '' ? issue.message : `${path}: ${issue.message}`;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidInputError('this is no event’s envelope: it is not JSON');
  }
}
