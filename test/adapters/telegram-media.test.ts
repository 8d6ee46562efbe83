import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { MediaType, SendMedia } from '../../src/adapters/adapter.ts';
import { errorOf, idsOf, type Stage, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';
import { channel, telegramHarness } from './telegram-harness.ts';

const { unknownFileId } = telegramHarness.abilities;

const link = (name: string, type: MediaType = 'image'): SendMedia => ({
  type,
  source: { url: `https://example.org/${name}` },
});

/** A part of one medium, without the text. */
const alone = (place: number) =>
  ({ kind: 'media', media: [place], caption: false, buttons: false }) as const;

const text = { kind: 'text', buttons: false } as const;

function posts(stage: Stage) {
  return stage.simulator.chats().find((each) => each.chat === String(channel))?.posts ?? [];
}

const Size = z.object({ file_id: z.string(), width: z.number() });
const Photo = z.object({ result: z.object({ photo: z.array(Size) }) });

describe('one medium', () => {
  const stage = useStage(telegramHarness);

  it.each([
    ['image', 'sendPhoto', 'photo'],
    ['video', 'sendVideo', 'video'],
    ['audio', 'sendAudio', 'audio'],
    ['file', 'sendDocument', 'document'],
    ['animation', 'sendAnimation', 'animation'],
  ] as const)('of type %s goes by %s, and again by its file_id', async (type, method, kind) => {
    const blob = new StoredBlob('one');
    const media = [{ ...blob.asMedium(), type }];
    idsOf(await stage().send({ media }));
    idsOf(await stage().send({ media }));
    expect(blob).toMatchObject({ opened: 1, forgotten: 0 });
    expect(stage().calls.map((call) => call.method)).toEqual([method, method]);
    expect(stage().calls[1]?.request.json).toMatchObject({ [kind]: blob.fileId });
    const shown = { type: kind, sha256: blob.sha256 };
    expect(posts(stage())).toMatchObject([{ media: [shown] }, { media: [shown] }]);
  });

  it('has its own caption, which is plain, where the text is none', async () => {
    const media = [{ ...link('a.png'), caption: '<b>сам</b>' }];
    const parts = [alone(0)];
    idsOf(await stage().send({ format: 'HTML', media, parts }));
    expect(stage().texts()).toEqual(['<b>сам</b>']);
  });

  it('carries the text in place of its own caption', async () => {
    const media = [{ ...link('a.png'), caption: 'сам' }];
    idsOf(await stage().send({ text: '<b>Пост</b>', format: 'HTML', media }));
    expect(stage().texts()).toEqual(['Пост']);
  });

  it('that the plan names and the post has not is an error', async () => {
    const parts = [{ ...alone(0), media: [0, 1] }];
    const error = errorOf(await stage().send({ media: [link('a.png')], parts }));
    expect(error).toMatchObject({ category: 'PERMANENT', scope: 'delivery' });
    expect(stage().calls).toEqual([]);
  });
});

describe('the name of an upload', () => {
  let answer = '';
  const stage = useStage(telegramHarness, {
    disguise: (simulator) => ({
      ...simulator,
      async handle(request) {
        const reply = await simulator.handle(request);
        answer = reply.body;
        return reply;
      },
    }),
  });

  it('is that of the largest size of a photo', async () => {
    const blob = new StoredBlob('one');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    const sizes = Photo.parse(JSON.parse(answer)).result.photo;
    expect(sizes.length).toBeGreaterThan(1);
    expect(blob.kept).toEqual([sizes.find((size) => size.width === 640)?.file_id]);
  });

  it('of a photo is none for a file: the blob goes up as a file', async () => {
    const blob = new StoredBlob('one');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    idsOf(await stage().send({ media: [{ ...blob.asMedium(), type: 'file' }] }));
    expect(blob).toMatchObject({ opened: 2, forgotten: 1 });
    expect(posts(stage()).map((post) => post.media[0]?.type)).toEqual(['photo', 'document']);
  });

  it('is known to the later parts of the same post', async () => {
    const blob = new StoredBlob('one');
    const source = { blob: { ...frozen(blob), fileId: undefined } };
    const media: SendMedia[] = [
      { type: 'image', source },
      { type: 'image', source },
    ];
    const parts = [alone(0), { ...alone(0), media: [0, 1] }];
    idsOf(await stage().send({ media, parts }));
    expect(blob.opened).toBe(1);
    expect(stage().shown()).toMatchObject([{ media: [{}] }, { media: [{}, {}] }]);
  });

  it('of a photo is not tried for a file in the same post', async () => {
    const blob = new StoredBlob('one');
    const source = { blob: { ...frozen(blob), fileId: undefined } };
    const media = (['image', 'file'] as const).map((type) => ({ type, source }));
    idsOf(await stage().send({ media, parts: [alone(0), alone(1)] }));
    expect(blob).toMatchObject({ opened: 2, forgotten: 0 });
  });

  it('is kept once, and nobody else waits for that', async () => {
    const [one, two] = [new StoredBlob('one'), new StoredBlob('two')];
    two.keep = () => Promise.reject(new Error('the database is away'));
    const media = [two.asMedium(), one.asMedium(), link('a.png')];
    const ids = idsOf(await stage().send({ media, parts: [alone(0), alone(1), alone(2)] }));
    expect(ids).toHaveLength(3);
    expect(one.kept).toHaveLength(1);
  });

  it('that is wrong in form is forgotten as well', async () => {
    const blob = new StoredBlob('one');
    blob.fileId = 'no-file-id!';
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(blob).toMatchObject({ opened: 1, forgotten: 1 });
  });

  it('is kept after the part is on record', async () => {
    const blob = new StoredBlob('one');
    const seen: number[] = [];
    const onPart = async () => void seen.push(blob.kept.length);
    idsOf(await stage().send({ media: [blob.asMedium()], parts: [alone(0), text] }, { onPart }));
    expect(seen).toEqual([0]);
    expect(blob.kept).toHaveLength(1);
  });

  it('is kept although the record fails', async () => {
    const blob = new StoredBlob('one');
    const onPart = () => Promise.reject(new Error('the database is away'));
    errorOf(await stage().send({ media: [blob.asMedium()], parts: [alone(0), text] }, { onPart }));
    expect(blob.kept).toHaveLength(1);
  });

  it('that cannot be forgotten is not used all the same', async () => {
    const blob = new StoredBlob('one');
    blob.fileId = unknownFileId;
    blob.forget = () => Promise.reject(new Error('the database is away'));
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(blob.opened).toBe(1);
  });

  it('is not to blame for an address that is none', async () => {
    const media: SendMedia[] = [{ type: 'image', source: { url: 'http://localhost/a' } }];
    const error = errorOf(await stage().send({ media }));
    expect(error).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'validation_failed',
    });
    expect(stage().calls).toHaveLength(1);
  });

  it('is tried anew once: a refusal after that is one', async () => {
    const blob = new StoredBlob('one');
    blob.fileId = unknownFileId;
    const media: SendMedia[] = [
      blob.asMedium(),
      { type: 'image', source: { url: 'http://localhost/a' } },
    ];
    const error = errorOf(await stage().send({ media }));
    expect(error).toMatchObject({ category: 'PERMANENT', code: 'validation_failed' });
    expect(stage().calls).toHaveLength(2);
    expect(blob.forgotten).toBe(1);
  });
});

/** As a claimed delivery has it: what is kept during the send does not show. */
function frozen(blob: StoredBlob) {
  const { blobRef, filename, contentType, sizeBytes } = blob;
  return {
    blobRef,
    filename,
    contentType,
    sizeBytes,
    open: () => blob.open(),
    keep: (id: string) => blob.keep(id),
    forget: () => blob.forget(),
  };
}
