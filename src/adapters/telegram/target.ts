// The chat that a channel names, and how posts go there.

import { z } from 'zod';
import type { SendChannel, SendError } from '../adapter.ts';
import { refusedSettings } from '../settings.ts';

export interface Target {
  /** A number, or @name. */
  readonly chatId: string;
  /** Parameters of every message to the chat. */
  readonly manner: {
    readonly message_thread_id?: number | undefined;
    readonly disable_notification?: true | undefined;
    readonly protect_content?: true | undefined;
  };
  /** What to do with a message that may have arrived: send it again, or leave it to an operator. */
  readonly onUnknown: (typeof onUnknown)[number];
}

export const onUnknown = ['retry', 'hold'] as const;

/** The settings of a channel besides `on_unknown`. */
export const settings = {
  message_thread_id: z.int().positive().describe('Telegram: the topic of a forum.'),
  disable_notification: z.boolean().describe('Telegram.'),
  protect_content: z.boolean().describe('Telegram.'),
};

const Settings = z.object({
  message_thread_id: settings.message_thread_id.optional(),
  disable_notification: settings.disable_notification.default(false),
  protect_content: settings.protect_content.default(false),
  on_unknown: z.enum(onUnknown).default('retry'),
});

export function readTarget({ targetId, settings: given }: SendChannel): Target | SendError {
  const read = Settings.safeParse(given);
  if (!read.success) return refusedSettings('Telegram', read.error);
  const { data } = read;
  return {
    chatId: targetId,
    manner: {
      message_thread_id: data.message_thread_id,
      disable_notification: data.disable_notification || undefined,
      protect_content: data.protect_content || undefined,
    },
    onUnknown: data.on_unknown,
  };
}
