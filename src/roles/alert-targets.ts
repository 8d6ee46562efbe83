// The alert targets of a process: chats through the adapters, webhooks, e-mail and the log.

import type { Adapter } from '../adapters/adapter.ts';
import { adapterFor } from '../adapters/adapter-for.ts';
import type { Config } from '../config.ts';
import type { Queryable } from '../db/pool.ts';
import { createGuardedPost } from '../http/guarded-post.ts';
import type { Log } from '../log.ts';
import type { SendText } from '../monitor/targets/chat.ts';
import { type Tell, untold } from '../monitor/targets/target.ts';
import { createTargets } from '../monitor/targets/targets.ts';
import type { Secrets } from '../secrets.ts';

export interface AlertTargetsGround {
  readonly config: Config;
  readonly client: Queryable;
  readonly log: Log;
  readonly secrets: Secrets;
  readonly adapters: Readonly<Record<string, Adapter>>;
}

export function openAlertTargets(ground: AlertTargetsGround): Tell {
  const { config, client, log, secrets, adapters } = ground;
  const { smtpUrl, smtpFrom: from, privateHosts } = config.alerts;
  return createTargets({
    client,
    log,
    secrets,
    sendText: sendTextWith(adapters),
    post: createGuardedPost({ privateHosts }),
    email: { smtpUrl, from },
  });
}

/** A message of one text part; what is under way when the process dies is sent again. */
function sendTextWith(adapters: Readonly<Record<string, Adapter>>): SendText {
  return async ({ id, platform, targetId, authRef, token, text }, { signal, beforeCall }) => {
    const adapter = adapterFor(adapters, platform);
    if (adapter === undefined) return untold(`there is no adapter for platform "${platform}"`);
    const outcome = await adapter.send(
      {
        deliveryId: id,
        traceId: id,
        channel: { channelId: 'alerts', targetId, authRef, settings: {} },
        token,
        text,
        format: 'None',
        disablePreview: true,
        buttons: [],
        media: [],
        parts: [{ kind: 'text', buttons: false }],
        partsDone: new Map(),
        outcomeUnknown: false,
      },
      {
        signal,
        beforeCall,
        holds: () => !signal.aborted,
        onPart: async () => undefined,
        onMoved: async () => undefined,
      },
    );
    if (outcome.ok) return { ok: true, said: `message ${outcome.providerMessageId}` };
    const { code, message, retryAfterMs } = outcome.error;
    return untold(`${code}: ${message}`, retryAfterMs);
  };
}
