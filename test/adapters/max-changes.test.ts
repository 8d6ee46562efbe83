import { describe, expect, it } from 'vitest';
import { image, video } from '../support/sandbox/max-sandbox.ts';
import { dialog, group, maxHarness, personId } from './max-harness.ts';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';

const stage = useStage(maxHarness);

const day = 24 * 3_600_000;
const buttons = [[{ text: 'Сайт', url: 'https://example.org/' }]];
const others = [[{ text: 'Карта', url: 'https://example.org/map' }]];

describe('editing a post on MAX', () => {
  it('gives a text other buttons, or none', async () => {
    const ids = idsOf(await stage().send({ buttons }));
    expect(await stage().edit(ids, { text: 'a', buttons: others })).toEqual({ ok: true });
    expect(stage().shown()).toMatchObject([{ text: 'a', buttons: others }]);
    expect(await stage().edit(ids, { text: 'b' })).toEqual({ ok: true });
    expect(stage().shown()).toMatchObject([{ text: 'b', buttons: [] }]);
  });

  it.each([
    ['the same', buttons, buttons],
    ['other', buttons, others],
    ['new', [], buttons],
    ['no', buttons, []],
  ])('gives media %s buttons, and keeps the media', async (_which, before, after) => {
    const blobs = [new StoredBlob('one', image('1')), new StoredBlob('two', video('2'))];
    const [one, two] = blobs;
    if (one === undefined || two === undefined) throw new Error('There are two.');
    const media = [one.asMedium(), { type: 'video', source: { blob: two } }] as const;
    const ids = idsOf(await stage().send({ buttons: before, media }));
    const change = { text: 'Нашёлся', isCaption: true, buttons: after };
    expect(await stage().edit(ids, change)).toEqual({ ok: true });
    expect(stage().shown()).toMatchObject([
      { text: 'Нашёлся', buttons: after, media: blobs.map(({ sha256 }) => ({ sha256 })) },
    ]);
    expect(stage().shown()[0]?.buttons).toHaveLength(after.length);
  });

  it('leaves attachments out where they stay', async () => {
    const ids = idsOf(await stage().send({ buttons, media: [new StoredBlob('one').asMedium()] }));
    await stage().edit(ids, { text: 'x', isCaption: true, buttons });
    expect(stage().calls.at(-1)?.request.json).toEqual({ text: 'x' });
  });

  it('that MAX denies by its flag alone has failed', async () => {
    const channel = { ...stage().request().channel, targetId: String(dialog) };
    const ids = idsOf(await stage().send({ channel }));
    stage().clock.advance(8 * day);
    expect(errorOf(await stage().edit(ids, { text: 'x' }))).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'not_changeable',
      message: 'MAX says success_false, Message is too old to be edited',
    });
  });

  it('of media that are gone says so, and changes nothing', async () => {
    const media = [new StoredBlob('one').asMedium()];
    const ids = idsOf(await stage().send({ media }));
    await stage().remove(ids);
    expect(errorOf(await stage().edit(ids, { isCaption: true }))).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'message_not_found',
    });
    expect(stage().calls.map(({ method }) => method)).not.toContain('PUT /messages');
  });

  it('of nothing says so', async () => {
    expect(errorOf(await stage().edit([], {}))).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'message_not_found',
    });
    expect(stage().calls).toEqual([]);
  });
});

describe('removing a post from MAX', () => {
  const deny = () =>
    stage().faults.add({ kind: 'success_false', method: 'DELETE /messages', times: 1 });

  it('has failed when the flag says so and the post is still there', async () => {
    const ids = idsOf(await stage().send());
    deny();
    expect(errorOf(await stage().remove(ids))).toMatchObject({ code: 'not_changeable' });
    expect(stage().shown()).toHaveLength(1);
  });

  it('has failed when the flag says so and nobody can look', async () => {
    const ids = idsOf(await stage().send());
    deny();
    stage().faults.add({ kind: 'server_error', method: 'GET /messages/{messageId}', times: 1 });
    expect(errorOf(await stage().remove(ids))).toMatchObject({ code: 'not_changeable' });
  });

  it('goes on behind a part that a person has removed', async () => {
    const media = [new StoredBlob('one').asMedium()];
    const parts = [
      { kind: 'text', buttons: false },
      { kind: 'media', media: [0], caption: false, buttons: false },
    ] as const;
    const ids = idsOf(await stage().send({ media, parts }));
    stage().simulator.control('remove', { message_id: ids[0], user_id: personId });
    expect(await stage().remove(ids)).toEqual({ ok: true });
    expect(stage().shown()).toEqual([]);
  });

  it('ends at the first part that stays', async () => {
    const ids = [idsOf(await stage().send()), idsOf(await stage().send())].flat();
    stage().simulator.control('membership', { chat_id: group, user_id: personId, admin: false });
    expect(errorOf(await stage().remove(ids))).toMatchObject({
      category: 'PERMANENT',
      scope: 'channel',
      code: 'not_allowed',
    });
    expect(stage().shown()).toHaveLength(2);
    expect(stage().calls.filter(({ method }) => method === 'DELETE /messages')).toHaveLength(1);
  });
});
