// The pace: every call that the platform counts is asked for first, and none is made when the answer is no.

import { describe, expect, it } from 'vitest';
import type { CountedCall, Part } from '../../src/adapters/adapter.ts';
import type { Harness } from './harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

export function describePace(harness: Harness): void {
  const { methods, abilities } = harness;

  describe('before a call', () => {
    const stage = useStage(harness);
    const parts: readonly Part[] = [
      { kind: 'text', buttons: false },
      { kind: 'media', media: [0, 1], caption: false, buttons: false },
    ];
    const plan = () => ({
      text: 'Сначала слова',
      media: [new StoredBlob('one'), new StoredBlob('two')].map((blob) => blob.asMedium()),
      parts,
    });
    /** Bytes go to another host, which does not count. */
    const counted = () => stage().calls.filter((call) => call.method !== methods.upload);

    it('asks, once for each that the platform counts, and makes it only then', async () => {
      const asked: CountedCall[] = [];
      const outcome = await stage().send(plan(), {
        async beforeCall(call) {
          for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
          expect(counted()).toHaveLength(asked.length);
          asked.push(call);
          return undefined;
        },
      });
      idsOf(outcome);
      expect(counted()).toHaveLength(asked.length);
    });

    it('says how many messages it will show', async () => {
      const asked: CountedCall[] = [];
      await stage().send(plan(), {
        async beforeCall(call) {
          asked.push(call);
          return undefined;
        },
      });
      const shown = asked.map((call) => call.messages).filter((messages) => messages > 0);
      expect(shown).toEqual([1, abilities.countsAlbumItems ? 2 : 1]);
    });

    it.each([1, 2])('ends the send when call number %i must not be made', async (number) => {
      let asked = 0;
      const outcome = await stage().send(plan(), {
        async beforeCall() {
          asked += 1;
          return asked === number ? 'the claim is no longer ours' : undefined;
        },
      });
      expect(errorOf(outcome)).toMatchObject({
        category: 'TRANSIENT',
        scope: 'delivery',
        code: 'aborted',
        message: 'the claim is no longer ours',
      });
      expect(counted()).toHaveLength(number - 1);
    });

    it('asks also for a look after an unknown outcome', async () => {
      stage().faults.add({ kind: 'drop', stored: true, method: methods.sendText, times: 1 });
      const request = { deliveryId: stage().request().deliveryId };
      const asked: CountedCall[] = [];
      const beforeCall = async (call: CountedCall) => {
        asked.push(call);
        return undefined;
      };
      await stage().send(request, { beforeCall });
      await stage().send({ ...request, outcomeUnknown: true }, { beforeCall });
      expect(counted()).toHaveLength(asked.length);
    });
  });
}
