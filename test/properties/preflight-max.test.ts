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

const mebi = 1024 * 1024;
const a = (count: number): string => 'a'.repeat(count);
const blob = (type: string, bytes = 1000): object => ({ type, blob_ref: blobRef(bytes) });
const [image, video, audio, file, animation] = ['image', 'video', 'audio', 'file', 'animation'].map(
  (type) => blob(type),
);
const images = (count: number): unknown[] => Array.from({ length: count }, () => image);
const buttons = [[{ text: 'Open', url: 'https://a.b' }]];
const html = (text: string): object => ({ text, parse_mode: 'HTML' });
const markdown = (text: string): object => ({ text, parse_mode: 'Markdown' });

/** What is posted, and the plan of parts or the refusal that follows. */
const cases: readonly (readonly [claim: string, payload: object, outcome: string])[] = [
  ['takes a text of 4,000 characters', { text: a(4000) }, 'text'],
  [
    'refuses a text of 4,001 characters',
    { text: a(4001) },
    'the text has 4,001 characters, MAX takes 4,000',
  ],
  ['counts an emoji twice', { text: '😀'.repeat(2000) }, 'text'],
  [
    'counts a letter after emoji once',
    { text: `${'😀'.repeat(2000)}a` },
    'the text has 4,001 characters, MAX takes 4,000',
  ],
  ['takes 4,000 letters of two bytes', { text: 'ж'.repeat(4000) }, 'text'],
  [
    'counts blanks around a text',
    { text: `${a(4000)}\n` },
    'the text has 4,001 characters, MAX takes 4,000',
  ],
  ['refuses a text of blanks', { text: ' \n ' }, 'the text is empty'],
  ['refuses markup around nothing', html('<b> </b>'), 'the text is empty'],
  ['counts markup: 4,000 with it', html(`<b>${a(3993)}</b>`), 'text'],
  [
    'counts markup: 4,001 with it',
    html(`<b>${a(3994)}</b>`),
    'the text has 4,001 characters with its markup, MAX takes 4,000',
  ],
  ['counts an entity as it is written', html('&lt;'.repeat(1000)), 'text'],
  [
    'counts the markup of Markdown',
    markdown(`**${a(3997)}**`),
    'the text has 4,001 characters with its markup, MAX takes 4,000',
  ],
  ['takes nested markup', markdown(`**${'_a_ '.repeat(900)}a**`), 'text'],
  ['takes a tag that it strips', html('<p>a</p>'), 'text'],
  ['takes a tag that is not closed', html('a <b>b'), 'text'],
  ['refuses a tag that is not closed around nothing', html('<b> '), 'the text is empty'],
  ['takes a title of its own', { title: 'Lost' }, 'text'],
  ['puts buttons under a text', { text: 'a', buttons }, 'text with buttons'],
  [
    'takes a button that leads to a host without a dot',
    { text: 'a', buttons: [[{ text: 'Here', url: 'http://localhost/' }]] },
    'text with buttons',
  ],
  ['takes one image without a text', { media: images(1) }, '0'],
  [
    'puts a text of 4,000 characters under an image',
    { text: a(4000), media: images(1) },
    '0 with text',
  ],
  [
    'refuses a text of 4,001 characters under an image',
    { text: a(4001), media: images(1) },
    'the text has 4,001 characters, MAX takes 4,000',
  ],
  ['takes two images in one post', { text: 'a', media: images(2) }, '0 1 with text'],
  ['takes ten images in one post', { media: images(10) }, '0 1 2 3 4 5 6 7 8 9'],
  [
    'makes a post of ten and one more of eleven images',
    { text: 'a', media: images(11) },
    '0 1 2 3 4 5 6 7 8 9 with text | 10',
  ],
  ['mixes images, videos and animations', { media: [image, video, animation] }, '0 1 2'],
  ['sends files one by one', { media: [file, file] }, '0 | 1'],
  [
    'sends audio apart from images',
    { text: 'a', media: [image, audio, image] },
    '0 with text | 1 | 2',
  ],
  ['keeps a file and images apart', { media: [file, image, image] }, '0 | 1 2'],
  [
    'puts buttons under an album',
    { text: 'a', media: images(2), buttons },
    '0 1 with text with buttons',
  ],
  ['puts buttons under an album without a text', { media: images(2), buttons }, '0 1 with buttons'],
  [
    'puts buttons under the first of several parts',
    { media: [file, file], buttons },
    '0 with buttons | 1',
  ],
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
  [
    'makes a text of a caption alone',
    { media: [image, { ...image, caption: 'c' }] },
    '0 1 with text',
  ],
  [
    'counts the captions to the text',
    { text: a(3990), media: [{ ...image, caption: a(9) }] },
    'the text has 4,001 characters, MAX takes 4,000',
  ],
  [
    'takes a text that its captions fill to 4,000',
    { text: a(3989), media: [{ ...image, caption: a(9) }] },
    '0 with text',
  ],
  ['takes an image of 50 MiB', { media: [blob('image', 50 * mebi)] }, '0'],
  [
    'refuses an image of one byte more',
    { media: [blob('image', 50 * mebi + 1)] },
    'media[0] has 52,428,801 bytes, MAX takes 52,428,800 (50 MiB) for images',
  ],
  ['takes a video of 250 MiB', { media: [blob('video', 250 * mebi)] }, '0'],
  [
    'refuses a video of one byte more',
    { media: [image, blob('video', 250 * mebi + 1)] },
    'media[1] has 262,144,001 bytes, MAX takes 262,144,000 (250 MiB) for video',
  ],
  [
    'refuses audio of more than 256 MiB',
    { media: [blob('audio', 256 * mebi + 1)] },
    'media[0] has 268,435,457 bytes, MAX takes 268,435,456 (256 MiB) for audio',
  ],
  ['takes a file of 4 GiB', { media: [blob('file', 4096 * mebi)] }, '0'],
  [
    'refuses a file of one byte more',
    { media: [blob('file', 4096 * mebi + 1)] },
    'media[0] has 4,294,967,297 bytes, MAX takes 4,294,967,296 (4096 MiB) for files',
  ],
  [
    'refuses an image that is only a link',
    { media: [image, { type: 'image', url: 'https://a.b/i.jpg' }] },
    'media[1] is only a link, and MAX takes images from the origin store only: hand it in as a blob_ref',
  ],
  [
    'refuses a file that is only a link',
    { media: [{ type: 'file', url: 'https://a.b/f.zip' }] },
    'media[0] is only a link, and MAX takes files from the origin store only: hand it in as a blob_ref',
  ],
  [
    'refuses a blob that is not in the origin store',
    { media: [{ type: 'video', blob_ref: 'x' }] },
    'media[0] names blob "x", which is not in the origin store',
  ],
  [
    'takes twenty parts',
    { media: Array.from({ length: 20 }, () => file) },
    Array.from({ length: 20 }, (_, n) => n).join(' | '),
  ],
  [
    'refuses twenty-one parts',
    { media: Array.from({ length: 21 }, () => file) },
    'the post would go out in 21 parts, and a delivery has at most 20',
  ],
];

