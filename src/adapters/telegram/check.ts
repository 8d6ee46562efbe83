// Asks Telegram whose token it is.

import { z } from 'zod';
import type { CredentialCheck } from '../adapter.ts';
import { asRead } from '../answer.ts';
import type { Caller } from '../caller.ts';
import type { TelegramApi } from './api.ts';

const Me = z.object({ id: z.int().positive(), is_bot: z.literal(true), username: z.string() });

export async function checkToken(api: TelegramApi, caller: Caller): Promise<CredentialCheck> {
  const me = await api.call(caller, { method: 'getMe', parameters: {} }, Me);
  if (!me.ok) return { ok: false, error: asRead(me.error) };
  return { ok: true, account: `bot @${me.value.username} (${me.value.id})` };
}
