import { beforeAll, describe, expect, it } from 'vitest';
import { addWorkspace } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { corpus } from '../support/oracles/preflight-corpus.ts';
import { disagreements } from '../support/oracles/preflight-verdicts.ts';
import { blobRef, composePost, outcomeOf, storeBlobs } from '../support/posts/composed-posts.ts';

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
});

const a = (count: number): string => 'a'.repeat(count);
const blob = (type: string, bytes = 1000): object => ({ type, blob_ref: blobRef(bytes) });
const image = blob('image');
const animation = blob('animation');
const images = (count: number): unknown[] => Array.from({ length: count }, () => image);
const buttons = [[{ text: 'Open', url: 'https://a.b' }]];
const html = (text: string): object => ({ text, parse_mode: 'HTML' });
const markdown = (text: string): object => ({ text, parse_mode: 'Markdown' });
const ten = '0 1 2 3 4 5 6 7 8 9';

/** What is posted, and the plan of parts or the refusal that follows. */
const cases: readonly (readonly [claim: string, payload: object, outcome: string])[] = [
  ['takes a text of 15,000 characters', { text: a(15_000) }, 'text'],
  [
    'refuses a text of 15,001 characters',
    { text: a(15_001) },
    'the text has 15,001 characters, VK takes 15,000',
  ],
  ['counts an emoji twice', { text: '😀'.repeat(7500) }, 'text'],
  [
    'counts a letter behind them once',
    { text: `${'😀'.repeat(7500)}a` },
    'the text has 15,001 characters, VK takes 15,000',
  ],
  ['takes 15,000 letters of two bytes', { text: 'ж'.repeat(15_000) }, 'text'],
  ['does not count blanks around a text', { text: `\n${a(15_000)}\n` }, 'text'],
  ['refuses a text of blanks', { text: ' \n ' }, 'the text is empty'],
  ['refuses markup around nothing', html('<b> </b>'), 'the text is empty'],
  ['drops markup before it counts', html(`<b>${a(15_000)}</b>`), 'text'],
  [
    'counts what markup encloses',
    html(`<b>${a(15_001)}</b>`),
    'the text has 15,001 characters, VK takes 15,000',
  ],
  ['drops the escapes of Markdown', markdown('\\.'.repeat(15_000)), 'text'],
  [
    'counts the address of a link, which it spells out',
    html(`<a href="https://a.b">${a(14_987)}</a>`),
    'the text has 15,001 characters, VK takes 15,000',
  ],
  ['takes a link that it can spell out', html(`<a href="https://a.b">${a(14_985)}</a>`), 'text'],
  [
    'refuses markup that cannot be read, rather than show it',
    html('<b>a'),
    'the text is not valid HTML: Can\'t find end tag corresponding to start tag "b"',
  ],
  [
    'refuses Markdown that cannot be read',
    markdown('*a'),
    "the text is not valid Markdown: Can't find end of Bold entity at byte offset 0",
  ],
  ['takes a title of its own', { title: 'Lost' }, 'text'],
  ['has no buttons: they are lines of the text', { text: 'a', buttons }, 'text'],
  ['makes a text of buttons', { media: images(1), buttons }, '0 with text'],
  [
    'counts the lines of buttons to the text',
    { text: a(14_982), buttons },
    'the text has 15,001 characters, VK takes 15,000',
  ],
  ['takes a text that its buttons fill to 15,000', { text: a(14_981), buttons }, 'text'],
  ['takes one image without a text', { media: images(1) }, '0'],
  [
    'puts a text of 15,000 characters under an image',
    { text: a(15_000), media: images(1) },
    '0 with text',
  ],
  [
    'refuses a longer one, also with an image',
    { text: a(15_001), media: images(1) },
    'the text has 15,001 characters, VK takes 15,000',
  ],
  ['takes two images in one post', { text: 'a', media: images(2) }, '0 1 with text'],
  ['takes ten images in one post', { media: images(10) }, ten],
  [
    'makes a post of ten and one more of eleven images',
    { text: 'a', media: images(11) },
    `${ten} with text | 10`,
  ],
  ['mixes images and animations', { media: [image, animation, image] }, '0 1 2'],
  [
    'has no captions of items: they are part of the text',
    {
      text: 'a',
      media: [
        { ...image, caption: 'c' },
        { ...image, caption: 'd' },
      ],
    },
    '0 1 with text',
  ],
  ['makes a text of a caption alone', { media: [{ ...image, caption: 'c' }] }, '0 with text'],
  ['refuses a video', { text: 'a', media: [blob('video')] }, 'VK takes no video (media[0])'],
  ['refuses audio', { media: [image, blob('audio')] }, 'VK takes no audio (media[1])'],
  ['refuses files', { media: [image, image, blob('file')] }, 'VK takes no files (media[2])'],
  [
    'names the first item that it refuses',
    { media: [blob('file'), blob('video')] },
    'VK takes no files (media[0])',
  ],
  [
    'refuses an image that is only a link',
    { media: [{ type: 'image', url: 'https://a.b/i.jpg' }] },
    'media[0] is only a link, and VK takes images from the origin store only: hand it in as a blob_ref',
  ],
  [
    'refuses an animation that is only a link',
    { media: [image, { type: 'animation', url: 'https://a.b/i.gif' }] },
    'media[1] is only a link, and VK takes animations from the origin store only: hand it in as a blob_ref',
  ],
  [
    'refuses a blob that is not in the origin store',
    { media: [image, { type: 'image', blob_ref: 'x' }] },
    'media[1] names blob "x", which is not in the origin store',
  ],
  ['takes an image of 50 MiB', { media: [blob('image', 52_428_800)] }, '0'],
  [
    'refuses an image of one byte more',
    { media: [blob('image', 52_428_801)] },
    'media[0] has 52,428,801 bytes, VK takes 52,428,800 (50 MiB) for images',
  ],
  [
    'takes an image whose size is not known',
    { media: [{ type: 'image', blob_ref: blobRef(null) }] },
    '0',
  ],
  [
    'takes a hundred images as ten posts',
    { media: images(100) },
    Array.from({ length: 10 }, (_, n) =>
      Array.from({ length: 10 }, (__, m) => 10 * n + m).join(' '),
    ).join(' | '),
  ],
];

describe('preflight for VK', () => {
  beforeAll(() => storeBlobs(database.admin, [null, 1000, 52_428_800, 52_428_801]));

  it.each(cases)('%s', async (_, payload, outcome) => {
    const post = await composePost(database.admin, { payload: { ...payload }, platform: 'vk' });
    expect(outcomeOf(post)).toBe(outcome);
  });

  it('refuses and plans the posts around every limit as the oracle says', async () => {
    const drafts = corpus('vk');
    expect(drafts.length).toBeGreaterThan(150);
    expect(await disagreements(database.admin, drafts, 'vk')).toEqual([]);
  });
});
