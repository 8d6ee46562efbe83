import { describe, expect, it } from 'vitest';
import type { SendRequest } from '../../src/adapters/adapter.ts';
import { deliveryIdAt, errorOf, idsOf, useStage } from './stage.ts';
import { StoredBlob } from './stored-blob.ts';
import { communityToken, vkHarness, wall } from './vk-harness.ts';

const minute = 60_000;
const hour = 60 * minute;

const stage = useStage(vkHarness);

/** The methods that were called since the count. */
function methodsAfter(count: number): string[] {
  return stage()
    .calls.slice(count)
    .map((call) => call.method);
}

/** Sends what arrives and gets no answer, then sends it again after a while. */
async function repeatAfter(ms: number, changes: Partial<SendRequest> = {}) {
  const { deliveryId } = stage().request();
  stage().faults.add({ kind: 'drop', stored: true, method: 'wall.post', times: 1 });
  await stage().send({ deliveryId, ...changes });
  stage().clock.advance(ms);
  const before = stage().calls.length;
  const outcome = await stage().send({ deliveryId, outcomeUnknown: true, ...changes });
  return { outcome, methods: methodsAfter(before) };
}

function withSettings(settings: Readonly<Record<string, unknown>>): Partial<SendRequest> {
  return { channel: { ...stage().request().channel, settings } };
}

/** Someone posts on the wall without the adapter. */
function seed(post: Readonly<Record<string, unknown>>): void {
  stage().simulator.control('posts', { owner_id: Number(wall), posts: [post] });
}

describe('a repeated post', () => {
  it('goes by the guid within the hour, and reads nothing', async () => {
    const { outcome, methods } = await repeatAfter(54 * minute);
    expect(methods).toEqual(['wall.post']);
    expect(stage().shown()).toMatchObject([{ ids: idsOf(outcome) }]);
  });

  it('is looked for on the wall after the hour, and not posted again', async () => {
    const { outcome, methods } = await repeatAfter(3 * hour);
    expect(methods).toEqual(['wall.get']);
    expect(stage().shown()).toMatchObject([{ ids: idsOf(outcome) }]);
  });

  it('is posted after the hour when it is not on the wall', async () => {
    stage().faults.add({ kind: 'drop', stored: false, method: 'wall.post', times: 1 });
    const { deliveryId } = stage().request();
    await stage().send({ deliveryId });
    stage().clock.advance(3 * hour);
    idsOf(await stage().send({ deliveryId, outcomeUnknown: true }));
    expect(methodsAfter(1)).toEqual(['wall.get', 'wall.post']);
    expect(stage().shown()).toHaveLength(1);
  });

  it('is looked for within the hour where the settings ask for it', async () => {
    const settings = withSettings({ on_unknown: 'look' });
    const { outcome, methods } = await repeatAfter(minute, settings);
    expect(methods).toEqual(['wall.get']);
    expect(stage().shown()).toMatchObject([{ ids: idsOf(outcome) }]);
  });

  it('goes by the guid within the hour when the wall cannot be read', async () => {
    stage().faults.add({ kind: 'drop', method: 'wall.get', times: 1 });
    const settings = withSettings({ on_unknown: 'look' });
    const { outcome, methods } = await repeatAfter(minute, settings);
    expect(methods).toEqual(['wall.get', 'wall.post']);
    expect(stage().shown()).toMatchObject([{ ids: idsOf(outcome) }]);
  });

  it('is not looked for among posts from before the delivery was made', async () => {
    const date = Math.floor(stage().clock.now() / 1000);
    for (let n = 1; n <= 150; n += 1) seed({ text: `новость ${n}`, date: date - 1000 - n });
    const { methods } = await repeatAfter(3 * hour);
    expect(methods).toEqual(['wall.get']);
  });

  it('is not looked for when the outcome was known', async () => {
    stage().clock.advance(3 * hour);
    idsOf(await stage().send({ deliveryId: deliveryIdAt(stage().clock.now() - 2 * hour) }));
    expect(methodsAfter(0)).toEqual(['wall.post']);
  });

  it('is found among its photos when it has no text', async () => {
    const blobs = [new StoredBlob('one'), new StoredBlob('two')];
    const media = blobs.map((blob) => blob.asMedium());
    const { outcome, methods } = await repeatAfter(3 * hour, { text: '', media });
    expect(methods).toEqual(['wall.get']);
    expect(stage().shown()).toMatchObject([{ ids: idsOf(outcome) }]);
  });

  it('is told by its photos from another without text', async () => {
    const other = { text: '', media: [new StoredBlob('other').asMedium()] };
    idsOf(await stage().send({ ...other, deliveryId: crypto.randomUUID() }));
    stage().faults.add({ kind: 'drop', stored: false, method: 'wall.post', times: 1 });
    const { deliveryId } = stage().request();
    const own = { text: '', media: [new StoredBlob('own').asMedium()], deliveryId };
    await stage().send(own);
    stage().clock.advance(3 * hour);
    idsOf(await stage().send({ ...own, outcomeUnknown: true }));
    expect(stage().shown()).toHaveLength(2);
  });

  it('is not taken for the same words from before the delivery was made', async () => {
    idsOf(await stage().send({ deliveryId: crypto.randomUUID() }));
    stage().clock.advance(2 * minute);
    stage().faults.add({ kind: 'drop', stored: false, method: 'wall.post', times: 1 });
    const { deliveryId } = stage().request();
    await stage().send({ deliveryId });
    stage().clock.advance(3 * hour);
    idsOf(await stage().send({ deliveryId, outcomeUnknown: true }));
    expect(stage().shown()).toHaveLength(2);
  });

  it('is not taken for the same words of a stranger', async () => {
    const { deliveryId } = stage().request();
    stage().simulator.control('users', { id: 3000 });
    const date = Math.floor(stage().clock.now() / 1000) + 60;
    seed({ text: 'Пропал рыжий пёс', from_id: 3000, date });
    stage().clock.advance(3 * hour);
    idsOf(await stage().send({ deliveryId, outcomeUnknown: true }));
    expect(stage().shown()).toHaveLength(2);
  });

  it('is found behind a pinned post and a hundred others', async () => {
    const { deliveryId } = stage().request();
    stage().faults.add({ kind: 'drop', stored: true, method: 'wall.post', times: 1 });
    await stage().send({ deliveryId });
    const [arrived] = stage().shown();
    const date = Math.floor(stage().clock.now() / 1000);
    seed({ text: 'старый', date: date - 1_000_000, pinned: true });
    for (let n = 1; n <= 150; n += 1) seed({ text: `новость ${n}`, date: date + n });
    stage().clock.advance(3 * hour);
    const outcome = await stage().send({ deliveryId, outcomeUnknown: true });
    expect(idsOf(outcome)).toEqual(arrived?.ids);
    expect(methodsAfter(1)).toEqual(['wall.get', 'wall.get']);
  });

  it('is the first of several with its words', async () => {
    const { deliveryId } = stage().request();
    stage().faults.add({ kind: 'drop', stored: true, method: 'wall.post', times: 1 });
    await stage().send({ deliveryId });
    const [arrived] = stage().shown();
    seed({ text: 'Пропал рыжий пёс', date: Math.floor(stage().clock.now() / 1000) + 60 });
    stage().clock.advance(3 * hour);
    expect(idsOf(await stage().send({ deliveryId, outcomeUnknown: true }))).toEqual(arrived?.ids);
  });

  it('waits when the wall cannot be read now, and stays unknown', async () => {
    stage().clock.advance(3 * hour);
    const deliveryId = deliveryIdAt(stage().clock.now() - 2 * hour);
    stage().faults.add({ kind: 'drop', method: 'wall.get', times: 1 });
    const outcome = await stage().send({ deliveryId, outcomeUnknown: true });
    expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', code: 'read_failed' });
    expect(methodsAfter(0)).toEqual(['wall.get']);
  });

  it('waits alone when the quota of reading is used up', async () => {
    stage().simulator.control('limits', { wall_get_per_day: 0 });
    stage().clock.advance(3 * hour);
    const deliveryId = deliveryIdAt(stage().clock.now() - 2 * hour);
    const outcome = await stage().send({ deliveryId, outcomeUnknown: true });
    expect(errorOf(outcome)).toMatchObject({ category: 'TRANSIENT', scope: 'delivery' });
    expect(stage().shown()).toEqual([]);
  });

  it('is looked for although the id of the delivery tells no time', async () => {
    const { outcome, methods } = await repeatAfter(3 * hour, {
      deliveryId: '0f9c5d3e-5a3c-4c3f-9d53-2f0a4a8f8a11',
    });
    expect(methods).toEqual(['wall.get']);
    expect(stage().shown()).toMatchObject([{ ids: idsOf(outcome) }]);
  });
});

