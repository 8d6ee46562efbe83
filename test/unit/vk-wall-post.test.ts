import { describe, expect, it } from 'vitest';
import { readWall } from '../../src/pull/vk/owner.ts';
import { itemOf, WallPost } from '../../src/pull/vk/wall-post.ts';

const post = (more: object) =>
  itemOf(WallPost.parse({ id: 7, owner_id: -5, date: 1_772_445_600, ...more }));

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

describe('the text of a post', () => {
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
