// Pictures: uploaded once, kept, sent again by their name, uploaded anew when the name is gone.

import { describe, expect, it } from 'vitest';
import type { Harness } from './harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

export function describeMedia(harness: Harness): void {
  const { mediaByLink, unknownFileId } = harness.abilities;

  describe('sending media', () => {
    const stage = useStage(harness);

    it('shows one picture with its text', async () => {
      const blob = new StoredBlob('one');
      const ids = idsOf(await stage().send({ text: 'Вот он', media: [blob.asMedium()] }));
      expect(stage().shown()).toMatchObject([
        { ids, text: 'Вот он', media: [{ sha256: blob.sha256, size: blob.sizeBytes }] },
      ]);
    });

    it('shows one picture without text', async () => {
      const blob = new StoredBlob('one');
      idsOf(await stage().send({ text: '', media: [blob.asMedium()] }));
      expect(stage().shown()).toMatchObject([{ text: '', media: [{ sha256: blob.sha256 }] }]);
    });

    it.each([2, 10])('shows %i pictures as one post, in their order', async (count) => {
      const blobs = Array.from({ length: count }, (_, n) => new StoredBlob(`number-${n}`));
      const media = blobs.map((blob) => blob.asMedium());
      idsOf(await stage().send({ text: 'Все', media }));
      expect(stage().shown()).toMatchObject([
        { text: 'Все', media: blobs.map((blob) => ({ sha256: blob.sha256 })) },
      ]);
    });

    it('shows a picture whose length nobody told', async () => {
      const blob = new StoredBlob('one');
      blob.sizeBytes = undefined;
      idsOf(await stage().send({ media: [blob.asMedium()] }));
      expect(stage().shown()).toMatchObject([{ media: [{ sha256: blob.sha256 }] }]);
    });

    it('leaves the text out where it is no caption', async () => {
      const media = [new StoredBlob('one').asMedium()];
      const part = { kind: 'media', media: [0], caption: false, buttons: false } as const;
      idsOf(await stage().send({ text: 'Вот он', media, parts: [part] }));
      expect(stage().shown()).toMatchObject([{ text: '', media: [{}] }]);
    });

    it('uploads a picture once, and sends it again by the name that was kept', async () => {
      const blob = new StoredBlob('one');
      idsOf(await stage().send({ media: [blob.asMedium()] }));
      expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
      expect(blob.kept).toHaveLength(1);
      const again = { media: [blob.asMedium()], deliveryId: crypto.randomUUID() };
      idsOf(await stage().send(again));
      expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
      expect(stage().shown()).toMatchObject([
        { media: [{ sha256: blob.sha256 }] },
        { media: [{ sha256: blob.sha256 }] },
      ]);
    });

    it('keeps the name of each picture of an album', async () => {
      const blobs = [new StoredBlob('one'), new StoredBlob('two')];
      const media = () => blobs.map((blob) => blob.asMedium());
      idsOf(await stage().send({ media: media() }));
      expect(new Set(blobs.flatMap((blob) => blob.kept)).size).toBe(2);
      idsOf(await stage().send({ media: media().toReversed(), deliveryId: crypto.randomUUID() }));
      expect(blobs.map((blob) => blob.opened)).toEqual([1, 1]);
      expect(stage().shown()[1]?.media).toMatchObject(
        blobs.toReversed().map((blob) => ({ sha256: blob.sha256 })),
      );
    });

    it.each(['Вот он', ''])(
      'uploads anew what the provider knows no longer, with text "%s"',
      async (text) => {
        const blob = new StoredBlob('one');
        blob.fileId = unknownFileId;
        idsOf(await stage().send({ text, media: [blob.asMedium()] }));
        expect(blob).toMatchObject({ opened: 1, forgotten: 1 });
        expect(blob.kept).toHaveLength(1);
        expect(stage().shown()).toMatchObject([{ text, media: [{ sha256: blob.sha256 }] }]);
      },
    );

    it('uploads anew one picture of an album, and shows all in their order', async () => {
      const blobs = [new StoredBlob('one'), new StoredBlob('two'), new StoredBlob('three')];
      const media = () => blobs.map((blob) => blob.asMedium());
      idsOf(await stage().send({ media: media() }));
      const [, second] = blobs;
      if (second !== undefined) second.fileId = unknownFileId;
      idsOf(await stage().send({ media: media(), deliveryId: crypto.randomUUID() }));
      expect(second).toMatchObject({ opened: 2, forgotten: 1 });
      const pictures = blobs.map((blob) => ({ sha256: blob.sha256 }));
      expect(stage().shown()).toMatchObject([{ media: pictures }, { media: pictures }]);
    });

    it('posts a picture although its name cannot be kept', async () => {
      const blob = new StoredBlob('one');
      blob.keep = () => Promise.reject(new Error('the database is away'));
      idsOf(await stage().send({ media: [blob.asMedium()] }));
      expect(stage().shown()).toMatchObject([{ media: [{ sha256: blob.sha256 }] }]);
    });

    it('fails for good when the file is gone, and shows nothing', async () => {
      const blob = new StoredBlob('one');
      blob.isGone = true;
      const outcome = await stage().send({ media: [blob.asMedium()] });
      expect(errorOf(outcome)).toMatchObject({
        category: 'PERMANENT',
        scope: 'delivery',
        code: 'media_missing_origin',
      });
      expect(stage().shown()).toEqual([]);
    });

    it('fails for now while the store is away, and sends when it is back', async () => {
      const blob = new StoredBlob('one');
      blob.fault = new Error('EIO');
      const request = { media: [blob.asMedium()], deliveryId: stage().request().deliveryId };
      expect(errorOf(await stage().send(request))).toMatchObject({
        category: 'TRANSIENT',
        scope: 'delivery',
        code: 'media_unreadable',
      });
      expect(stage().shown()).toEqual([]);
      blob.fault = undefined;
      idsOf(await stage().send(request));
      expect(stage().shown()).toMatchObject([{ media: [{ sha256: blob.sha256 }] }]);
    });

    it.runIf(mediaByLink)('shows a picture by its address', async () => {
      const source = { url: 'https://example.org/dog.png' };
      idsOf(await stage().send({ text: 'Вот он', media: [{ type: 'image', source }] }));
      expect(stage().shown()).toMatchObject([{ text: 'Вот он', media: [source] }]);
    });

    it.runIf(!mediaByLink)('refuses a picture by its address, and calls nobody', async () => {
      const source = { url: 'https://example.org/dog.png' };
      const outcome = await stage().send({ media: [{ type: 'image', source }] });
      expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', scope: 'delivery' });
      expect(stage().calls).toEqual([]);
    });
  });
}