describe('with the token of a community, which may not read walls,', () => {
  const token = communityToken;

  it('a repeated post goes by the guid within the hour', async () => {
    const { outcome } = await repeatAfter(minute, {
      token,
      ...withSettings({ on_unknown: 'look' }),
    });
    expect(stage().shown()).toMatchObject([{ ids: idsOf(outcome) }]);
  });

  it('a repeated post is posted again after the hour', async () => {
    const { outcome, methods } = await repeatAfter(3 * hour, { token });
    expect(methods).toEqual(['wall.get', 'wall.post']);
    expect(stage().shown()).toHaveLength(2);
    expect(stage().shown()[1]?.ids).toEqual(idsOf(outcome));
  });

  it('a repeated post is held after the hour where the settings ask for it', async () => {
    const { outcome } = await repeatAfter(3 * hour, {
      token,
      ...withSettings({ on_unknown: 'hold' }),
    });
    expect(errorOf(outcome)).toMatchObject({
      category: 'PERMANENT',
      scope: 'delivery',
      code: 'outcome_unknown',
    });
    expect(stage().shown()).toHaveLength(1);
  });
});

describe('the guid', () => {
  const guids = () => stage().calls.flatMap((call) => call.request.form['guid'] ?? []);

  it('is the id of the delivery', async () => {
    const { deliveryId } = stage().request();
    idsOf(await stage().send({ deliveryId }));
    expect(guids()).toEqual([deliveryId]);
  });

  it('has the number of the part where there are several', async () => {
    const { deliveryId } = stage().request();
    idsOf(
      await stage().send({
        deliveryId,
        media: [new StoredBlob('one').asMedium()],
        parts: [
          { kind: 'text', buttons: false },
          { kind: 'media', media: [0], caption: false, buttons: false },
        ],
      }),
    );
    expect(guids()).toEqual([`${deliveryId}-0`, `${deliveryId}-1`]);
    expect(stage().shown()).toHaveLength(2);
  });

  it('tells two deliveries with the same words apart', async () => {
    const now = stage().clock.now();
    idsOf(await stage().send({ deliveryId: deliveryIdAt(now, 1) }));
    idsOf(await stage().send({ deliveryId: deliveryIdAt(now, 2) }));
    expect(stage().shown()).toHaveLength(2);
  });
});
