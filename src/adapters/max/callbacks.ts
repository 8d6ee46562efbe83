// Answers a pressed button.

import type { ChangeOutcome } from '../adapter.ts';
import { judge } from './answers.ts';
import type { Api } from './api.ts';
import { successShape } from './messages.ts';

/** MAX takes no empty answer: it wants a notification to show, or another message in place of the one with the button. */
const notification = '✓';

export async function answerCallback(api: Api, callbackId: string): Promise<ChangeOutcome> {
  const reply = await api.call({
    method: 'POST',
    path: '/answers',
    query: { callback_id: callbackId },
    json: { notification },
  });
  const answer = judge(reply, 'change', successShape, api.now());
  return answer.ok ? { ok: true } : { ok: false, error: answer.error };
}
