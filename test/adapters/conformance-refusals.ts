// They said no: who, for how long, and to what.

import { describe, expect, it } from 'vitest';
import type { Harness } from './harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';

export function describeRefusals(harness: Harness): void {
  const { methods, wrongToken } = harness;
  const { told, untoldMs } = harness.abilities.waits;

  describe('a refusal', () => {
    const stage = useStage(harness);
    const closesTheChannel = { category: 'PERMANENT', scope: 'channel' };
    const ofTheToken = { category: 'TRANSIENT', scope: 'platform', code: 'credential_refused' };

    it('of the token concerns the credential, and not the chat', async () => {
      const outcome = await stage().send({ token: wrongToken });
      expect(errorOf(outcome)).toMatchObject(ofTheToken);
      expect(stage().shown()).toEqual([]);
    });

    it('of a token that was revoked is the same', async () => {
      stage().faults.add({ kind: 'revoked', times: 1 });
      expect(errorOf(await stage().send())).toMatchObject(ofTheToken);
      expect(stage().shown()).toEqual([]);
      idsOf(await stage().send());
    });

    it('because the chat is not there closes the channel', async () => {
      const { channel } = stage().request();
      const { unknownTargetId: targetId } = stage().place;
      const outcome = await stage().send({ channel: { ...channel, targetId } });
      expect(errorOf(outcome)).toMatchObject({ ...closesTheChannel, code: 'chat_not_found' });
      expect(stage().shown()).toEqual([]);
    });

    it('because we were kicked closes the channel', async () => {
      stage().faults.add({ kind: 'kicked', times: 1 });
      const error = errorOf(await stage().send());
      expect(error).toMatchObject({ ...closesTheChannel, code: 'not_allowed' });
      expect(stage().shown()).toEqual([]);
      idsOf(await stage().send());
    });

    it('of settings that mean nothing closes the channel, before anything is called', async () => {
      const { channel } = stage().request();
      const settings = { ...channel.settings, on_unknown: 'perhaps' };
      const error = errorOf(await stage().send({ channel: { ...channel, settings } }));
      expect(error).toMatchObject({ ...closesTheChannel, code: 'settings', outcome: 'not_sent' });
      expect(error.message).toContain('on_unknown');
      expect(stage().calls).toEqual([]);
    });

    it('because the text is too long concerns the post alone', async () => {
      const outcome = await stage().send({ text: 'ы'.repeat(20_000) });
      expect(errorOf(outcome)).toMatchObject({
        category: 'PERMANENT',
        scope: 'delivery',
        code: 'validation_failed',
      });
      expect(stage().shown()).toEqual([]);
    });

    it('for the pace concerns the platform, and is no unknown outcome', async () => {
      stage().faults.add({ kind: 'rate_limited', method: methods.sendText, times: 1 });
      const error = errorOf(await stage().send());
      expect(error).toMatchObject({
        category: 'TRANSIENT',
        scope: 'platform',
        code: 'rate_limited',
      });
      expect(error.retryAfterMs).toBe(untoldMs);
      expect(stage().shown()).toEqual([]);
    });

    it.runIf(told)('for the pace says how long to wait', async () => {
      const method = methods.sendText;
      stage().faults.add({ kind: 'rate_limited', method, times: 1, retryAfter: 37 });
      expect(errorOf(await stage().send())).toMatchObject({
        category: 'TRANSIENT',
        scope: 'platform',
        retryAfterMs: 37_000,
      });
    });

    it('is not followed by a second call', async () => {
      stage().faults.add({ kind: 'rate_limited', method: methods.sendText, times: 1 });
      await stage().send();
      expect(stage().calls).toHaveLength(1);
    });
  });
}
