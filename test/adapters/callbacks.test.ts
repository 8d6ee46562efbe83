import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { maxHarness, personId } from './max-harness.ts';
import { idsOf, useStage } from './stage.ts';
import { telegramHarness } from './telegram-harness.ts';

const buttons = [[{ text: 'Ещё', payload: 'more' }]];
const never = new AbortController().signal;

describe('a button of MAX that was pressed', () => {
  const stage = useStage(maxHarness);
  const answer = (callbackId: string) => {
    const { token } = stage().request();
    return stage().adapter.answerCallback?.({ token, callbackId }, never);
  };

  it('is answered with a notification', async () => {
    const [mid] = idsOf(await stage().send({ buttons }));
    const press = { message_id: mid, user_id: personId, payload: 'more' };
    const { callback_id: callbackId } = z
      .object({ callback_id: z.string() })
      .parse(stage().simulator.control('press', press));
    expect(await answer(callbackId)).toEqual({ ok: true });
    expect(stage().simulator.control('notifications', {})).toEqual([
      { user_id: personId, text: '✓' },
    ]);
  });

  it('is not answered when MAX does not know it', async () => {
    expect(await answer('none')).toMatchObject({ ok: false, error: { category: 'PERMANENT' } });
  });
});

describe('a button of Telegram that was pressed', () => {
  const stage = useStage(telegramHarness);
  const answer = (callbackId: string) => {
    const { token } = stage().request();
    return stage().adapter.answerCallback?.({ token, callbackId }, never);
  };

  it('is answered, once', async () => {
    const [id] = idsOf(await stage().send({ buttons }));
    const press = { chat: stage().place.targetId, message_id: Number(id), button: 'more' };
    const { callback_query_id: callbackId } = z
      .object({ callback_query_id: z.string() })
      .parse(stage().simulator.control('press', press));
    expect(await answer(callbackId)).toEqual({ ok: true });
    expect(await answer(callbackId)).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('query ID is invalid') },
    });
  });
});
