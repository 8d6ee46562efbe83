// Alerts as messages in a chat, sent by the same adapters as posts, and within the pace of the credential's rate group.

import { setTimeout as delay } from 'node:timers/promises';
import { type GroupSlot, takeGroupSlot } from '../../db/claim.ts';
import type { Queryable } from '../../db/pool.ts';
import type { Secrets } from '../../secrets.ts';
import { toTheSecond } from '../../times.ts';
import { type AlertMessage, leftToOthers, type Tell, type Told, untold } from './target.ts';

/** A text to one chat. */
export interface ChatText {
  readonly id: string;
  readonly platform: string;
  readonly targetId: string;
  readonly authRef: string;
  /** Never in an error or a log. */
  readonly token: string;
  readonly text: string;
}

export interface ChatOptions {
  readonly signal: AbortSignal;
  /** Called before every call that the platform counts. Waits until it may be made; answers with the reason if it may not. */
  readonly beforeCall: () => Promise<string | undefined>;
}

/** What an adapter does with it. */
export type SendText = (text: ChatText, options: ChatOptions) => Promise<Told>;

export interface ChatTargetOptions {
  readonly client: Queryable;
  readonly secrets: Secrets;
  readonly sendText: SendText;
  readonly wait?: ((ms: number, signal: AbortSignal) => Promise<void>) | undefined;
}

/** A slot further ahead than this is not waited for: the message is tried again later. */
const longestWaitMs = 15_000;

export function createChatTarget(options: ChatTargetOptions): Tell {
  const { client, secrets, sendText, wait = waitFor } = options;

  /** Undefined when the call may be made now. */
  async function slotOf(message: AlertMessage, signal: AbortSignal): Promise<string | undefined> {
    const { workspaceId, address } = message;
    const { platform, rateGroup } = address;
    if (platform === null || rateGroup === null) return 'the target names no chat';
    const slot = await takeGroupSlot(client, { workspaceId, platform, rateGroup });
    if (slot.waitMs === null) return shutInWords(rateGroup, slot.shutUntil);
    if (slot.waitMs > longestWaitMs) return `rate group ${rateGroup} has no slot soon`;
    if (slot.waitMs > 0) await wait(slot.waitMs, signal);
    return undefined;
  }

  return async (message, signal) => {
    const { platform, targetId, authRef, secretRef } = message.address;
    if (targetId === null || authRef === null) return untold('the target names no chat');
    if (platform === null) return untold(`credential ${authRef} is not configured`);
    const read = await secrets.ofCredential({ authRef, secretRef });
    if (!read.ok) return leftToOthers(`credential ${authRef} cannot be read: ${read.reason}`);
    const text = { id: message.id, platform, targetId, authRef, text: message.body };
    return sendText(
      { ...text, token: read.secret },
      { signal, beforeCall: () => slotOf(message, signal) },
    );
  };
}

function shutInWords(rateGroup: string, until: GroupSlot['shutUntil']): string {
  return until === null || until === 'infinity'
    ? `rate group ${rateGroup} is shut: its credential was refused`
    : `rate group ${rateGroup} is shut until ${toTheSecond(until)}`;
}

async function waitFor(ms: number, signal: AbortSignal): Promise<void> {
  await delay(ms, undefined, { signal }).catch(() => undefined);
}
