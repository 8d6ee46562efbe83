// Telegram: messages, single media and albums to people, groups and channels, through the Bot API.

import type { Transport } from '../../http/transport.ts';
import type { Adapter } from '../adapter.ts';
import { apiUrl } from './address.ts';
import { createTelegramApi } from './api.ts';
import { answerCallback } from './callbacks.ts';
import { editPost, removePost } from './changes.ts';
import { checkToken } from './check.ts';
import { inspectChat } from './inspect.ts';
import { sendPost } from './send.ts';
import { createWebhookCalls } from './webhooks.ts';

export interface TelegramOptions {
  readonly transport: Transport;
  readonly baseUrl?: string | undefined;
  /** For one call, in which Telegram also fetches links. A message that Telegram makes later may be sent twice. */
  readonly timeoutMs?: number | undefined;
  /** For a call that uploads files. */
  readonly uploadTimeoutMs?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

export function createTelegramAdapter(options: TelegramOptions): Adapter {
  const api = createTelegramApi({
    transport: options.transport,
    baseUrl: options.baseUrl ?? apiUrl,
    timeoutMs: options.timeoutMs ?? 60_000,
    uploadTimeoutMs: options.uploadTimeoutMs ?? 300_000,
    now: options.now ?? (() => new Date()),
  });
  return {
    platform: 'telegram',
    send: (request, sendOptions) => sendPost(api, request, sendOptions),
    edit: (post, edit, signal) => editPost(api, post, edit, signal),
    remove: (post, signal) => removePost(api, post, signal),
    check: (token, signal, beforeCall) => checkToken(api, { token, signal, beforeCall }),
    inspect: ({ channel, token }, asking) => inspectChat(api, channel, { token, ...asking }),
    answerCallback: (pressed, signal) => answerCallback(api, pressed, signal),
    webhooks: createWebhookCalls(api),
  };
}
