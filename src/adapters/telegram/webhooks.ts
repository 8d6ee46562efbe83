// The webhook of a bot. Telegram has one for each bot: another address replaces it.

import { z } from 'zod';
import type { ChangeOutcome, WebhookCalls } from '../adapter.ts';
import { asRead, sendError } from '../answer.ts';
import type { Answer, Call, TelegramApi } from './api.ts';

/** What the bot answers to. */
const updates = ['message', 'callback_query'];

const Info = z.object({
  url: z.string(),
  pending_update_count: z.int().default(0),
  last_error_date: z.int().optional(),
  last_error_message: z.string().optional(),
});

export function createWebhookCalls(api: TelegramApi): WebhookCalls {
  const order = async (token: string, call: Call, signal: AbortSignal): Promise<ChangeOutcome> =>
    changed(await api.call({ token, signal }, call, z.literal(true)));
  const info = (token: string, signal: AbortSignal): Promise<Answer<z.output<typeof Info>>> =>
    api.call({ token, signal }, { method: 'getWebhookInfo', parameters: {} }, Info);

  return {
    secretForm: /^[\w-]{1,256}$/,
    subscribe: (token, { url, secret }, signal) =>
      order(
        token,
        {
          method: 'setWebhook',
          parameters: { url, secret_token: secret, allowed_updates: updates },
        },
        signal,
      ),
    async unsubscribe(token, url, signal) {
      const known = await info(token, signal);
      if (!known.ok) return changed(known);
      if (known.value.url !== url) {
        const now = known.value.url === '' ? 'no webhook' : `the webhook ${known.value.url}`;
        return { ok: false, error: sendError('refused', `the bot has ${now}`) };
      }
      return order(token, { method: 'deleteWebhook', parameters: {} }, signal);
    },
    async list(token, signal) {
      const known = await info(token, signal);
      if (!known.ok) return { ok: false, error: asRead(known.error) };
      const { url, pending_update_count: waiting, last_error_message: fault } = known.value;
      const at = new Date((known.value.last_error_date ?? 0) * 1000).toISOString();
      const notes = [
        ...(waiting > 0 ? [`${waiting} updates wait`] : []),
        ...(fault === undefined ? [] : [`last fault at ${at}: ${fault}`]),
      ];
      return { ok: true, webhooks: url === '' ? [] : [{ url, notes }] };
    },
  };
}

function changed(answer: Answer<unknown>): ChangeOutcome {
  return answer.ok ? { ok: true } : { ok: false, error: asRead(answer.error) };
}
