// The webhooks of a bot. MAX knows any number of addresses and calls them all.

import { z } from 'zod';
import type { ChangeOutcome, WebhookCalls } from '../adapter.ts';
import type { Caller } from '../caller.ts';
import { judge } from './answers.ts';
import type { Api, Call } from './api.ts';
import { successShape } from './messages.ts';

/** What the bot answers to. */
const updates = ['message_created', 'message_callback', 'bot_started'];

const subscriptionsShape = z.object({
  subscriptions: z.array(z.object({ url: z.string(), time: z.number().nullish() })),
});

export function createWebhookCalls(open: (caller: Caller) => Api): WebhookCalls {
  async function order(token: string, call: Call, signal: AbortSignal): Promise<ChangeOutcome> {
    const api = open({ token, signal });
    const answer = judge(await api.call(call), 'change', successShape, api.now());
    return answer.ok ? { ok: true } : { ok: false, error: answer.error };
  }

  return {
    secretForm: /^[\w-]{5,256}$/,
    subscribe: (token, { url, secret }, signal) =>
      order(
        token,
        { method: 'POST', path: '/subscriptions', json: { url, secret, update_types: updates } },
        signal,
      ),
    unsubscribe: (token, url, signal) =>
      order(token, { method: 'DELETE', path: '/subscriptions', query: { url } }, signal),
    async list(token, signal) {
      const api = open({ token, signal });
      const reply = await api.call({ method: 'GET', path: '/subscriptions' });
      const answer = judge(reply, 'read', subscriptionsShape, api.now());
      if (!answer.ok) return { ok: false, error: answer.error };
      const webhooks = answer.value.subscriptions.map(({ url, time }) => ({
        url,
        notes: time ? [`since ${new Date(time).toISOString()}`] : [],
      }));
      return { ok: true, webhooks };
    },
  };
}
