// Sends one claimed delivery and says what became of it, as a commit records it.

import { setTimeout as delay } from 'node:timers/promises';
import type { Adapter, SendOptions, SendOutcome } from '../adapters/adapter.ts';
import { adapterFor } from '../adapters/adapter-for.ts';
import { sendError } from '../adapters/answer.ts';
import { refusedCredential, unreadableCredential } from '../adapters/credentials.ts';
import { moveChannel } from '../db/apply.ts';
import { type ClaimedDelivery, saveProgress } from '../db/claim.ts';
import type { Outcome } from '../db/commit.ts';
import { forgetMediaBlob, keepMediaBlob } from '../db/media.ts';
import type { Queryable } from '../db/pool.ts';
import type { OriginStore } from '../media/origin-store.ts';
import type { PayloadKeeper } from '../payloads/keeper.ts';
import type { RawAnswer } from '../payloads/raw-message.ts';
import type { Secrets } from '../secrets.ts';
import { createPace } from './pace.ts';
import { type SendContext, sendRequestOf } from './send-request.ts';
import { whileHeld } from './while-held.ts';

export interface DeliverOptions {
  readonly client: Queryable;
  readonly adapters: Readonly<Record<string, Adapter>>;
  readonly secrets: Secrets;
  readonly store: OriginStore;
  /** Keeps raw answers; undefined: none is kept. */
  readonly payloads?: PayloadKeeper | undefined;
  /** The time for a send. When missing: the machine's for the expiry of copies, the database's for the rest. */
  now?(): Date;
  /** Waits by that time; the signal ends the wait. */
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** What a send knows about its lease: when to stop, and whether it may begin another call. */
export type SendLease = Pick<SendOptions, 'signal' | 'holds'>;

export type Deliver = (
  workspaceId: string,
  delivery: ClaimedDelivery,
  lease: SendLease,
) => Promise<Outcome>;

export function createDeliver(options: DeliverOptions): Deliver {
  return async (workspaceId, delivery, lease) => {
    const { deliveryId, claimToken } = delivery;
    const adapter = adapterFor(options.adapters, delivery.channel.platform);
    if (adapter === undefined) {
      const message = `there is no adapter for platform "${delivery.channel.platform}"`;
      const error = sendError('unsupported_platform', message);
      return { deliveryId, claimToken, ok: false, error };
    }
    const prepared = await sendRequestOf(delivery, contextOf(options, workspaceId));
    if ('error' in prepared) return { deliveryId, claimToken, ok: false, error: prepared.error };

    const { request } = prepared;
    const held = { workspaceId, deliveryId, claimToken };
    const wait = (ms: number, until: AbortSignal): Promise<void> => waitFor(options, ms, until);
    let answer: RawAnswer | undefined;
    const outcome = await adapter.send(request, {
      ...lease,
      onAnswer: options.payloads && ((latest) => (answer = latest)),
      beforeCall: createPace({
        client: options.client,
        held,
        ...lease,
        now: () => timeOf(options),
        wait,
      }),
      async onPart(part) {
        const kept = await whileHeld({ ...lease, wait }, () =>
          saveProgress(options.client, held, [part], timeOf(options)),
        );
        if (!kept) throw new Error('the claim is no longer ours');
      },
      async onMoved(targetId) {
        const { channelId } = delivery.channel;
        await moveChannel(options.client, { workspaceId, channelId, targetId }, timeOf(options));
      },
    });
    const committed = asCommitted(delivery, outcome);
    const payloadRef = await keptAnswer(options, workspaceId, committed, answer);
    return payloadRef === undefined ? committed : { ...committed, payloadRef };
  };
}

/** Where the raw answer is kept, if it is. An error that quotes no answer was not made by the latest one. */
async function keptAnswer(
  { payloads }: DeliverOptions,
  workspaceId: string,
  outcome: Outcome,
  raw: RawAnswer | undefined,
): Promise<string | undefined> {
  if (payloads === undefined || raw === undefined) return undefined;
  const isWanted = outcome.ok ? payloads.mayWantAll(workspaceId) : outcome.error.raw !== undefined;
  if (!isWanted) return undefined;
  const { deliveryId } = outcome;
  return payloads.keepAnswer({ workspaceId, deliveryId, isError: !outcome.ok, raw });
}

function contextOf(options: DeliverOptions, workspaceId: string): SendContext {
  const { client, secrets, store } = options;
  return {
    async secretOf(channel) {
      const read = await secrets.ofCredential(channel);
      if (read.ok) return { token: read.secret };
      return { error: unreadableCredential(channel, read.reason) };
    },
    openOrigin: (originUrl) => store.open(originUrl),
    async keepCopy({ expiresAt, ...copy }) {
      const until = expiresAt?.toISOString() ?? null;
      await keepMediaBlob(client, { workspaceId, ...copy, expiresAt: until }, timeOf(options));
    },
    async forgetCopy(copy) {
      await forgetMediaBlob(client, { workspaceId, ...copy });
    },
    now: () => options.now?.() ?? new Date(),
  };
}

async function waitFor(options: DeliverOptions, ms: number, signal: AbortSignal): Promise<void> {
  if (options.wait !== undefined) return options.wait(ms, signal);
  await delay(ms, undefined, { signal }).catch(() => undefined);
}

// Production never passes the time.
function timeOf(options: DeliverOptions): string | undefined {
  return options.now?.().toISOString();
}

function asCommitted(delivery: ClaimedDelivery, outcome: SendOutcome): Outcome {
  const { deliveryId, claimToken } = delivery;
  const { partsDone } = outcome;
  if (!outcome.ok) {
    const parts = partsDone.length === 0 ? {} : { parts: partsDone };
    const isCredential = outcome.error.cause === 'credential';
    const error = isCredential ? refusedCredential(delivery.channel, outcome.error) : outcome.error;
    return { deliveryId, claimToken, ok: false, error, ...parts };
  }
  const { providerMessageId } = outcome;
  // A post of one part and one id needs no record of its parts.
  const isOne = partsDone.length === 1 && partsDone[0]?.providerMessageId === providerMessageId;
  const parts = isOne ? {} : { parts: partsDone };
  return { deliveryId, claimToken, ok: true, providerMessageId, ...parts };
}
