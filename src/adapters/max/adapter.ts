// MAX: messages, with or without media, to chats, channels and people, through the Bot API.

import type { Transport } from '../../http/transport.ts';
import type { Adapter, SentPost } from '../adapter.ts';
import type { Caller } from '../caller.ts';
import { callTimeoutMs } from '../settings.ts';
import { apiUrl } from './address.ts';
import { openApi } from './api.ts';
import { answerCallback } from './callbacks.ts';
import { editPost, removePost } from './changes.ts';
import { checkToken } from './check.ts';
import { inspectChat } from './inspect.ts';
import { sendPost } from './send.ts';
import { createWebhookCalls } from './webhooks.ts';

export interface MaxOptions {
  readonly transport: Transport;
  readonly baseUrl?: string | undefined;
  /** For one call; an upload gets more, by its size. */
  readonly timeoutMs?: number | undefined;
  /** How far back we look for a message of an earlier attempt. */
  readonly lookBackMs?: number | undefined;
  /** How long we use the token of an upload again; MAX does not say how long a token is valid. */
  readonly keepTokensMs?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

export function createMaxAdapter(options: MaxOptions): Adapter {
  const {
    transport,
    baseUrl = apiUrl,
    timeoutMs = 30_000,
    lookBackMs = 24 * 3_600_000,
    keepTokensMs = 24 * 3_600_000,
    now = () => new Date(),
  } = options;
  const open = (caller: Caller) => openApi({ baseUrl, transport, timeoutMs, now }, caller);
  return {
    platform: 'max',
    send(request, sendOptions) {
      const { signal, holds, beforeCall, onAnswer } = sendOptions;
      const { token, channel } = request;
      const own = { timeoutMs: callTimeoutMs(channel) };
      const api = open({ token, signal, holds, beforeCall, onAnswer, ...own });
      return sendPost(api, request, sendOptions, { lookBackMs, keepTokensMs });
    },
    edit: (post, edit, signal) => editPost(open(callerOf(post, signal)), post, edit),
    remove: (post, signal) => removePost(open(callerOf(post, signal)), post),
    check: (token, signal, beforeCall) => checkToken(open({ token, signal, beforeCall })),
    inspect: ({ channel, token }, asking) => inspectChat(open({ token, ...asking }), channel),
    answerCallback: ({ token, callbackId }, signal) =>
      answerCallback(open({ token, signal }), callbackId),
    webhooks: createWebhookCalls(open),
  };
}

function callerOf(post: SentPost, signal: AbortSignal): Caller {
  return { token: post.token, signal, timeoutMs: callTimeoutMs(post.channel) };
}
