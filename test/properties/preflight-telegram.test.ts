import { HTMLStreamParser } from '@grammyjs/parse-mode';
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
const image = { type: 'image', url: 'https://a.b/i.jpg' };
const video = { type: 'video', url: 'https://a.b/v.mp4' };
const audio = { type: 'audio', url: 'https://a.b/s.mp3' };
const file = { type: 'file', url: 'https://a.b/f.zip' };
const animation = { type: 'animation', url: 'https://a.b/g.gif' };
const images = (count: number): object[] => Array.from({ length: count }, () => image);
const blob = (type: string, bytes: number): object => ({ type, blob_ref: blobRef(bytes) });
const buttons = [[{ text: 'Open', url: 'https://a.b' }]];
const html = (text: string): object => ({ text, parse_mode: 'HTML' });
const markdown = (text: string): object => ({ text, parse_mode: 'Markdown' });

/** What is posted, and the plan of parts or the refusal that follows. */
const cases: readonly (readonly [claim: string, payload: object, outcome: string])[] = [
  ['takes a text of 4,096 characters', { text: a(4096) }, 'text'],
  [
    'refuses a text of 4,097 characters',
    { text: a(4097) },
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  ['counts an emoji once', { text: '😀'.repeat(4096) }, 'text'],
  [
    'counts one emoji more as one more',
    { text: '😀'.repeat(4097) },
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  ['does not count blanks around a text', { text: `\n ${a(4096)} \n` }, 'text'],
  ['refuses a text of blanks', { text: ' \n ' }, 'the text is empty'],
  [
    'refuses a text of marks that take no room',
    { text: '\u200b\u2800\u00a0' },
    'the text is empty',
  ],
  ['refuses markup around nothing', html('<b> </b>'), 'the text is empty'],
  [
    'refuses a text of marks that it drops',
    { text: '\u0333\u033f\u030a\u202e' },
    'the text is empty',
  ],
  ['does not count marks that it drops', { text: `\u202e${a(4096)}\u0333\u2028` }, 'text'],
  [
    'counts the blanks at the beginning of what is bold',
    html(`<b> ${a(4096)}</b>`),
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  [
    'counts them in Markdown too',
    markdown(`* ${a(4096)}*`),
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  [
    'counts a line feed at the beginning of code',
    html(`<pre>\n${a(4096)}</pre>`),
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  [
    'counts blanks that are all of what is bold',
    html(`<b> </b>${a(4096)}`),
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  ['does not count blanks ahead of what is bold', html(` \n<b>${a(4096)}</b>`), 'text'],
  ['does not count blanks at the end of what is bold', html(`<b>${a(4096)} \n</b>`), 'text'],
  ['does not count blanks ahead of an entity that is empty', html(` <b></b> ${a(4096)}`), 'text'],
  ['does not count markup', html(`<b>${a(4096)}</b>`), 'text'],
  [
    'counts what markup encloses',
    html(`<b>${a(4097)}</b>`),
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  ['counts an entity once', html('&lt;'.repeat(4096)), 'text'],
  ['takes 32,768 bytes with markup', html('<b>a</b>'.repeat(4096)), 'text'],
  [
    'refuses 32,769 bytes with markup',
    html(`${'<b>a</b>'.repeat(4095)}<b>é</b>`),
    'the text has 32,769 bytes with its markup, Telegram takes 32,768',
  ],
  [
    'refuses too many bytes before it looks at their markup',
    html(`<b>${a(40_000)}`),
    'the text has 40,003 bytes with its markup, Telegram takes 32,768',
  ],
  [
    'refuses a tag that it does not know',
    html('<p>a</p>'),
    'the text is not valid HTML for Telegram: Unsupported start tag "p" at byte offset 0',
  ],
  [
    'refuses a tag that is not closed',
    html('<b>a'),
    'the text is not valid HTML for Telegram: Can\'t find end tag corresponding to start tag "b"',
  ],
  [
    'refuses tags that cross, and says where in bytes',
    html('<b>é<i>a</b></i>'),
    'the text is not valid HTML for Telegram: Unmatched end tag at byte offset 9, expected "</i>", found "</b>"',
  ],
  [
    'refuses a character that Markdown reserves',
    markdown('The end.'),
    "the text is not valid Markdown for Telegram: Character '.' is reserved and must be escaped with the preceding '\\'",
  ],
  [
    'refuses bold text without an end',
    markdown('*a'),
    "the text is not valid Markdown for Telegram: Can't find end of Bold entity at byte offset 0",
  ],
  ['takes a title of its own', { title: 'Lost' }, 'text'],
  ['puts buttons under a text', { text: 'a', buttons }, 'text with buttons'],
  ['takes one image without a text', { media: images(1) }, '0'],
  ['takes a caption of 1,024 characters', { text: a(1024), media: images(1) }, '0 with text'],
  [
    'sends a caption ahead that is longer by the blank at the beginning of what is bold',
    { ...html(`<b> ${a(1024)}</b>`), media: images(1) },
    'text | 0',
  ],
  ['sends a longer one ahead of the image', { text: a(1025), media: images(1) }, 'text | 0'],
  ['sends a longer one ahead of an album', { text: a(1025), media: images(2) }, 'text | 0 1'],
  [
    'refuses a text that is too long ahead of an image too',
    { text: a(4097), media: images(1) },
    'the text has 4,097 characters, Telegram takes 4,096',
  ],
  [
    'counts a caption without its markup',
    { ...html(`<b>${'😀'.repeat(1024)}</b>`), media: images(2) },
    '0 1 with text',
  ],
  ['takes an album of ten', { text: 'a', media: images(10) }, '0 1 2 3 4 5 6 7 8 9 with text'],
  [
    'makes an album of ten and one more of eleven images',
    { text: 'a', media: images(11) },
    '0 1 2 3 4 5 6 7 8 9 with text | 10',
  ],
  ['puts images and videos into one album', { media: [image, video, image] }, '0 1 2'],
  ['keeps images and files apart', { text: 'a', media: [image, file] }, '0 with text | 1'],
  [
    'keeps the order, also where a file parts two images',
    { media: [image, file, image] },
    '0 | 1 | 2',
  ],
  ['makes albums of files and of audio', { media: [file, file, audio, audio] }, '0 1 | 2 3'],
  ['sends animations one by one', { media: [animation, animation] }, '0 | 1'],
  [
    'gives an album with a caption on its first image its text ahead',
    { text: 'a', media: [{ ...image, caption: 'c' }, image] },
    'text | 0 1',
  ],
  [
    'gives an album with several captions its text ahead',
    { text: 'a', media: [image, { ...image, caption: 'c' }, { ...image, caption: 'd' }] },
    'text | 0 1 2',
  ],
  [
    'puts the text on the first image where only another has a caption',
    { text: 'a', media: [image, { ...image, caption: 'c' }] },
    '0 1 with text',
  ],
  [
    'gives an image with a caption of its own its text ahead',
    { text: 'a', media: [{ ...image, caption: 'c' }] },
    'text | 0',
  ],
  [
    'leaves captions of a later part alone',
    { text: 'a', media: [image, { ...file, caption: 'c' }, { ...file, caption: 'd' }] },
    '0 with text | 1 2',
  ],
  [
    'takes a caption of 1,024 emoji on an item',
    { media: [{ ...image, caption: '😀'.repeat(1024) }] },
    '0',
  ],
  [
    'refuses a longer one',
    { media: [image, { ...image, caption: a(1025) }] },
    'the caption of media[1] has 1,025 characters, Telegram takes 1,024',
  ],
  [
    'does not count the marks in it that it drops',
    { media: [{ ...image, caption: `${a(1024)}\u0333` }] },
    '0',
  ],
  [
    'refuses a button that leads to a host without a dot',
    { text: 'a', buttons: [...buttons, [{ text: 'Here', url: 'http://localhost/a.b' }]] },
    'buttons[1][0] leads to the host "localhost", and Telegram takes only hosts with a dot in their name',
  ],
  [
    'takes a button that leads to an IPv6 address',
    { text: 'a', buttons: [[{ text: 'Here', url: 'http://[::1]/' }]] },
    'text with buttons',
  ],
  ['puts buttons under a single image', { media: images(1), buttons }, '0 with buttons'],
  [
    'puts buttons and the text under a single image',
    { text: 'a', media: images(1), buttons },
    '0 with text with buttons',
  ],
  [
    'sends the text of an album apart where there are buttons',
    { text: 'a', media: images(2), buttons },
    'text with buttons | 0 1',
  ],
  [
    'puts the buttons of an album under the single image behind it',
    { text: 'a', media: images(11), buttons },
    '0 1 2 3 4 5 6 7 8 9 with text | 10 with buttons',
  ],
  [
    'puts buttons under a long text rather than under its image',
    { text: a(1025), media: images(1), buttons },
    'text with buttons | 0',
  ],
  [
    'refuses an album with buttons and no text',
    { media: images(2), buttons },
    'the buttons have no place: Telegram albums take none, and the post has no text',
  ],
  ['takes an image of 10 MiB', { media: [blob('image', 10_485_760)] }, '0'],
  [
    'refuses an image of one byte more',
    { media: [blob('image', 10_485_761)] },
    'media[0] has 10,485,761 bytes, Telegram takes 10,485,760 (10 MiB) for images',
  ],
  ['takes a video of 50 MiB', { media: [blob('video', 52_428_800)] }, '0'],
  [
    'refuses a file of one byte more',
    { media: [file, blob('file', 52_428_801)] },
    'media[1] has 52,428,801 bytes, Telegram takes 52,428,800 (50 MiB) for files',
  ],
  [
    'refuses a blob that is not in the origin store',
    { media: [image, image, { type: 'image', blob_ref: 'x' }] },
    'media[2] names blob "x", which is not in the origin store',
  ],
  [
    'takes twenty parts',
    { media: Array.from({ length: 20 }, () => animation) },
    Array.from({ length: 20 }, (_, n) => n).join(' | '),
  ],
  [
    'refuses twenty-one parts',
    { media: Array.from({ length: 21 }, () => animation) },
    'the post would go out in 21 parts, and a delivery has at most 20',
  ],
  [
    'counts the text ahead as a part',
    { text: a(1025), media: Array.from({ length: 20 }, () => animation) },
    'the post would go out in 21 parts, and a delivery has at most 20',
  ],
];

describe('preflight for Telegram', () => {
  beforeAll(() => storeBlobs(database.admin, [10_485_760, 10_485_761, 52_428_800, 52_428_801]));

  it.each(cases)('%s', async (_, payload, outcome) => {
    const post = await composePost(database.admin, {
      payload: { ...payload },
      platform: 'telegram',
    });
    expect(outcomeOf(post)).toBe(outcome);
  });
});

describe('a channel of Telegram', () => {
  it.each([
    ['text', { text: 'a' }, 'text'],
    ['text', { media: images(1) }, 'the channel takes text only, and the post has media'],
    ['media', { text: 'a' }, 'the channel takes media only, and the post has none'],
    ['media', { text: 'a', media: images(1) }, '0 with text'],
    ['mixed', { text: 'a', media: images(1) }, '0 with text'],
    ['mixed', { text: 'a' }, 'text'],
  ] as const)('of mode %s takes %j: %s', async (sendMode, payload, outcome) => {
    const post = await composePost(database.admin, { payload, platform: 'telegram', sendMode });
    expect(outcomeOf(post)).toBe(outcome);
  });
});

describe('the posts around every limit of Telegram', () => {
  const drafts = corpus('telegram');

  it('read as an independent parser reads them', () => {
    const readings = drafts.flatMap(({ text }) =>
      text?.format === 'HTML' && !text.broken ? [text] : [],
    );
    expect(readings.length).toBeGreaterThan(150);
    for (const { source, visible } of readings) {
      const parser = new HTMLStreamParser();
      parser.add(source);
      expect(parser.toFormattedString().text).toBe(visible);
    }
  });

  it('are refused and planned as the oracle says', async () => {
    expect(drafts.length).toBeGreaterThan(150);
    expect(await disagreements(database.admin, drafts, 'telegram')).toEqual([]);
  });
});
