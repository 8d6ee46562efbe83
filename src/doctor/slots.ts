// The doctor's calls to a platform. Each takes a slot of its rate group, as every call with that credential does, and has
// so long for its answer, counted from its slot.

import type { BeforeCall, SendError } from '../adapters/adapter.ts';
import { sendError } from '../adapters/answer.ts';
import { takeGroupSlot } from '../db/claim.ts';
import type { Queryable } from '../db/pool.ts';
import { toTheSecond } from '../times.ts';

export interface SlotsOptions {
  readonly client: Queryable;
  readonly patienceMs: number;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
}

interface Group {
  readonly workspaceId: string;
  readonly platform: string;
  readonly rateGroup: string;
}

/** What calls are made with. */
interface Calling {
  readonly signal: AbortSignal;
  readonly beforeCall: BeforeCall;
}

interface Failed {
  readonly ok: false;
  readonly error: SendError;
}

/** Asks a platform. No answer in time is an error like any other. */
export async function askPaced<Answer extends { readonly ok: boolean }>(
  options: SlotsOptions,
  group: Group,
  ask: (calling: Calling) => Promise<Answer>,
): Promise<Answer | Failed> {
  const { patienceMs } = options;
  const late = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const beforeCall: BeforeCall = async () => {
    clearTimeout(timer);
    const reason = await slotFault(options, group, late.signal);
    timer = setTimeout(() => late.abort(), patienceMs);
    return reason;
  };
  try {
    const answer = await ask({ signal: late.signal, beforeCall });
    if (answer.ok || !late.signal.aborted) return answer;
    return {
      ok: false,
      error: sendError('unreachable', `no answer within ${patienceMs / 1000} s`),
    };
  } finally {
    clearTimeout(timer);
  }
}

/** A slot further ahead is not waited for. */
const longestWaitMs = 30_000;

/** Waits until the call may be made; answers with the reason if it may not. */
async function slotFault(
  { client, wait }: SlotsOptions,
  group: Group,
  signal: AbortSignal,
): Promise<string | undefined> {
  // A standby gives no slots.
  const slot = await takeGroupSlot(client, group).catch(() => undefined);
  if (slot === undefined) return undefined;
  const { waitMs, shutUntil } = slot;
  if (waitMs === null) {
    // A group that was closed because its credential was refused sends nothing: then there is no pace to keep.
    if (shutUntil === null || shutUntil === 'infinity') return undefined;
    return `rate group ${group.rateGroup} waits until ${toTheSecond(shutUntil)}, as its platform asked`;
  }
  if (waitMs > longestWaitMs) return `rate group ${group.rateGroup} has no slot soon`;
  if (waitMs > 0) await wait(waitMs, signal);
  return undefined;
}
