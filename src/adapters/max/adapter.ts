// MAX: messages, with or without media, to chats, channels and people, through the Bot API.

import type { Transport } from '../../http/transport.ts';
import type { Adapter } from '../adapter.ts';
import { apiUrl } from './address.ts';
import { type Caller, openApi } from './api.ts';
import { editPost, removePost } from './changes.ts';
import { checkToken } from './check.ts';
import { sendPost } from './send.ts';

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
      const api = open({ token: request.token, signal, holds, beforeCall, onAnswer });
      return sendPost(api, request, sendOptions, { lookBackMs, keepTokensMs });
    },
    edit: (post, edit, signal) => editPost(open({ token: post.token, signal }), post, edit),
    remove: (post, signal) => removePost(open({ token: post.token, signal }), post),
    check: (token, signal) => checkToken(open({ token, signal })),
  };
}
