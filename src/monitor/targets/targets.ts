// The kinds of alert targets there are.

import type { AlertAddress } from '../../db/monitor.ts';
import type { Queryable } from '../../db/pool.ts';
import type { GuardedPost } from '../../http/guarded-post.ts';
import type { Log } from '../../log.ts';
import type { Secrets } from '../../secrets.ts';
import { createChatTarget, type SendText } from './chat.ts';
import { createEmailTarget, type EmailTargetOptions } from './email.ts';
import { createLogTarget } from './log.ts';
import { type Tell, type Told, untold } from './target.ts';
import { createWebhookTarget } from './webhook.ts';

export interface TargetsOptions {
  readonly client: Queryable;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly sendText: SendText;
  readonly post: GuardedPost;
  readonly email: EmailTargetOptions;
}

/** Tells any target, by the kind of its address. */
export function createTargets(options: TargetsOptions): Tell {
  const kinds: Readonly<Record<AlertAddress['kind'], Tell>> = {
    chat: createChatTarget(options),
    webhook: createWebhookTarget(options),
    email: createEmailTarget(options.email),
    log: createLogTarget(options.log),
  };
  return async (message, signal) => {
    try {
      return await within(signal, kinds[message.address.kind](message, signal));
    } catch (error) {
      // A mistake of ours must not keep the other targets from being told.
      options.log.error('a target broke', { error: String(error) });
      return untold('it broke inside Outrider; the log says more');
    }
  };
}

/** What a target says, or that the time is over: no other side keeps us waiting for longer than the signal allows. */
async function within(signal: AbortSignal, telling: Promise<Told>): Promise<Told> {
  const over = Promise.withResolvers<Told>();
  const giveUp = (): void => over.resolve(untold('the target did not answer in time'));
  signal.addEventListener('abort', giveUp, { once: true });
  if (signal.aborted) giveUp();
  try {
    return await Promise.race([telling, over.promise]);
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}
