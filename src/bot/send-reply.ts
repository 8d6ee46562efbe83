// Sends one claimed reply, and says what became of it.

import { setTimeout as delay } from 'node:timers/promises';
import type { Adapter, SendOutcome } from '../adapters/adapter.ts';
import { adapterFor } from '../adapters/adapter-for.ts';
import { sendError } from '../adapters/answer.ts';
import { refusedCredential, unreadableCredential } from '../adapters/credentials.ts';
import type { ClaimedReply, ReplyOutcome } from '../db/bot.ts';
import { takeGroupSlot } from '../db/claim.ts';
import type { Queryable } from '../db/pool.ts';
import type { Log } from '../log.ts';
import type { Secrets } from '../secrets.ts';
import type { HeldReply } from './reply-leases.ts';

export interface SendReplyOptions {
  readonly client: Queryable;
  readonly adapters: Readonly<Record<string, Adapter>>;
  readonly secrets: Secrets;
  readonly log: Log;
}

export type SendReply = (
  reply: ClaimedReply,
  held: Pick<HeldReply, 'breakOff' | 'holds'>,
) => Promise<ReplyOutcome>;

/** A slot further ahead than this is not waited for: the reply is tried again later. */
const longestWaitMs = 10_000;

export function createSendReply(options: SendReplyOptions): SendReply {
  const { adapters, secrets } = options;
  return async (reply, { breakOff: { signal }, holds }) => {
    const held = { replyId: reply.replyId, claimToken: reply.claimToken };
    const adapter = adapterFor(adapters, reply.platform);
    if (adapter === undefined) {
      const message = `there is no adapter for platform "${reply.platform}"`;
      return { ...held, ok: false, error: sendError('unsupported_platform', message) };
    }
    const read = await secrets.ofCredential(reply);
    if (!read.ok) return { ...held, ok: false, error: unreadableCredential(reply, read.reason) };
    const token = read.secret;
    await waitFor(reply.waitMs, signal);
    // The claim has brought the slot of the first call; further calls take slots of the same rate group.
    const slot = () => takeSlot(options.client, reply, signal);
    const { text } = reply.reply;
    if (text === undefined) {
      await answerButton(options, adapter, reply, token, { signal, slot: async () => undefined });
      // Nothing was said, so the platform has no name for it.
      return { ...held, ok: true, providerMessageId: reply.replyId };
    }
    const [outcome] = await Promise.all([
      adapter.send(requestOf(reply, text, token), {
        signal,
        holds,
        beforeCall: afterTheFirst(slot),
        onPart: async () => undefined,
        onMoved: async () => undefined,
      }),
      answerButton(options, adapter, reply, token, { signal, slot }),
    ]);
    return { ...held, ...asCommitted(reply, outcome) };
  };
}

function requestOf(
  reply: ClaimedReply,
  text: string,
  token: string,
): Parameters<Adapter['send']>[0] {
  const { buttons = [] } = reply.reply;
  return {
    deliveryId: reply.replyId,
    traceId: reply.traceId,
    channel: {
      channelId: 'bot',
      targetId: reply.chatId,
      authRef: reply.authRef,
      settings: {},
    },
    token,
    text,
    format: 'None',
    disablePreview: true,
    buttons,
    media: [],
    parts: [{ kind: 'text', buttons: buttons.length > 0 }],
    partsDone: new Map(),
    outcomeUnknown: reply.outcomeUnknown,
    after: reply.previousMessageId ?? undefined,
  };
}

/** Answers with why a call may not be made; undefined: it may. */
type Slot = () => Promise<string | undefined>;

function afterTheFirst(slot: Slot): Slot {
  let isFirst = true;
  return async () => {
    if (!isFirst) return slot();
    isFirst = false;
    return undefined;
  };
}

async function takeSlot(
  client: Queryable,
  { workspaceId, platform, rateGroup }: ClaimedReply,
  signal: AbortSignal,
): Promise<string | undefined> {
  const group = { workspaceId, platform, rateGroup };
  const slot = await takeGroupSlot(client, group).catch(() => undefined);
  if (slot === undefined) return 'the database does not answer';
  const { waitMs } = slot;
  if (waitMs === null) return `rate group ${rateGroup} is shut`;
  if (waitMs > longestWaitMs) return `rate group ${rateGroup} has no slot soon`;
  await waitFor(waitMs, signal);
  return undefined;
}

/** Without it a button looks pressed for a while, and nothing else is lost. So it is tried once for each attempt. */
async function answerButton(
  { log }: SendReplyOptions,
  adapter: Adapter,
  { callbackId, workspaceId, replyId }: ClaimedReply,
  token: string,
  { signal, slot }: { readonly signal: AbortSignal; readonly slot: Slot },
): Promise<void> {
  if (callbackId === null) return;
  const facts = { workspace_id: workspaceId, reply_id: replyId };
  const without = await slot();
  if (without !== undefined) {
    log.info('a pressed button was not answered', { ...facts, error: without });
    return;
  }
  const answered = await adapter.answerCallback?.({ token, callbackId }, signal);
  if (answered?.ok !== false) return;
  const { code, message } = answered.error;
  log.info('a pressed button was not answered', { ...facts, code, error: message });
}

function asCommitted(reply: ClaimedReply, outcome: SendOutcome) {
  if (outcome.ok) return { ok: true, providerMessageId: outcome.providerMessageId } as const;
  const { error } = outcome;
  const isCredential = error.cause === 'credential';
  return { ok: false, error: isCredential ? refusedCredential(reply, error) : error } as const;
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  if (ms > 0) await delay(ms, undefined, { signal }).catch(() => undefined);
}
