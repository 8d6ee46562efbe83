import { describe, expect, it } from 'vitest';
import { errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';
import { admin, community, vkHarness } from './vk-harness.ts';

const stage = useStage(vkHarness);

const methods = () => stage().calls.map((call) => call.method);
const formOf = (method: string) =>
  stage().calls.find((call) => call.method === method)?.request.form ?? {};
const control = (name: string, body: object) => stage().simulator.control(name, body);

describe('a photo', () => {
  it('is uploaded in three steps, as the field "photo", with its name and type', async () => {
    const blob = new StoredBlob('dog');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(methods()).toEqual([
      'photos.getWallUploadServer',
      'upload',
      'photos.saveWallPhoto',
      'wall.post',
    ]);
    expect(formOf('photos.getWallUploadServer')).toMatchObject({ group_id: String(community) });
    expect(stage().calls[1]?.request.files).toMatchObject([
      {
        field: 'photo',
        filename: 'dog.png',
        contentType: 'image/png',
        size: blob.sizeBytes,
        sha256: blob.sha256,
      },
    ]);
    expect(formOf('photos.saveWallPhoto')).toMatchObject({ group_id: String(community) });
  });

  it('is kept under its owner, number and key', async () => {
    const blob = new StoredBlob('dog');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(blob.kept).toEqual([expect.stringMatching(`^photo${admin}_\\d+_[0-9a-f]{18}$`)]);
    expect(formOf('wall.post')).toMatchObject({ attachments: blob.kept[0] });
  });

  it('has an address of its own for each upload', async () => {
    const media = ['one', 'two'].map((seed) => new StoredBlob(seed).asMedium());
    idsOf(await stage().send({ media }));
    const uploads = stage().calls.filter((call) => call.method === 'upload');
    expect(new Set(uploads.map((call) => call.request.path)).size).toBe(2);
  });

  it('is uploaded once more when an upload yields none', async () => {
    control('fail_uploads', { times: 1 });
    const blob = new StoredBlob('dog');
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(blob.opened).toBe(2);
    expect(stage().shown()).toMatchObject([{ media: [{ sha256: blob.sha256 }] }]);
  });

  it('is refused for good when a second upload yields none', async () => {
    const blob = new StoredBlob('text', Buffer.from('this is no picture'));
    const outcome = await stage().send({ media: [blob.asMedium()] });
    const error = errorOf(outcome);
    expect(error).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'validation_failed',
    });
    expect(error.message).toContain('text.png');
    expect(methods()).not.toContain('photos.saveWallPhoto');
    expect(methods()).not.toContain('wall.post');
  });

  it.each(['video', 'audio', 'file'] as const)('is what VK takes, and no %s', async (type) => {
    const media = [{ ...new StoredBlob('one').asMedium(), type }];
    const outcome = await stage().send({ media });
    expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', scope: 'delivery' });
    expect(errorOf(outcome).message).toContain(type);
    expect(methods()).toEqual([]);
  });

  it('may be an animation', async () => {
    idsOf(
      await stage().send({ media: [{ ...new StoredBlob('a').asMedium(), type: 'animation' }] }),
    );
    expect(stage().shown()).toMatchObject([{ media: [{}] }]);
  });

  it.each([
    ['photos.getWallUploadServer', 10],
    ['photos.saveWallPhoto', 1],
    ['photos.saveWallPhoto', 36],
  ])('leaves no doubt about the post when %s ends with %i', async (method, code) => {
    control('fail', { method, code });
    const outcome = await stage().send({ media: [new StoredBlob('one').asMedium()] });
    expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', code: 'upload_failed' });
    expect(methods()).not.toContain('wall.post');
  });

  it.each([121, 118, 114])(
    'is uploaded by the next attempt when saving ends with %i',
    async (code) => {
      control('fail', { method: 'photos.saveWallPhoto', code });
      const blob = new StoredBlob('one');
      const outcome = await stage().send({ media: [blob.asMedium()] });
      expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', scope: 'delivery' });
      expect(blob.kept).toEqual([]);
      idsOf(await stage().send({ media: [blob.asMedium()] }));
    },
  );

  it('is too large when the upload server says so', async () => {
    stage().faults.add({ kind: 'empty_body', status: 413, method: 'upload', times: 1 });
    const outcome = await stage().send({ media: [new StoredBlob('one').asMedium()] });
    expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', scope: 'delivery' });
  });

  it('does not close the channel when an upload address is gone', async () => {
    stage().faults.add({ kind: 'empty_body', status: 404, method: 'upload', times: 1 });
    const outcome = await stage().send({ media: [new StoredBlob('one').asMedium()] });
    expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', scope: 'delivery' });
  });

  it('on the wall of a person is not for a community', async () => {
    const channel = { ...stage().request().channel, targetId: String(admin) };
    idsOf(await stage().send({ channel, media: [new StoredBlob('one').asMedium()] }));
    expect(formOf('photos.getWallUploadServer')).not.toHaveProperty('group_id');
    expect(formOf('photos.saveWallPhoto')).toMatchObject({ user_id: String(admin) });
  });
});

