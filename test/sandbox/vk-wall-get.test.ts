import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  admin,
  community,
  startSeconds,
  startVk,
  stranger,
  type VkSandbox,
  wall,
} from '../support/sandbox/vk-sandbox.ts';

const listSchema = z.looseObject({
  count: z.number(),
  items: z.array(z.looseObject({ id: z.number(), text: z.string() })),
});

let vk: VkSandbox;

beforeEach(async () => {
  vk = await startVk();
});

afterEach(() => vk.close());

function seed(...posts: readonly object[]): void {
  vk.control('posts', { owner_id: wall, posts });
}

async function read(values: Readonly<Record<string, string | number>> = {}) {
  return listSchema.parse(
    await vk.call('wall.get', { owner_id: wall, ...values }, vk.tokens.service),
  );
}

async function ids(values?: Readonly<Record<string, string | number>>): Promise<number[]> {
  return (await read(values)).items.map((each) => each.id);
}

describe('wall.get', () => {
  it('lists the newest first, but the pinned post before all', async () => {
    seed(
      { id: 10, date: startSeconds - 500, pinned: true },
      { id: 12, date: startSeconds - 100 },
      { id: 11, date: startSeconds - 300 },
      { id: 13, date: startSeconds - 100 },
    );
    expect(await ids()).toEqual([10, 13, 12, 11]);
    const { items } = await read();
    expect(items[0]).toMatchObject({ is_pinned: 1 });
    expect(items[1]).not.toHaveProperty('is_pinned');
  });

  it('has one pinned post: the last', async () => {
    seed({ id: 1, pinned: true }, { id: 2 }, { id: 3, pinned: true }, { id: 4 });
    const { items } = await read();
    expect(items.map((each) => [each.id, each['is_pinned']])).toEqual([
      [3, 1],
      [4, undefined],
      [2, undefined],
      [1, undefined],
    ]);
  });

  it('pages by offset, which a new post shifts', async () => {
    seed(
      ...Array.from({ length: 5 }, (_, index) => ({ id: index + 1, date: startSeconds + index })),
    );
    expect(await ids({ count: 2 })).toEqual([5, 4]);
    seed({ id: 6, date: startSeconds + 6 });
    expect(await ids({ count: 2, offset: 2 })).toEqual([4, 3]);
    expect(await read({ offset: 6 })).toMatchObject({ count: 6, items: [] });
  });

  it('gives 20 posts unless asked, and never more than 100', async () => {
    seed(...Array.from({ length: 120 }, () => ({})));
    expect(await ids()).toHaveLength(20);
    expect(await ids({ count: 500 })).toHaveLength(100);
    expect((await read()).count).toBe(120);
  });

  it.each([
    ['owner', ['ours']],
    ['others', ['theirs']],
    ['all', ['theirs', 'ours']],
  ])('tells posts of the owner from those of others: %s', async (filter, texts) => {
    seed({ text: 'ours' }, { text: 'theirs', from_id: stranger });
    expect((await read({ filter })).items.map((each) => each.text)).toEqual(texts);
  });

  it('shows what is planned or suggested to the owner alone', async () => {
    seed(
      { text: 'planned', state: 'postponed', date: startSeconds + 60 },
      { text: 'suggested', state: 'suggested' },
    );
    const asAdmin = (filter: string) => vk.call('wall.get', { owner_id: wall, filter });
    expect(await asAdmin('postponed')).toMatchObject({ items: [{ text: 'planned' }] });
    expect(await asAdmin('suggests')).toMatchObject({ items: [{ text: 'suggested' }] });
    expect(await asAdmin('all')).toMatchObject({ count: 0 });
    for (const filter of ['postponed', 'suggests', 'archived']) {
      const values = { owner_id: wall, filter };
      expect((await vk.refusal('wall.get', values, vk.tokens.service)).error_code).toBe(15);
      expect((await vk.refusal('wall.get', values, vk.tokens.stranger)).error_code).toBe(15);
    }
  });

  it('has neither archived posts nor posts for subscribers', async () => {
    seed({ text: 'ours' }, { text: 'theirs', from_id: stranger });
    const values = { owner_id: wall, filter: 'archived' };
    expect(await vk.call('wall.get', values)).toMatchObject({ count: 0 });
    expect(await ids({ filter: 'donut' })).toEqual([]);
  });

  it('shows a repost: the words and photos live in copy_history, its own text may be empty', async () => {
    seed({
      text: '',
      copy_history: [
        { owner_id: -7, id: 70, from_id: -7, text: 'Найдена кошка', photos: [{ text: 'кошка' }] },
      ],
    });
    expect((await read()).items).toMatchObject([
      {
        text: '',
        copy_history: [
          {
            id: 70,
            owner_id: -7,
            text: 'Найдена кошка',
            attachments: [{ type: 'photo', photo: { text: 'кошка', owner_id: -7 } }],
          },
        ],
      },
    ]);
    expect(vk.texts()).toEqual(['Найдена кошка']);
  });

  it('shows photos without text, with the sizes that were seeded as they are', async () => {
    const sizes = [
      { type: 'x', url: 'https://example.com/x.jpg', width: 0, height: 0 },
      { type: 'w', url: 'https://example.com/w.jpg', width: 0, height: 0 },
    ];
    seed({
      photos: [
        { id: 77, sizes },
        { width: 3000, height: 2000 },
      ],
    });
    const { items } = await read();
    expect(items[0]?.text).toBe('');
    expect(items[0]).toMatchObject({
      attachments: [
        { photo: { id: 77, sizes } },
        { photo: { owner_id: wall, user_id: 100, has_tags: false } },
      ],
    });
    expect(items[0]).not.toHaveProperty('attachments.0.photo.orig_photo');
    expect(JSON.stringify(items[0])).toContain('"type":"w","url":"http://127.0.0.1');
  });

  it('shows advertisements and other attachments as such', async () => {
    seed({ ads: true, attachments: [{ type: 'video', video: { id: 5, owner_id: -9 } }] });
    expect((await read()).items).toMatchObject([
      { marked_as_ads: 1, attachments: [{ type: 'video', video: { id: 5, owner_id: -9 } }] },
    ]);
  });

  it('names everybody in the posts when extended', async () => {
    vk.control('communities', { id: 7, name: 'Кошки' });
    seed(
      { from_id: stranger, signer_id: admin },
      { copy_history: [{ owner_id: -7, id: 70, text: 'x' }] },
    );
    expect(await read({ extended: 1 })).toMatchObject({
      profiles: expect.arrayContaining([
        expect.objectContaining({ id: stranger, first_name: 'Пётр' }),
        expect.objectContaining({ id: admin }),
      ]),
      groups: expect.arrayContaining([
        expect.objectContaining({ id: community, name: 'Потеряшки' }),
        expect.objectContaining({ id: 7, name: 'Кошки' }),
      ]),
    });
    expect(await read()).not.toHaveProperty('profiles');
  });

  it.each(['lost', `club${community}`, `public${community}`])(
    'finds the wall by its short address %s',
    async (domain) => {
      seed({ text: 'here' });
      expect(await vk.call('wall.get', { domain }, vk.tokens.service)).toMatchObject({
        items: [{ text: 'here' }],
      });
    },
  );

  it('reads the own wall when a person names none', async () => {
    await vk.call('wall.post', { message: 'mine' });
    expect(await vk.call('wall.get')).toMatchObject({ items: [{ text: 'mine' }] });
  });
});

