// Posts of several parts: how progress is reported, where a repeated send goes on, how a send stops in between.

import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Part } from '../../src/adapters/adapter.ts';
import type { Harness } from './harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

export function describeParts(harness: Harness): void {
  const { methods, abilities } = harness;

  describe('a plan of several parts', () => {
    const stage = useStage(harness);
    const blobs = () => [new StoredBlob('one'), new StoredBlob('two'), new StoredBlob('three')];
    const parts: readonly Part[] = [
      { kind: 'text', buttons: false },
      { kind: 'media', media: [0], caption: false, buttons: false },
      { kind: 'media', media: [1, 2], caption: false, buttons: false },
    ];
    const plan = () => ({
      text: 'Сначала слова',
      media: blobs().map((blob) => blob.asMedium()),
      parts,
    });
    const complete = [
      { text: 'Сначала слова', media: [] },
      { text: '', media: [{}] },
      { text: '', media: [{}, {}] },
    ];

    it('is sent part by part, in its order', async () => {
      const outcome = await stage().send(plan());
      const shown = stage().shown();
      expect(shown).toMatchObject(complete);
      expect(shown.map((post) => post.media.length)).toEqual([0, 1, 2]);
      // Where an album is several posts, the id of its part may name them all.
      const ids = idsOf(outcome).map((id) => id.split(',', 1)[0]);
      expect(ids).toEqual(shown.map((post) => post.ids[0]));
      expect(outcome).toMatchObject({
        providerMessageId: ids[0],
        partsDone: [{ item: 0 }, { item: 1 }, { item: 2 }],
      });
    });

    it('reports each part when it is out, and before the next one goes', async () => {
      const reports: unknown[] = [];
      const outcome = await stage().send(plan(), {
        async onPart(part) {
          // An adapter that does not wait for the report would have sent the next part by then.
          for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
          reports.push({ ...part, shown: stage().shown().length });
        },
      });
      // The outcome itself reports the last one.
      const ids = idsOf(outcome).slice(0, -1);
      expect(reports).toEqual(
        ids.map((providerMessageId, item) => ({ item, providerMessageId, shown: item + 1 })),
      );
    });

    it('goes on at the first part that is not done, and sends nothing twice', async () => {
      stage().faults.add({ kind: 'revoked', method: methods.sendAlbum, ...third(harness) });
      const request = { ...plan(), deliveryId: stage().request().deliveryId };
      const first = await stage().send(request);
      expect(errorOf(first)).toMatchObject({ code: 'credential_refused' });
      expect(first.partsDone.map((part) => part.item)).toEqual([0, 1]);
      const before = stage().calls.length;
      const done = first.partsDone.map((part) => [part.item, part.providerMessageId] as const);
      const second = await stage().send({ ...request, partsDone: new Map(done) });
      expect(idsOf(second).slice(0, 2)).toEqual(done.map(([, id]) => id));
      expect(stage().shown()).toMatchObject(complete);
      const after = stage()
        .calls.slice(before)
        .map((call) => call.method);
      expect(after.filter((method) => method === methods.sendAlbum)).toHaveLength(1);
    });

    it('sends only the part in the middle when the others are done', async () => {
      const partsDone = new Map([
        [0, '71'],
        [2, '73'],
      ]);
      const outcome = await stage().send({ ...plan(), partsDone });
      expect(stage().shown()).toMatchObject([{ text: '', media: [{}] }]);
      expect(idsOf(outcome)).toEqual(['71', stage().shown()[0]?.ids[0], '73']);
    });

    it('makes no call when all parts are done', async () => {
      const partsDone = new Map([0, 1, 2].map((item) => [item, `7${item}`]));
      const outcome = await stage().send({ ...plan(), partsDone });
      expect(idsOf(outcome)).toEqual(['70', '71', '72']);
      expect(stage().calls).toEqual([]);
    });

    it('keeps what is done when a part gets no answer, and repeats that part alone', async () => {
      stage().faults.add({
        kind: 'drop',
        stored: true,
        method: methods.sendAlbum,
        ...third(harness),
      });
      const request = { ...plan(), deliveryId: stage().request().deliveryId };
      const first = await stage().send(request);
      expect(errorOf(first).code).toBe('outcome_unknown');
      expect(first.partsDone.map((part) => part.item)).toEqual([0, 1]);
      const done = first.partsDone.map((part) => [part.item, part.providerMessageId] as const);
      const second = await stage().send({
        ...request,
        partsDone: new Map(done),
        outcomeUnknown: true,
      });
      expect(idsOf(second)).toHaveLength(3);
      const times = abilities.afterUnknown === 'once' ? 1 : 2;
      expect(
        stage()
          .shown()
          .map((post) => post.media.length),
      ).toEqual([0, 1, ...Array.from({ length: times }, () => 2)]);
    });

    it('ends between two parts when it is stopped', async () => {
      const stopping = new AbortController();
      const outcome = await stage().send(plan(), {
        signal: stopping.signal,
        onPart: async () => stopping.abort(),
      });
      const error = errorOf(outcome);
      expect(error).toMatchObject({ category: 'TRANSIENT', scope: 'delivery' });
      expect(error.code).not.toBe('outcome_unknown');
      expect(outcome.partsDone).toHaveLength(1);
      expect(stage().texts()).toEqual(['Сначала слова']);
    });

    it('begins no call under a lease that is over, whichever call it ends before', async () => {
      idsOf(await stage().send({ ...plan(), deliveryId: randomUUID() }));
      const made = stage().calls.length;
      expect(made).toBeGreaterThanOrEqual(parts.length);
      for (let allowed = 0; allowed < made; allowed += 1) {
        const before = { calls: stage().calls.length, shown: stage().shown().length };
        const holds = (): boolean => stage().calls.length < before.calls + allowed;
        const outcome = await stage().send({ ...plan(), deliveryId: randomUUID() }, { holds });
        expect(errorOf(outcome)).toMatchObject({
          category: 'TRANSIENT',
          scope: 'delivery',
          code: 'lease_over',
        });
        expect(stage().calls.length - before.calls).toBe(allowed);
        expect(outcome.partsDone).toHaveLength(stage().shown().length - before.shown);
      }
    });

    it('ends when progress cannot be recorded, because the next sender would repeat what goes out', async () => {
      const outcome = await stage().send(plan(), {
        onPart: () => Promise.reject(new Error('the database is away')),
      });
      expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', code: 'progress_not_kept' });
      expect(outcome.partsDone).toHaveLength(1);
      expect(stage().shown()).toHaveLength(1);
    });
  });
}

/** A fault for the album, which is the third part: some platforms send all parts by one method. */
function third({ methods }: Harness): { readonly times: number; readonly after: number } {
  const before = [methods.sendText, methods.sendMedium];
  return { times: 1, after: before.filter((method) => method === methods.sendAlbum).length };
}