describe('the pace of uploads', () => {
  const media = () => ['one', 'two'].map((seed) => new StoredBlob(seed).asMedium());

  it('is slowed down when the calls of one post fill the second', async () => {
    for (const method of ['photos.getWallUploadServer', 'photos.saveWallPhoto', 'wall.post']) {
      stage().faults.add({ kind: 'rate_limited', method, times: 2 });
    }
    idsOf(await stage().send({ media: media() }));
    expect(stage().shown()).toMatchObject([{ media: [{}, {}] }]);
  });

  it('ends after a few tries', async () => {
    stage().faults.add({ kind: 'rate_limited', method: 'photos.saveWallPhoto' });
    const outcome = await stage().send({ media: media() });
    expect(errorOf(outcome)).toMatchObject({
      category: 'TRANSIENT',
      scope: 'platform',
      code: 'rate_limited',
    });
    expect(methods().filter((method) => method === 'photos.saveWallPhoto')).toHaveLength(5);
  });

  it('ends at once when the send is stopped', async () => {
    stage().faults.add({ kind: 'rate_limited', method: 'photos.saveWallPhoto' });
    const stopping = new AbortController();
    const saving = stage().nextCall('photos.saveWallPhoto');
    const outcome = stage().send({ media: media() }, { signal: stopping.signal });
    await saving;
    stopping.abort();
    expect(errorOf(await outcome).category).toBe('TRANSIENT');
    expect(methods()).not.toContain('wall.post');
  });
});

describe('a photo that VK has lost', () => {
  it('does not spoil the post when it cannot be added again', async () => {
    const blob = new StoredBlob('one');
    blob.fileId = vkHarness.abilities.unknownFileId;
    control('fail', { method: 'wall.edit', code: 10 });
    const outcome = await stage().send({ media: [blob.asMedium()] });
    expect(outcome).toMatchObject({ ok: true });
    expect(stage().shown()).toMatchObject([{ text: 'Пропал рыжий пёс', media: [] }]);
  });

  it('does not spoil the post when the wall cannot be read', async () => {
    const blob = new StoredBlob('one');
    blob.fileId = vkHarness.abilities.unknownFileId;
    control('fail', { method: 'wall.getById', code: 10 });
    idsOf(await stage().send({ media: [blob.asMedium()] }));
    expect(stage().shown()).toHaveLength(1);
  });

  it('is uploaded anew alone, without those that were uploaded just now', async () => {
    const lost = new StoredBlob('lost');
    lost.fileId = vkHarness.abilities.unknownFileId;
    const fresh = new StoredBlob('fresh');
    control('fail', { method: 'wall.post', code: 100 });
    idsOf(await stage().send({ media: [lost.asMedium(), fresh.asMedium()] }));
    expect([lost.opened, fresh.opened]).toEqual([1, 1]);
    expect(stage().shown()).toMatchObject([
      { media: [{ sha256: lost.sha256 }, { sha256: fresh.sha256 }] },
    ]);
  });

  it('is uploaded anew once only', async () => {
    const blob = new StoredBlob('one');
    blob.fileId = vkHarness.abilities.unknownFileId;
    control('fail', { method: 'wall.post', code: 100, times: 2 });
    const outcome = await stage().send({ text: '', media: [blob.asMedium()] });
    expect(errorOf(outcome)).toMatchObject({ category: 'PERMANENT', code: 'validation_failed' });
    expect(blob).toMatchObject({ opened: 1, forgotten: 1 });
  });
});