describe('the wall of a person', () => {
  const values = { owner_id: 3000 };

  beforeEach(() => {
    vk.control('users', { id: 3000, private: true });
    vk.control('tokens', { kind: 'user', token: 'own', user_id: 3000 });
    vk.control('posts', { owner_id: 3000, posts: [{ text: 'mine' }] });
  });

  it('is open to the person, also when it is private', async () => {
    expect(await vk.call('wall.get', values, 'own')).toMatchObject({ count: 1 });
    expect(await vk.call('wall.getById', { posts: '3000_1' }, 'own')).toMatchObject({
      items: [{ text: 'mine' }],
    });
    expect(await vk.call('wall.getById', { posts: '3000_1' })).toEqual({ items: [] });
  });

  it('is open to others unless it is closed', async () => {
    vk.control('users', { id: 3000 });
    expect(await vk.call('wall.get', values)).toMatchObject({ count: 1 });
    vk.control('wall', { owner_id: 3000, wall: 'closed' });
    expect((await vk.refusal('wall.get', values)).error_code).toBe(15);
  });
});

describe('wall.getById', () => {
  it('answers with items, and leaves out what it cannot show', async () => {
    seed({ id: 1, text: 'first' }, { id: 2, state: 'suggested' }, { id: 3, text: 'third' });
    const posts = [3, 2, 99, 1].map((id) => `${wall}_${id}`).join(',');
    const answer = await vk.call('wall.getById', { posts }, vk.tokens.service);
    expect(answer).toMatchObject({ items: [{ text: 'third' }, { text: 'first' }] });
    expect(await vk.call('wall.getById', { posts: `${wall}_2` })).toMatchObject({
      items: [{ id: 2 }],
    });
  });

  it('answers older versions with a bare array', async () => {
    seed({ id: 1, text: 'first' });
    const values = { posts: `${wall}_1`, v: '5.131' };
    expect(await vk.call('wall.getById', values)).toMatchObject([{ text: 'first' }]);
  });

  it('takes a hundred posts at once', async () => {
    seed({ id: 1 });
    const named = (count: number) => ({ posts: Array(count).fill(`${wall}_1`).join(',') });
    const hundred = z.object({ items: z.array(z.unknown()).length(100) });
    expect(hundred.safeParse(await vk.call('wall.getById', named(100))).success).toBe(true);
    expect((await vk.refusal('wall.getById', named(101))).error_code).toBe(100);
    expect((await vk.refusal('wall.getById')).error_msg).toMatch(/: posts is undefined$/);
  });
});
