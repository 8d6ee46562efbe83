// Answers a pressed button: the client of the person who pressed it shows that it waits until then.

import { z } from 'zod';
import type { ChangeOutcome, PressedButton } from '../adapter.ts';
import { asRead } from '../answer.ts';
import type { TelegramApi } from './api.ts';

/** Telegram forgets a pressed button after some minutes, and then refuses the answer. */
export async function answerCallback(
  api: TelegramApi,
  { token, callbackId }: PressedButton,
  signal: AbortSignal,
): Promise<ChangeOutcome> {
  const call = {
    method: 'answerCallbackQuery',
    parameters: { callback_query_id: callbackId },
  };
  const answer = await api.call({ token, signal }, call, z.literal(true));
  return answer.ok ? { ok: true } : { ok: false, error: asRead(answer.error) };
}
