// Whom a channel addresses: a chat, a channel or a dialog by its chat id, a person as `user:<id>`.

import { sendError } from '../answer.ts';
import type { Judged } from './answers.ts';

export type Recipient = { readonly chat_id: string } | { readonly user_id: string };

export function recipientOf(targetId: string): Judged<Recipient> {
  const [, user, id = ''] = /^(user:)?(-?\d{1,19})$/.exec(targetId) ?? [];
  if (id !== '' && user === undefined) return { ok: true, value: { chat_id: id } };
  if (/^\d+$/.test(id)) return { ok: true, value: { user_id: id } };
  const words = 'the target of a MAX channel is a chat id, or user:<id> for a person';
  return { ok: false, error: sendError('chat_not_found', words) };
}
