// The network fails: what arrived, what did not, and what nobody knows.

import { describe, expect, it } from 'vitest';
import type { Fault, FaultKind } from '../../sandbox/simulator.ts';
import { createTransport } from '../../src/http/transport.ts';
import { refusingPort } from '../support/http/raw-server.ts';
import type { Harness } from './harness.ts';
import { errorOf, expectClean, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

const kinds: readonly FaultKind[] = [
  'drop',
  'half_open',
  'slow_drip',
  'html',
  'empty_body',
  'truncated_json',
  'server_error',
];
const silent: readonly FaultKind[] = ['half_open', 'slow_drip'];
const cases = kinds.flatMap((kind) => [true, false].map((stored) => ({ kind, stored })));

export function describeWire(harness: Harness): void {
  const { methods, abilities } = harness;

  describe('on the wire,', () => {
    const stage = useStage(harness);
    const unknown = { category: 'TRANSIENT', scope: 'delivery', code: 'outcome_unknown' };
    const strike = (fault: Fault) => stage().faults.add({ times: 1, ...fault });

    it.each(cases)('$kind has an unknown outcome (arrived: $stored)', async ({ kind, stored }) => {
      strike({ kind, stored, method: methods.sendText });
      const outcome = await stage().send({}, { isHasty: silent.includes(kind) });
      expect(errorOf(outcome)).toMatchObject(unknown);
      expect(outcome.partsDone).toEqual([]);
      expect(stage().calls).toHaveLength(1);
      expect(stage().shown()).toHaveLength(stored ? 1 : 0);
    });

    it.each(cases)('a send after $kind is seen (arrived: $stored)', async ({ kind, stored }) => {
      strike({ kind, stored, method: methods.sendText });
      const { deliveryId } = stage().request();
      await stage().send({ deliveryId }, { isHasty: silent.includes(kind) });
      const again = await stage().send({ deliveryId, outcomeUnknown: true });
      const times = stored && abilities.afterUnknown === 'twice' ? 2 : 1;
      expect(stage().shown()).toHaveLength(times);
      expect(stage().shown().at(-1)?.ids).toEqual(idsOf(again));
    });

    it('a call is given up after the time that the channel gives it', async () => {
      strike({ kind: 'half_open', stored: false, method: methods.sendText });
      const { channel } = stage().request();
      const settings = { ...channel.settings, timeout: 3 }; // enough for the call to arrive
      const outcome = await stage().send({ channel: { ...channel, settings } });
      const message = expect.stringContaining('no answer within 3000 ms');
      expect(errorOf(outcome)).toMatchObject({ ...unknown, message });
    });

    it('a picture that got no answer is in the chat once or as often as it was sent', async () => {
      strike({ kind: 'drop', stored: true, method: methods.sendMedium });
      const blob = new StoredBlob('one');
      const { deliveryId } = stage().request();
      const request = { deliveryId, media: [blob.asMedium()] };
      expect(errorOf(await stage().send(request))).toMatchObject(unknown);
      idsOf(await stage().send({ ...request, outcomeUnknown: true }));
      expect(stage().shown()).toHaveLength(abilities.afterUnknown === 'twice' ? 2 : 1);
    });

    it('a server that is not there is unreachable, and nothing was sent', async () => {
      await using refusing = await refusingPort();
      const transport = createTransport({ connectTimeoutMs: 5000 });
      const adapter = harness.createAdapter({
        baseUrl: `http://127.0.0.1:${refusing.port}`,
        transport,
        timeoutMs: 5000,
        now: () => new Date(),
      });
      const outcome = await adapter.send(stage().request(), {
        signal: new AbortController().signal,
        holds: () => true,
        onPart: async () => undefined,
        beforeCall: async () => undefined,
        onMoved: async () => undefined,
      });
      expectClean(outcome, harness.token);
      expect(outcome).toMatchObject({
        ok: false,
        error: { category: 'TRANSIENT', scope: 'delivery', code: 'unreachable' },
        partsDone: [],
      });
      await transport.close();
    });

    it('a send that is stopped before it begins calls nobody', async () => {
      const outcome = await stage().send({}, { signal: AbortSignal.abort() });
      const error = errorOf(outcome);
      expect(error.category).toBe('TRANSIENT');
      expect(error.code).not.toBe('outcome_unknown');
      expect(stage().calls).toEqual([]);
    });

    it.each([true, false])(
      'a send that is stopped under way is unknown (arrived: %s)',
      async (stored) => {
        strike({ kind: 'half_open', stored, method: methods.sendText });
        const stopping = new AbortController();
        const underWay = stage().nextCall(methods.sendText);
        const outcome = stage().send({}, { signal: stopping.signal });
        await underWay;
        stopping.abort();
        expect(errorOf(await outcome)).toMatchObject(unknown);
        expect(stage().shown()).toHaveLength(stored ? 1 : 0);
      },
    );
  });

  describe.runIf(methods.upload !== undefined)('on the wire,', () => {
    const stage = useStage(harness);

    it.each(kinds)('%s in an upload leaves nothing in the chat and no doubt', async (kind) => {
      stage().faults.add({ kind, method: methods.upload, times: 1 });
      const media = [new StoredBlob('one').asMedium()];
      const outcome = await stage().send({ media }, { isHasty: silent.includes(kind) });
      const error = errorOf(outcome);
      expect(error).toMatchObject({ category: 'TRANSIENT', scope: 'delivery' });
      expect(error.code).not.toBe('outcome_unknown');
      expect(stage().shown()).toEqual([]);
    });
  });
}
