// The chat that a channel names, and how posts go there.

import { z } from 'zod';
import type { SendChannel, SendError } from '../adapter.ts';
import { sendError } from '../answer.ts';

export interface TelegramChannel {
  /** A number, or @name. */
  readonly chatId: string;
  /** What every message to it is sent with. */
  readonly manner: {
    readonly message_thread_id?: number | undefined;
    readonly disable_notification?: true | undefined;
    readonly protect_content?: true | undefined;
  };
  /** When a message may have arrived: send it again, or leave it to an operator. */
  readonly onUnknown: 'retry' | 'hold';
}

const Settings = z.object({
  message_thread_id: z.int().positive().optional(),
  disable_notification: z.boolean().default(false),
  protect_content: z.boolean().default(false),
  on_unknown: z.enum(['retry', 'hold']).default('retry'),
});

export function readChannel({ targetId, settings }: SendChannel): TelegramChannel | SendError {
  const read = Settings.safeParse(settings);
  if (!read.success) {
    const names = read.error.issues.map((issue) => issue.path.join('.')).join(', ');
    return sendError('settings', `settings of the channel that Telegram cannot take: ${names}`);
  }
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
