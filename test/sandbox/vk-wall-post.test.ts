import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  admin,
  community,
  photoFile,
  startSeconds,
  startVk,
  stranger,
  upload,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

const hour = 3600_000;
let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

async function savePhoto(seed: string, token = vk.tokens.admin): Promise<string> {
  const address = z.looseObject({ upload_url: z.string() });
  const asked = { group_id: community };
  const { upload_url: url } = address.parse(
    await vk.call('photos.getWallUploadServer', token === vk.tokens.admin ? asked : {}, token),
  );
  const saved = await vk.call('photos.saveWallPhoto', await upload(url, photoFile(seed)), token);
  const [photo] = z
    .array(z.looseObject({ owner_id: z.number(), id: z.number(), access_key: z.string() }))
    .parse(saved);
  return `photo${photo?.owner_id}_${photo?.id}_${photo?.access_key}`;
}

describe('a post', () => {
  it('speaks for the community with from_group, else for the person; signed names the person', async () => {
    await vk.post({ message: 'от группы' });
    await vk.post({ message: 'от себя', from_group: 0 });
    await vk.post({ message: 'с подписью', signed: 1 });
    const { items } = z
      .looseObject({ items: z.array(z.looseObject({ text: z.string(), from_id: z.number() })) })
      .parse(await vk.call('wall.get', { owner_id: wall }));
    const byText = Object.fromEntries(items.map((each) => [each.text, each]));
    expect(byText['от группы']).toMatchObject({ from_id: wall, created_by: admin });
    expect(byText['от группы']).not.toHaveProperty('signer_id');
    expect(byText['от себя']).toMatchObject({ from_id: admin });
    expect(byText['с подписью']).toMatchObject({ from_id: wall, signer_id: admin });
  });

  it('shows to strangers without the name of its writer', async () => {
    const id = await vk.post();
    const read = await vk.call('wall.getById', { posts: `${wall}_${id}` }, vk.tokens.stranger);
    expect(read).toMatchObject({ items: [{ id, text: 'Пропал рыжий пёс' }] });
    expect(JSON.stringify(read)).not.toContain('created_by');
  });

  it('reads flags as numbers: "true" is no', async () => {
    const id = await vk.post({ from_group: 'true' });
    expect(await vk.call('wall.getById', { posts: `${wall}_${id}` })).toMatchObject({
      items: [{ from_id: admin }],
    });
  });

  it('goes to the own wall without owner_id', async () => {
    await vk.call('wall.post', { message: 'у себя' });
    expect(vk.texts(admin)).toEqual(['у себя']);
  });

  it('names its source in copyright', async () => {
    const id = await vk.post({ copyright: 'https://example.com/news/1' });
    expect(await vk.call('wall.getById', { posts: `${wall}_${id}` })).toMatchObject({
      items: [{ copyright: { link: 'https://example.com/news/1', type: 'link' } }],
    });
    expect(await vk.refusal('wall.post', { message: 'x', copyright: 'nowhere' })).toMatchObject({
      error_code: 3102,
    });
  });

  it('takes 15000 characters', async () => {
    await vk.post({ message: 'ы'.repeat(15_000) });
    expect(vk.texts()[0]).toHaveLength(15_000);
  });

  it('may be for subscribers where the community has them', async () => {
    vk.control('communities', { id: 501, admins: [admin], donut: true });
    await vk.call('wall.post', { owner_id: -501, message: 'x', donut_paid_duration: 604_800 });
    expect(vk.texts(-501)).toEqual(['x']);
  });

  it('without links goes where links are forbidden', async () => {
    vk.control('wall', { owner_id: wall, links_forbidden: true });
    await vk.post({ message: 'Рост 50 см. Окрас рыжий', attachments: 'video1_1' });
    expect(vk.texts()).toHaveLength(1);
  });

  it('shows an address as a link, without the punctuation that ends the sentence', async () => {
    await vk.post({ message: '(https://x.io/Bim_(dog)).' });
    expect(vk.chat(wall).posts[0]?.html).toBe(
      '(<a href="https://x.io/Bim_(dog)">https://x.io/Bim_(dog)</a>).',
    );
  });

  it('takes parameters from a query, and the token from a header', async () => {
    const query = new URLSearchParams({ owner_id: String(wall), message: 'GET', v: '5.199' });
    const response = await fetch(`${vk.server.url}/method/wall.post?${query.toString()}`, {
      headers: { authorization: `Bearer ${vk.tokens.admin}` },
    });
    expect(await response.json()).toEqual({ response: { post_id: 1 } });
    expect(vk.texts()).toEqual(['GET']);
  });
});

describe('a guid', () => {
  it('adds one post within an hour, and answers the repetition with the same id', async () => {
    const first = await vk.post({ guid: 'delivery-1' });
    vk.clock.advance(hour - 1);
    expect(await vk.post({ guid: 'delivery-1', message: 'другими словами' })).toBe(first);
    expect(vk.texts()).toEqual(['Пропал рыжий пёс']);
  });

  it('is forgotten after an hour', async () => {
    const first = await vk.post({ guid: 'delivery-1' });
    vk.clock.advance(hour);
    expect(await vk.post({ guid: 'delivery-1' })).not.toBe(first);
    expect(vk.texts()).toHaveLength(2);
  });

  it('belongs to one sender and one wall', async () => {
    vk.control('wall', { owner_id: wall, wall: 'open' });
    await vk.post({ guid: 'same' });
    await vk.post({ guid: 'same', from_group: 0 }, vk.tokens.stranger);
    await vk.call('wall.post', { message: 'у себя', guid: 'same' });
    expect(vk.texts()).toHaveLength(2);
    expect(vk.texts(admin)).toHaveLength(1);
  });

  it('of a refused post is free', async () => {
    await vk.refusal('wall.post', { owner_id: wall, guid: 'delivery-1' });
    await vk.post({ guid: 'delivery-1' });
    expect(vk.texts()).toHaveLength(1);
  });
});

