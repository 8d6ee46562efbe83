import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { SandboxReply } from '../../sandbox/simulator.ts';
import type { MediaType, SendMedia } from '../../src/adapters/adapter.ts';
import { errorOf, idsOf, type Stage, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';
import { channel, telegramHarness } from './telegram-harness.ts';

const link = (name: string, type: MediaType = 'image'): SendMedia => ({
  type,
  source: { url: `https://example.org/${name}` },
});

function posts(stage: Stage) {
  return stage.simulator.chats().find((each) => each.chat === String(channel))?.posts ?? [];
}

const Album = z.array(z.looseObject({ media: z.string() }));

/** The items of the albums that were asked for, whether as JSON or in a form. */
function albums(stage: Stage) {
  const calls = stage.calls.filter((call) => call.method === 'sendMediaGroup');
  return calls.map(({ request }) => {
    if (request.json === undefined) return Album.parse(JSON.parse(request.form['media'] ?? ''));
    return z.object({ media: Album }).parse(request.json).media;
  });
}

describe('an album', () => {
  const stage = useStage(telegramHarness);

  it.each([2, 10])('of %i has the ids of all its messages', async (count) => {
    const media = Array.from({ length: count }, (_, n) => new StoredBlob(`n${n}`).asMedium());
    const outcome = await stage().send({ media });
    const ids = posts(stage()).map((post) => post.id);
    expect(ids).toHaveLength(count);
    expect(idsOf(outcome)).toEqual([ids.join(',')]);
    expect(outcome).toMatchObject({ ok: true, providerMessageId: ids[0] });
  });

  it('has the text on its first item, and own captions on the others', async () => {
    const media = [link('a.png'), { ...link('b.mp4', 'video'), caption: '<i>вторая</i>' }];
    idsOf(await stage().send({ text: '<b>Пост</b>', format: 'HTML', media }));
    expect(posts(stage()).map((post) => post.html)).toEqual([
      '<b>Пост</b>',
      '&lt;i&gt;вторая&lt;/i&gt;',
    ]);
    expect(new Set(posts(stage()).map((post) => post.album)).size).toBe(1);
  });

  it('has only own captions where the text is none', async () => {
    const media = ['а', 'б', 'в'].map((caption) => ({ ...link('a.png'), caption }));
    const parts = [{ kind: 'media', media: [0, 1, 2], caption: false, buttons: false } as const];
    idsOf(await stage().send({ media, parts }));
    expect(posts(stage()).map((post) => post.text)).toEqual(['а', 'б', 'в']);
  });

  it('mixes uploads, file_ids and links, in their order', async () => {
    const [fresh, known] = [new StoredBlob('fresh'), new StoredBlob('known')];
    idsOf(await stage().send({ media: [known.asMedium()] }));
    const knownAs = known.fileId;
    const media = [link('a.png'), known.asMedium(), fresh.asMedium(), link('b.mp4', 'video')];
    idsOf(await stage().send({ media }));
    expect(albums(stage())[0]?.map((item) => item.media)).toEqual([
      'https://example.org/a.png',
      knownAs,
      'attach://file2',
      'https://example.org/b.mp4',
    ]);
    expect([known.opened, fresh.opened]).toEqual([1, 1]);
    expect(known.kept).toHaveLength(1);
    expect(stage().shown()[1]?.media).toMatchObject([
      { type: 'photo', url: 'https://example.org/a.png' },
      { sha256: known.sha256 },
      { sha256: fresh.sha256 },
      { type: 'video', url: 'https://example.org/b.mp4' },
    ]);
  });

  it.each(['file', 'video'] as const)(
    'takes a blob as a %s that was an animation before: it goes up once more',
    async (type) => {
      const [one, two] = [new StoredBlob('one'), new StoredBlob('two')];
      idsOf(await stage().send({ media: [{ ...one.asMedium(), type: 'animation' }] }));
      idsOf(
        await stage().send({ media: [one, two].map((blob) => ({ ...blob.asMedium(), type })) }),
      );
      expect(one).toMatchObject({ opened: 2, forgotten: 1 });
      const kind = type === 'file' ? 'document' : type;
      expect(posts(stage()).map((post) => post.media[0]?.type)).toEqual(['animation', kind, kind]);
    },
  );

  it.each(['file', 'audio'] as const)('of type %s is one too', async (type) => {
    const blobs = [new StoredBlob('one'), new StoredBlob('two')];
    idsOf(await stage().send({ media: blobs.map((blob) => ({ ...blob.asMedium(), type })) }));
    expect(stage().shown()).toMatchObject([
      { media: blobs.map((blob) => ({ sha256: blob.sha256 })) },
    ]);
  });

  it('asks for no buttons', async () => {
    const buttons = [[{ text: 'Сайт', url: 'https://example.org/' }]];
    idsOf(await stage().send({ buttons, media: [link('a.png'), link('b.png')] }));
    expect(stage().calls[0]?.request.json).not.toHaveProperty('reply_markup');
  });

  it.each(['Group send failed', 'PHOTO_INVALID_DIMENSIONS'])(
    'of which a part may be in the chat has an unknown outcome: %s',
    async (error) => {
      stage().simulator.control('albums', { chat: channel, accept: 1, error });
      const outcome = await stage().send({ media: [link('a.png'), link('b.png')] });
      expect(errorOf(outcome)).toMatchObject({
        category: 'TRANSIENT',
        scope: 'delivery',
        code: 'outcome_unknown',
      });
      expect(outcome.partsDone).toEqual([]);
      expect(posts(stage())).toHaveLength(1);
    },
  );
});

describe('an answer to an album', () => {
  let result: unknown;
  const stage = useStage(telegramHarness, {
    disguise: (simulator) => ({
      ...simulator,
      handle: (): SandboxReply => ({ status: 200, body: JSON.stringify({ ok: true, result }) }),
    }),
  });
  const media = () => [new StoredBlob('one'), new StoredBlob('two')];
  const send = (blobs: StoredBlob[]) => stage().send({ media: blobs.map((b) => b.asMedium()) });

  it.each([
    ['one message', { message_id: 1 }],
    ['fewer messages', [{ message_id: 1 }]],
    ['more messages', [{ message_id: 1 }, { message_id: 2 }, { message_id: 3 }]],
    ['nothing', []],
    ['a message without a number', [{ message_id: 1 }, {}]],
  ])('is not believed when it is %s', async (_what, value) => {
    result = value;
    expect(errorOf(await send(media()))).toMatchObject({ code: 'outcome_unknown' });
  });

  it('is believed whatever it says of the files', async () => {
    result = [
      { message_id: 1, photo: 'x' },
      { message_id: 2, photo: [{ file_id: 7 }], video: null },
    ];
    const blobs = media();
    expect(idsOf(await send(blobs))).toEqual(['1,2']);
    expect(blobs.flatMap((blob) => blob.kept)).toEqual([]);
  });

  it('tells the names of files that have become something else', async () => {
    result = [
      { message_id: 1, animation: { file_id: 'anim' }, document: { file_id: 'doc' } },
      { message_id: 2, document: { file_id: 'doc' } },
    ];
    const blobs = media();
    const video = blobs.map((blob) => ({ ...blob.asMedium(), type: 'video' as const }));
    idsOf(await stage().send({ media: video }));
    expect(blobs.flatMap((blob) => blob.kept)).toEqual(['anim', 'doc']);
  });
});
