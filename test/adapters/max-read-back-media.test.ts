import { describe, expect, it } from 'vitest';
import type { SendRequest } from '../../src/adapters/adapter.ts';
import { group, maxHarness } from './max-harness.ts';
import { held, unheardOn } from './max-unheard.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

const stage = useStage(maxHarness);
const { to, sendUnheard, again } = unheardOn(stage);

describe('media whose outcome is unknown', () => {
  const blob = () => new StoredBlob('one');
  const media = (stored: StoredBlob, type: 'image' | 'file' = 'image') => ({
    text: '',
    media: [{ type, source: { blob: stored } }],
  });

  it('are found by their token', async () => {
    const [mine, other] = [blob(), new StoredBlob('two')];
    idsOf(await stage().send(media(other)));
    await sendUnheard(media(mine));
    idsOf(await stage().send(media(other)));
    const [, arrived] = stage().shown();
    expect(idsOf(await again(media(mine)))).toEqual(arrived?.ids);
    expect(stage().shown()).toHaveLength(3);
  });

  it('are found by the size of the file', async () => {
    const [mine, other] = [blob(), new StoredBlob('other', Buffer.from('of another size'))];
    idsOf(await stage().send(media(other, 'file')));
    await sendUnheard(media(mine, 'file'));
    mine.fileId = undefined;
    const [, arrived] = stage().shown();
    expect(idsOf(await again(media(mine, 'file')))).toEqual(arrived?.ids);
  });

  it('are sent when only files of another size are there', async () => {
    idsOf(await stage().send(media(new StoredBlob('other', Buffer.from('other')), 'file')));
    idsOf(await again(media(blob(), 'file')));
    expect(stage().shown()).toHaveLength(2);
  });

  it('are found behind a text although their size is not known', async () => {
    const stored = blob();
    const { blobRef, filename, contentType } = stored;
    const unsized = {
      blobRef,
      filename,
      contentType,
      open: () => stored.open(),
      keep: async () => undefined,
      forget: async () => undefined,
    };
    const request = { text: 'Вот', media: [{ type: 'file', source: { blob: unsized } }] } as const;
    await sendUnheard(request);
    expect(idsOf(await again(request))).toEqual(stage().shown()[0]?.ids);
    expect(stage().shown()).toHaveLength(1);
  });

  it('are sent when there are none like them', async () => {
    idsOf(await stage().send({ text: 'Вот', media: [blob().asMedium()] }));
    idsOf(await stage().send({ text: '', media: [blob(), blob()].map((each) => each.asMedium()) }));
    idsOf(await again(media(blob())));
    expect(stage().shown()).toHaveLength(3);
  });

  it('are held when nothing tells whose the like ones are', async () => {
    idsOf(await stage().send(media(new StoredBlob('two'))));
    const outcome = await again(media(blob()));
    expect(errorOf(outcome)).toMatchObject(held);
    expect(stage().shown()).toHaveLength(1);
    idsOf(await again({ ...media(blob()), ...to(String(group), { on_unknown: 'retry' }) }));
    expect(stage().shown()).toHaveLength(2);
  });
});

describe('a part whose outcome is unknown', () => {
  const parts = [
    { kind: 'media', media: [0], caption: false, buttons: false },
    { kind: 'media', media: [1], caption: false, buttons: false },
  ] as const;
  const plan = () => ({
    text: '',
    media: ['one', 'two'].map((seed) => new StoredBlob(seed).asMedium()),
    parts,
  });

  async function firstOf(request: Partial<SendRequest>): Promise<ReadonlyMap<number, string>> {
    stage().faults.add({ kind: 'rate_limited', method: 'POST /messages', after: 1, times: 1 });
    const { partsDone } = await stage().send(request);
    expect(partsDone).toHaveLength(1);
    return new Map(partsDone.map(({ item, providerMessageId }) => [item, providerMessageId]));
  }

  it('is not taken for the part before it', async () => {
    const request = plan();
    const partsDone = await firstOf(request);
    expect(idsOf(await again({ ...request, partsDone }))).toHaveLength(2);
    expect(stage().shown()).toHaveLength(2);
  });

  it('is not taken for a part behind it', async () => {
    const request = plan();
    const ids = idsOf(await stage().send(request));
    await stage().remove(ids.slice(0, 1));
    const partsDone = new Map([[1, ids[1] ?? '']]);
    expect(idsOf(await again({ ...request, partsDone }))).not.toEqual([ids[1], ids[1]]);
    expect(stage().shown()).toHaveLength(2);
  });

  it('is found behind the part before it, though nothing else tells it', async () => {
    idsOf(await stage().send(plan()));
    const before = stage().shown().length;
    const request = plan();
    const partsDone = await firstOf(request);
    await sendUnheard({ ...request, partsDone });
    const outcome = await again({ ...plan(), partsDone });
    expect(idsOf(outcome)).toEqual(
      stage()
        .shown()
        .slice(before)
        .flatMap((post) => post.ids),
    );
    expect(stage().shown()).toHaveLength(before + 2);
  });
});