describe('attachments', () => {
  it('are ten media and one link at most', async () => {
    const photos = [];
    for (let index = 0; index < 11; index += 1) photos.push(await savePhoto(`photo ${index}`));
    const ten = photos.slice(0, 10).join(',');
    await vk.post({ message: '', attachments: `${ten},https://example.com/a` });
    expect(vk.chat(wall).posts[0]?.media).toHaveLength(11);
    for (const attachments of [photos.join(','), 'https://example.com/a,https://example.com/b']) {
      const error = await vk.refusal('wall.post', { owner_id: wall, message: 'x', attachments });
      expect(error).toMatchObject({ error_code: 100 });
    }
    expect(vk.chat(wall).posts).toHaveLength(1);
  });

  it('are one poll at most', async () => {
    await vk.post({ attachments: 'poll1_1,video1_1,doc1_1' });
    expect(vk.chat(wall).posts[0]?.media).toHaveLength(3);
    const polls = { owner_id: wall, message: 'x', attachments: 'poll1_1,poll1_2' };
    expect((await vk.refusal('wall.post', polls)).error_code).toBe(100);
  });

  it('that VK cannot find are left out; a post of nothing else is refused', async () => {
    await vk.post({ attachments: 'photo1_1,nonsense,video-1_2' });
    expect(vk.chat(wall).posts[0]?.media).toEqual([{ type: 'video' }]);
    const nothing = { owner_id: wall, attachments: 'photo1_1' };
    expect((await vk.refusal('wall.post', nothing)).error_msg).toMatch(/: invalid message param$/);
  });

  it('of somebody else need their access key until they are on a wall', async () => {
    const photo = await savePhoto('private');
    const bare = photo.replace(/_[a-z0-9]+$/, '');
    const post = (attachments: string) =>
      vk.call('wall.post', { message: 'x', attachments }, vk.tokens.stranger);
    await post(bare);
    await post(photo);
    await vk.post({ attachments: bare });
    await post(bare);
    expect(vk.chat(stranger).posts.map((each) => each.media.length)).toEqual([0, 1, 1]);
  });
});

describe('a postponed post', () => {
  const later = startSeconds + 3600;

  it('shows at its time, under a new id', async () => {
    const planned = await vk.post({ publish_date: later });
    expect(vk.texts()).toEqual([]);
    expect(await vk.call('wall.get', { owner_id: wall, filter: 'postponed' })).toMatchObject({
      count: 1,
      items: [{ id: planned, post_type: 'postpone', date: later }],
    });
    vk.clock.advance(hour);
    const [shown] = vk.chat(wall).posts;
    expect(shown?.sentAt).toBe('2026-03-02T11:00:00.000Z');
    expect(Number(shown?.id)).not.toBe(planned);
    expect(await vk.call('wall.get', { owner_id: wall })).toMatchObject({
      items: [{ postponed_id: planned, post_type: 'post' }],
    });
  });

  it('may lie a year ahead; 0 is now', async () => {
    await vk.post({ publish_date: startSeconds + 366 * 86_400 });
    expect(vk.texts()).toEqual([]);
    await vk.post({ publish_date: 0 });
    expect(vk.texts()).toHaveLength(1);
  });

  it('is published by its owner alone', async () => {
    vk.control('wall', { owner_id: wall, wall: 'open' });
    const planned = { owner_id: wall, post_id: await vk.post({ publish_date: later }) };
    expect((await vk.refusal('wall.post', planned, vk.tokens.stranger)).error_code).toBe(210);
    expect(vk.texts()).toEqual([]);
  });

  it('is published at once by post_id', async () => {
    const planned = await vk.post({ publish_date: later });
    await vk.call('wall.post', { owner_id: wall, post_id: planned });
    expect(vk.texts()).toEqual(['Пропал рыжий пёс']);
    const error = await vk.refusal('wall.post', { owner_id: wall, post_id: planned });
    expect(error.error_code).toBe(100);
  });

  it('never shows once it is deleted', async () => {
    const planned = await vk.post({ publish_date: later });
    await vk.call('wall.delete', { owner_id: wall, post_id: planned });
    vk.clock.advance(hour);
    expect(vk.texts()).toEqual([]);
  });

  it('moves to another time by an edit', async () => {
    const planned = await vk.post({ publish_date: later });
    const changed = {
      owner_id: wall,
      post_id: planned,
      message: 'позже',
      publish_date: later + 60,
    };
    await vk.call('wall.edit', changed);
    vk.clock.advance(hour);
    expect(vk.texts()).toEqual([]);
    vk.clock.advance(60_000);
    expect(vk.texts()).toEqual(['позже']);
  });
});
