// Decides about a part that may have arrived: reads the chat and goes by what it shows.

import type { SendMedia, SendRequest } from '../adapter.ts';
import { sendError } from '../answer.ts';
import { deliveryTime } from '../delivery-time.ts';
import type { PartOutcome, PartToSend } from '../parts.ts';
import type { Api } from './api.ts';
import { lookFor } from './read-back.ts';
import type { Target } from './target.ts';

/** The clocks of MAX and ours may differ. */
const skewMs = 2 * 60_000;

interface Doubtful {
  readonly request: SendRequest;
  readonly target: Target;
  /** How far back we look for a message of an earlier attempt. */
  readonly lookBackMs: number;
  readonly next: PartToSend;
  /** The media of the part. */
  readonly media: readonly SendMedia[];
}

/** The outcome of the part, if it is settled; undefined when the part is to be sent. */
export async function reconcile(
  api: Api,
  { request, target, lookBackMs, next, media }: Doubtful,
): Promise<PartOutcome | undefined> {
  const { recipient, onUnknown } = target;
  const madeAt = deliveryTime(request.deliveryId)?.getTime() ?? 0;
  const since = new Date(Math.max(madeAt - skewMs, api.now().getTime() - lookBackMs));
  const { part, item } = next;
  const finding = await lookFor(api, { request, part, item, media, recipient, since });
  switch (finding.kind) {
    case 'found':
      return { ok: true, providerMessageId: finding.mid };
    case 'failed':
      return { ok: false, error: finding.error };
    case 'unreadable':
      return onUnknown === 'hold' ? held('the chat cannot be read') : undefined;
    case 'unclear':
      return onUnknown === 'retry' ? undefined : held(finding.reason);
    case 'absent':
      break;
  }
  return undefined;
}

/** Leaves the part to an operator, who can see the chat. */
function held(reason: string): PartOutcome {
  const words = `an earlier attempt may have arrived, and ${reason}`;
  return { ok: false, error: sendError('outcome_unknown', words, { category: 'PERMANENT' }) };
}
