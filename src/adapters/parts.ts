// Walks the plan of a post: what was acknowledged before is skipped, each new part is reported before
// the next one is sent, and the first failure ends the walk.

import type {
  Part,
  PartDone,
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
  | { readonly ok: true; readonly providerMessageId: string; readonly raw: unknown }
  | { readonly ok: false; readonly error: SendError };

/** The outcome's `partsDone` are those of this walk and of earlier ones, in the plan's order. */
export async function sendParts(
  request: Pick<SendRequest, 'parts' | 'partsDone' | 'outcomeUnknown'>,
  options: Pick<SendOptions, 'signal' | 'onPart'>,
  sendPart: (next: PartToSend) => Promise<PartOutcome>,
): Promise<SendOutcome> {
  const done = new Map(request.partsDone);
  const raws: unknown[] = [];
  const fail = (error: SendError): SendOutcome => ({ ok: false, error, partsDone: inOrder(done) });
  let mayHaveArrived = request.outcomeUnknown;
  let isKept = true;
  for (const [item, part] of request.parts.entries()) {
    if (done.has(item)) continue;
    // Whoever takes over would send again what is not on record.
    if (!isKept) return fail(sendError('progress_not_kept', 'what was sent could not be recorded'));
    if (options.signal.aborted) return fail(sendError('aborted', 'the send was stopped'));
    const outcome = await sendPart({ part, item, mayHaveArrived });
    if (!outcome.ok) return fail(outcome.error);
    mayHaveArrived = false;
    done.set(item, outcome.providerMessageId);
    raws.push(outcome.raw);
    isKept = await keep(options, { item, providerMessageId: outcome.providerMessageId });
  }
  const partsDone = inOrder(done);
  const [first] = partsDone;
  if (first === undefined)
    return fail(sendError('unreadable_delivery', 'there is nothing to send'));
  return {
    ok: true,
    providerMessageId: first.providerMessageId,
    raw: raws.length === 1 ? raws[0] : raws,
    partsDone,
  };
}

function inOrder(done: ReadonlyMap<number, string>): PartDone[] {
  return [...done]
    .map(([item, providerMessageId]) => ({ item, providerMessageId }))
    .toSorted((one, other) => one.item - other.item);
}

// After the last part the outcome itself carries the record.
async function keep(options: Pick<SendOptions, 'onPart'>, part: PartDone): Promise<boolean> {
  try {
    await options.onPart(part);
    return true;
  } catch {
    return false;
  }
}
