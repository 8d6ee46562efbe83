// Editing and taking back what was sent.

import { describe, expect, it } from 'vitest';
import type { Harness } from './harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

export function describeChanges(harness: Harness): void {
  const { methods } = harness;

  describe('editing a post', () => {
    const stage = useStage(harness);

    it('replaces its text', async () => {
      const ids = idsOf(await stage().send());
      expect(await stage().edit(ids, { text: 'Нашёлся' })).toEqual({ ok: true });
      expect(stage().shown()).toMatchObject([{ ids, text: 'Нашёлся' }]);
    });

    it('replaces the text of pictures, and keeps the pictures', async () => {
      const blobs = [new StoredBlob('one'), new StoredBlob('two')];
      const media = blobs.map((blob) => blob.asMedium());
      const ids = idsOf(await stage().send({ media }));
      expect(await stage().edit(ids, { text: 'Нашёлся', isCaption: true })).toEqual({ ok: true });
      expect(stage().shown()).toMatchObject([
        { text: 'Нашёлся', media: blobs.map((blob) => ({ sha256: blob.sha256 })) },
      ]);
    });

    it('changes the text of a post in several parts, and nothing else', async () => {
      const media = [new StoredBlob('one').asMedium()];
      const ids = idsOf(
        await stage().send({
          media,
          parts: [
            { kind: 'text', buttons: false },
            { kind: 'media', media: [0], caption: false, buttons: false },
          ],
        }),
      );
      expect(await stage().edit(ids, { text: 'Нашёлся' })).toEqual({ ok: true });
      expect(stage().shown()).toMatchObject([
        { text: 'Нашёлся', media: [] },
        { text: '', media: [{}] },
      ]);
    });

    it.each(harness.abilities.formats)('takes $format', async (sample) => {
      const ids = idsOf(await stage().send());
      const { text, format } = sample;
      expect(await stage().edit(ids, { text, format })).toEqual({ ok: true });
      expect(stage().shown()).toMatchObject([{ text: sample.read, html: sample.html }]);
    });

    it('is done when the text is the same already', async () => {
      const ids = idsOf(await stage().send({ text: 'Нашёлся' }));
      expect(await stage().edit(ids, { text: 'Нашёлся' })).toEqual({ ok: true });
      expect(stage().texts()).toEqual(['Нашёлся']);
    });

    it('fails for good when the post is gone', async () => {
      const ids = idsOf(await stage().send());
      await stage().remove(ids);
      const outcome = await stage().edit(ids, { text: 'Нашёлся' });
      expect(errorOf(outcome)).toMatchObject({
        category: 'PERMANENT',
        scope: 'delivery',
        code: 'message_not_found',
      });
      expect(stage().shown()).toEqual([]);
    });

    it('says that it does not know when no answer comes', async () => {
      const ids = idsOf(await stage().send());
      stage().faults.add({ kind: 'drop', stored: true, method: methods.editText, times: 1 });
      expect(errorOf(await stage().edit(ids, { text: 'Нашёлся' }))).toMatchObject({
        category: 'TRANSIENT',
        code: 'outcome_unknown',
      });
      expect(await stage().edit(ids, { text: 'Нашёлся' })).toEqual({ ok: true });
      expect(stage().texts()).toEqual(['Нашёлся']);
    });
  });

  describe('removing a post', () => {
    const stage = useStage(harness);

    it('takes all of its parts away', async () => {
      const media = [new StoredBlob('one').asMedium()];
      const ids = idsOf(
        await stage().send({
          media,
          parts: [
            { kind: 'text', buttons: false },
            { kind: 'media', media: [0], caption: false, buttons: false },
          ],
        }),
      );
      expect(ids).toHaveLength(2);
      expect(await stage().remove(ids)).toEqual({ ok: true });
      expect(stage().shown()).toEqual([]);
    });

    it('takes a whole album away', async () => {
      const media = ['one', 'two'].map((seed) => new StoredBlob(seed).asMedium());
      const ids = idsOf(await stage().send({ media }));
      expect(stage().shown()).toMatchObject([{ media: [{}, {}] }]);
      expect(await stage().remove(ids)).toEqual({ ok: true });
      expect(stage().shown()).toEqual([]);
    });

    it('leaves other posts alone', async () => {
      const ids = idsOf(await stage().send({ text: 'этот' }));
      idsOf(await stage().send({ text: 'другой', deliveryId: crypto.randomUUID() }));
      expect(await stage().remove(ids)).toEqual({ ok: true });
      expect(stage().texts()).toEqual(['другой']);
    });

    it('is done when the post is gone already', async () => {
      const ids = idsOf(await stage().send());
      expect(await stage().remove(ids)).toEqual({ ok: true });
      expect(await stage().remove(ids)).toEqual({ ok: true });
      expect(stage().shown()).toEqual([]);
    });

    it('can be repeated when no answer comes', async () => {
      const ids = idsOf(await stage().send());
      stage().faults.add({ kind: 'drop', stored: true, method: methods.remove, times: 1 });
      expect(errorOf(await stage().remove(ids))).toMatchObject({ category: 'TRANSIENT' });
      expect(await stage().remove(ids)).toEqual({ ok: true });
      expect(stage().shown()).toEqual([]);
    });

    it('is refused when the token is', async () => {
      const ids = idsOf(await stage().send());
      stage().faults.add({ kind: 'revoked', times: 1 });
      expect(errorOf(await stage().remove(ids))).toMatchObject({ code: 'credential_refused' });
      expect(stage().shown()).toHaveLength(1);
    });
  });
}
