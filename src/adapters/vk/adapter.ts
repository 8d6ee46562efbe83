// VK: posts on the walls of communities and people. A post is text, photos or both in one; there is no
// markup, there are no buttons, and no switch for link previews.

import type { Transport } from '../../http/transport.ts';
import type { Adapter } from '../adapter.ts';
import { apiUrl } from './address.ts';
import { createVkApi } from './api.ts';
import { editPost, removePost } from './changes.ts';
import { checkToken } from './check.ts';
import { inspectWall } from './inspect.ts';
import { sendPost } from './send.ts';

export interface VkOptions {
  readonly transport: Transport;
  readonly baseUrl?: string | undefined;
  /** For one call. */
  readonly timeoutMs?: number | undefined;
  /** For the upload of one photo. */
  readonly uploadTimeoutMs?: number | undefined;
  readonly pauseMs?: number | undefined;
  readonly now?: (() => Date) | undefined;
}

export function createVkAdapter(options: VkOptions): Adapter {
  const api = createVkApi({
    transport: options.transport,
    baseUrl: options.baseUrl ?? apiUrl,
    timeoutMs: options.timeoutMs ?? 30_000,
    uploadTimeoutMs: options.uploadTimeoutMs ?? 300_000,
    pauseMs: options.pauseMs ?? 400,
    now: options.now ?? (() => new Date()),
  });
  return {
    platform: 'vk',
    send: (request, sendOptions) => sendPost(api, request, sendOptions),
    edit: (post, edit, signal) => editPost(api, post, edit, signal),
    remove: (post, signal) => removePost(api, post, signal),
    check: (token, signal, beforeCall) => checkToken(api, { token, signal, beforeCall }),
    inspect: ({ channel, token }, asking) => inspectWall(api, channel, { token, ...asking }),
  };
}
