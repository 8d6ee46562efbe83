// Walks the plan of a post: what was acknowledged before is skipped, each new part is recorded before
// the next one is sent, and the first failure ends the walk. Nothing is sent of a post that lacks media of its plan.
//
// The last part is not recorded here: the outcome, which is committed next, says the same.

import type {
  AcknowledgedPart,
  Part,
  SendError,
  SendOptions,
  SendOutcome,
  SendRequest,
} from './adapter.ts';
import { sendError } from './answer.ts';

export interface PartToSend {
  readonly part: Part;
  /** Its number in the plan, from 0. */
  readonly item: number;
  /** An earlier attempt may have sent this very part. */
  readonly mayHaveArrived: boolean;
}

export type PartOutcome =
  | { readonly ok: true; readonly providerMessageId: string }
  | { readonly ok: false; readonly error: SendError };

/** The outcome's `partsDone` are those of this walk and of earlier ones, in the plan's order. */
export async function sendParts(
  request: Pick<SendRequest, 'parts' | 'partsDone' | 'media' | 'outcomeUnknown'>,
  options: Pick<SendOptions, 'signal' | 'onPart'>,
  sendPart: (next: PartToSend) => Promise<PartOutcome>,
): Promise<SendOutcome> {
  const done = new Map(request.partsDone);
  const fail = (error: SendError): SendOutcome => ({ ok: false, error, partsDone: inOrder(done) });
  const open = [...request.parts.entries()].filter(([item]) => !done.has(item));
  const last = open.at(-1)?.[0];
  if (open.some(([, part]) => lacksMedia(part, request.media))) {
    const message = 'a part names media that the post does not have';
    return fail(sendError('unreadable_delivery', message));
  }
  let mayHaveArrived = request.outcomeUnknown;
  for (const [item, part] of open) {
    if (options.signal.aborted) return fail(sendError('aborted', 'the send was stopped'));
    const outcome = await sendPart({ part, item, mayHaveArrived });
    if (!outcome.ok) return fail(outcome.error);
    mayHaveArrived = false;
    done.set(item, outcome.providerMessageId);
    const acknowledged = { item, providerMessageId: outcome.providerMessageId };
    if (item === last || (await isRecorded(options, acknowledged))) continue;
    // A sender that takes over would send an unrecorded part again.
    return fail(sendError('progress_not_kept', 'what was sent could not be recorded'));
  }
  const partsDone = inOrder(done);
  const [first] = partsDone;
  if (first === undefined)
    return fail(sendError('unreadable_delivery', 'there is nothing to send'));
  return { ok: true, providerMessageId: first.providerMessageId, partsDone };
}

function lacksMedia(part: Part, media: readonly unknown[]): boolean {
  if (part.kind !== 'media') return false;
  return part.media.length === 0 || part.media.some((place) => media[place] === undefined);
}

function inOrder(done: ReadonlyMap<number, string>): AcknowledgedPart[] {
  return [...done]
    .map(([item, providerMessageId]) => ({ item, providerMessageId }))
    .toSorted((one, other) => one.item - other.item);
}

async function isRecorded(
  options: Pick<SendOptions, 'onPart'>,
  part: AcknowledgedPart,
): Promise<boolean> {
  try {
    await options.onPart(part);
    return true;
  } catch {
    return false;
  }
}
