// The recipient that a channel names, and how posts go there.

import { z } from 'zod';
import type { SendChannel, SendError } from '../adapter.ts';
import { sendError } from '../answer.ts';
import { refusedSettings } from '../settings.ts';

/** A chat, a channel or a dialog by its chat id; a person by the user id. */
export type Recipient = { readonly chat_id: string } | { readonly user_id: string };

export interface Target {
  readonly recipient: Recipient;
  /**
   * What to do when the chat does not tell whether a message has arrived. Undefined: send again if the chat cannot be
   * read, hold if what it shows is unclear.
   */
  readonly onUnknown: OnUnknown | undefined;
}

export const onUnknown = ['retry', 'hold'] as const;
type OnUnknown = (typeof onUnknown)[number];

const Settings = z.object({ on_unknown: z.enum(onUnknown).optional() });

export function readTarget({ targetId, settings }: SendChannel): Target | SendError {
  const recipient = recipientOf(targetId);
  if (recipient === undefined) {
    const words = 'the target of a MAX channel is a chat id, or user:<id> for a person';
    return sendError('chat_not_found', words);
  }
  const read = Settings.safeParse(settings);
  if (!read.success) return refusedSettings('MAX', read.error);
  return { recipient, onUnknown: read.data.on_unknown };
}

function recipientOf(targetId: string): Recipient | undefined {
  const [, user, id = ''] = /^(user:)?(-?\d{1,19})$/.exec(targetId) ?? [];
  if (id !== '' && user === undefined) return { chat_id: id };
  return /^\d+$/.test(id) ? { user_id: id } : undefined;
}
