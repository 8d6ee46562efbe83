import { describe, expect, it } from 'vitest';
import type { SourceItem } from '../../src/pull/source.ts';
import { readWall } from '../../src/pull/vk/owner.ts';
import { itemOf, readPosts } from '../../src/pull/vk/wall-post.ts';

function post(more: object): SourceItem {
  const [read] = readPosts([{ id: 7, owner_id: -5, date: 1_772_445_600, ...more }]);
  if (read === undefined) throw new Error('there is no post');
  return itemOf(read);
}

describe('a wall', () => {
  it.each([
    [-5, '-5'],
    ['-5', '-5'],
    ['club5', '-5'],
    ['public5', '-5'],
    ['id5', '5'],
    ['https://vk.com/club5', '-5'],
    ['vk.com/wall-5_77', '-5'],
    ['@Lost.Pets', 'lost.pets'],
    ['https://m.vk.com/lost_pets', 'lost_pets'],
    ['https://www.vk.ru/Lost_pets/', 'lost_pets'],
    ['https://vk.com/lost_pets?w=wall-5_77#top', 'lost_pets'],
    ['vk.com/wall-5?own=1', '-5'],
  ])('is understood as people write it: %s', (given, name) => {
    expect(readWall(given)?.name).toBe(name);
  });

  it.each(['', '0', '-', 'https://example.org/club5', 'a b', '12a'])('is not %s', (given) => {
    expect(readWall(given)).toBeUndefined();
  });
});

describe('a photo', () => {
  const photo = (sizes: readonly object[], more: object = {}) =>
    post({ attachments: [{ type: 'photo', photo: { sizes, ...more } }] }).post.media;
  const size = (type: string, width = 0, height = 0) => ({
    type,
    width,
    height,
    url: `https://example.org/${type}.jpg`,
  });

  it('is taken in its largest size, by what the sizes measure', () => {
    expect(photo([size('w', 10, 10), size('x', 600, 400), size('m', 130, 90)])).toEqual([
      { type: 'image', url: 'https://example.org/x.jpg' },
    ]);
  });

  it('is taken by the letters of its sizes when they say nothing else', () => {
    expect(photo([size('s'), size('z'), size('y'), size('m')])).toEqual([
      { type: 'image', url: 'https://example.org/z.jpg' },
    ]);
  });

  it('is taken as it was uploaded if VK still has that', () => {
    const orig = { ...size('orig', 4000, 3000), type: undefined };
    expect(photo([size('w', 2560, 1920)], { orig_photo: orig })).toEqual([
      { type: 'image', url: 'https://example.org/orig.jpg' },
    ]);
  });

  it('without an address is left out', () => {
    expect(photo([{ ...size('x'), url: '' }])).toBeUndefined();
  });
});

describe('a post in an unexpected form', () => {
  it.each([
    { text: null },
    { attachments: null },
    {
      attachments: [
        null,
        { type: 'photo', photo: null },
        { type: 'photo', photo: { sizes: [null] } },
      ],
    },
    { copy_history: [null, { id: 'x' }] },
    { is_pinned: null, is_deleted: 'no', marked_as_ads: null },
    { donut: null },
    { donut: { placeholder: null } },
    { signer_id: null, from_id: 'me' },
  ])('comes without what is not understood: %j', (odd) => {
    expect(post(odd)).toMatchObject({ itemRef: '-5_7', post: { url: 'https://vk.com/wall-5_7' } });
  });

  it('is as old as the one below it if its date is none, or lies ahead', () => {
    const now = new Date('2026-03-02T10:00:00Z').getTime();
    const dates = [1e15, null, now / 1000 + 90_000, 300, 'x', 100, -1];
    const page = dates.map((date, place) => ({ id: 10 - place, owner_id: -5, date }));
    const read = readPosts([{ id: 1, owner_id: -5, date: 50, is_pinned: 1 }, ...page], now);
    expect(read.map(({ date }) => date)).toEqual([50, 300, 300, 300, 300, 100, 100, 100]);
    expect(read.filter(({ hasDate }) => hasDate).map(({ id }) => id)).toEqual([1, 7, 5]);
  });

  it('without a name gets one, the same at every look', () => {
    const odd = { id: null, owner_id: -5, date: 100, text: 'x' };
    const [first] = readPosts([{ ...odd, views: 1 }]);
    const [again] = readPosts([{ ...odd, views: 2 }]);
    expect(first?.unreadable).toMatch(/^unreadable-[0-9a-f]{16}$/);
    expect(again).toMatchObject({ id: first?.id, unreadable: first?.unreadable });
    expect(readPosts([null, 1, []])).toHaveLength(3);
  });
});

describe('the text of a post', () => {
  it('is cut where intake would refuse it', () => {
    const cut = post({ text: 'x'.repeat(70_000) }).post.text;
    expect(cut).toHaveLength(65_536);
    expect(cut?.endsWith('x…')).toBe(true);
  });

  it('is shown without the markup of VK, whose accounts stay in a field', () => {
    const text =
      'Звоните [id12|Анне] или [club3:bp-3_4|Приюту], [https://vk.com/page|тут]; [это] не [|].';
    expect(post({ text }).post).toMatchObject({
      text: 'Звоните Анне или Приюту, тут; [это] не [|].',
      fields: { accounts: 'id12, club3' },
    });
  });

  it('of a repost of a repost is that of the first post that says something', () => {
    const chain = [
      { id: 1, owner_id: -1, text: '' },
      { id: 2, owner_id: -2, text: 'Пропал пёс' },
    ];
    expect(post({ copy_history: chain }).post).toMatchObject({
      text: 'Пропал пёс',
      fields: { reposted_from: 'https://vk.com/wall-2_2' },
    });
  });
});