describe('preflight for MAX', () => {
  beforeAll(() =>
    storeBlobs(database.admin, [
      1000,
      ...[50, 250, 256, 4096].flatMap((size) => [size * mebi, size * mebi + 1]),
    ]),
  );

  it.each(cases)('%s', async (_, payload, outcome) => {
    const post = await composePost(database.admin, { payload: { ...payload }, platform: 'max' });
    expect(outcomeOf(post)).toBe(outcome);
  });

  const switchTo = (upload: string, type: string): Promise<unknown> =>
    database.admin.query(
      `update outrider.platform_media set upload = $1 where platform = 'max' and media_type = $2`,
      [upload, type],
    );

  it.each(['image', 'animation'])(
    'takes a link to an %s once the policy allows it',
    async (type) => {
      await switchTo('url_allowed', type);
      const media = [{ type, url: 'https://a.b/i' }];
      const post = await composePost(database.admin, { payload: { media }, platform: 'max' });
      await switchTo('upload_required', type);
      expect(outcomeOf(post)).toBe('0');
    },
  );

  it.each(['video', 'audio', 'file'])('has no policy that allows a link to %s', async (type) => {
    await expect(switchTo('url_allowed', type)).rejects.toMatchObject({
      constraint: 'links_are_allowed_only_where_they_are_taken',
    });
  });

  it('refuses and plans the posts around every limit as the oracle says', async () => {
    const drafts = corpus('max');
    expect(drafts.length).toBeGreaterThan(150);
    expect(await disagreements(database.admin, drafts, 'max')).toEqual([]);
  });
});
