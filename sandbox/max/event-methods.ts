// /subscriptions and /updates.

import { z } from 'zod';
import { readNumber } from './access.ts';
import type { Method } from './call.ts';
import { readBody } from './new-message.ts';
import { answer, failure, invalid, success } from './replies.ts';

const updateTypes = [
  'message_created',
  'message_callback',
  'message_edited',
  'message_removed',
  'bot_started',
  'bot_stopped',
  'bot_added',
  'bot_removed',
  'user_added',
  'user_removed',
  'chat_title_changed',
  'dialog_muted',
  'dialog_unmuted',
  'dialog_cleared',
  'dialog_removed',
  'comment_created',
  'comment_edited',
  'comment_removed',
] as const;

const subscriptionShape = z.object({
  url: z.string(),
  update_types: z.array(z.enum(updateTypes)).nullish(),
  secret: z.string().nullish(),
});

export const getSubscriptions: Method = ({ events, bot }) => {
  const subscriptions = events.inbox(bot).webhooks.list();
  return answer({
    subscriptions: subscriptions.map(({ url, time, updateTypes: types }) => ({
      url,
      time,
      update_types: types,
    })),
  });
};

export const subscribe: Method = ({ world, events, bot, request }) => {
  const { url, update_types: types, secret } = readBody(request, subscriptionShape);
  // The pattern is documented, the words are assumed.
  if (typeof secret === 'string' && !/^[a-zA-Z0-9_-]{5,256}$/.test(secret)) {
    throw invalid('secret: must match "^[a-zA-Z0-9_-]{5,256}$"');
  }
  const fault = addressFault(url, world.settings.localWebhooks);
  if (fault !== undefined) return failure(fault);
  events.inbox(bot).webhooks.add({
    url,
    time: world.clock.now(),
    secret: secret ?? undefined,
    // Assumed: an empty list means all types, because clients send it when nobody has chosen any.
    updateTypes: types && types.length > 0 ? types : undefined,
  });
  return success();
};

/** The rules are documented. It is assumed that MAX refuses with the flag, and in these words. */
function addressFault(url: string, localToo: boolean): string | undefined {
  if (!URL.canParse(url)) return 'Webhook url is malformed';
  const { protocol, hostname, port } = new URL(url);
  const local = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
  if (local && localToo && /^https?:$/.test(protocol)) return undefined;
  if (protocol !== 'https:') return 'Webhook url must be https';
  return port === '' ? undefined : 'Webhook url must use port 443';
}

export const unsubscribe: Method = ({ events, bot, request }) => {
  const url = request.query.get('url') ?? '';
  if (url === '') throw invalid('url: must not be empty');
  return events.inbox(bot).webhooks.remove(url) ? success() : failure('Subscription not found');
};

/** With a subscription nothing comes by polling. */
export const getUpdates: Method = async ({ events, bot, request }) => {
  const { query } = request;
  const limit = readNumber(query.get('limit')) ?? 100;
  const timeout = readNumber(query.get('timeout')) ?? 30;
  if (limit < 1 || limit > 1000) throw invalid('limit: must be between 1 and 1000');
  if (timeout < 0 || timeout > 90) throw invalid('timeout: must be between 0 and 90');
  const { queue } = events.inbox(bot);
  return answer(
    await queue.poll({
      limit,
      timeoutMs: timeout * 1000,
      marker: readNumber(query.get('marker')),
      types: (query.get('types') ?? '').split(',').filter((type) => type !== ''),
    }),
  );
};
