import { beforeAll, describe, expect, it } from 'vitest';
import { addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  addTemplate,
  blobRef,
  composePost,
  outcomeOf,
  type Request,
  storeBlobs,
} from '../support/posts/composed-posts.ts';

const database = await useDatabase();

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  await addWorkspace(database.admin, 'other');
});

/** What a channel sends; a refusal fails the test. */
async function sent(request: Request): Promise<string> {
  const post = await composePost(database.admin, request);
  expect(post.fault).toBeNull();
  return post.rendered_text;
}

describe('a post without a template', () => {
  const whole = {
    title: 'Lost & found',
    text: 'A dog.',
    links: ['https://a.b/c', 'https://a.b/d'],
  };

  it.each([
    ['telegram', undefined, 'Lost & found\n\nA dog.\n\nhttps://a.b/c\nhttps://a.b/d'],
    ['telegram', 'HTML', '<b>Lost &amp; found</b>\n\nA dog.\n\nhttps://a.b/c\nhttps://a.b/d'],
    ['telegram', 'Markdown', '*Lost & found*\n\nA dog\\.\n\nhttps://a\\.b/c\nhttps://a\\.b/d'],
    ['max', 'HTML', '<b>Lost &amp; found</b>\n\nA dog.\n\nhttps://a.b/c\nhttps://a.b/d'],
    ['vk', 'HTML', 'Lost & found\n\nA dog.\n\nhttps://a.b/c\nhttps://a.b/d'],
  ])('is its title, text and links: %s in %s', async (platform, format, text) => {
    expect(await sent({ payload: whole, platform, settings: { parse_mode: format } })).toBe(text);
  });

  it('has its title in bold in the Markdown of MAX', async () => {
    const settings = { parse_mode: 'Markdown' };
    const payload = { title: 'Lost', text: 'dog' };
    expect(await sent({ payload, platform: 'max', settings })).toBe('**Lost**\n\ndog');
  });

  it.each([
    [{ title: 'Lost' }, 'Lost'],
    [{ text: 'A dog' }, 'A dog'],
    [{ links: ['https://a.b/c'] }, 'https://a.b/c'],
    [{ title: 'Lost', links: ['https://a.b/c'] }, 'Lost\n\nhttps://a.b/c'],
    [{ title: 'Lost', text: 'A dog' }, 'Lost\n\nA dog'],
  ])('leaves nothing behind where a piece is missing: %j', async (payload, text) => {
    expect(await sent({ payload, platform: 'telegram' })).toBe(text);
  });

  it.each([
    ['see https://a.b/c', 'https://a.b/c', true],
    ['see https://a.b/c.', 'https://a.b/c', true],
    ['(https://a.b/c)', 'https://a.b/c', true],
    ['https://a.b/c, and more', 'https://a.b/c', true],
    ['see https://a.b now', 'https://a.b/', true],
    ['see https://a.b/c/', 'https://a.b/c', true],
    ['see https://a.b/cd', 'https://a.b/c', false],
    ['see https://a.b/c/d', 'https://a.b/c', false],
    ['see https://a.b/c?d=1', 'https://a.b/c', false],
    ['see https://a.b/c.html', 'https://a.b/c', false],
    ['see https://a.b/c-d', 'https://a.b/c', false],
    ['see https://a.b/cd and https://a.b/c', 'https://a.b/c', true],
    ['see a.b/c', 'https://a.b/c', false],
  ])('names a link once: %s names %s: %s', async (text, link, named) => {
    const payload = { text, links: [link] };
    const expected = named ? text : `${text}\n\n${link}`;
    expect(await sent({ payload, platform: 'telegram' })).toBe(expected);
  });

  it.each([
    ['HTML', '<a href="https://a.b/?c=1&amp;d=2">a dog</a>'],
    ['HTML', '<a href="https://a.b/?c=1&d=2">a dog</a>'],
    ['Markdown', '[a dog](https://a.b/?c=1&d=2)'],
    ['Markdown', 'https://a\\.b/?c\\=1&d\\=2'],
  ])('finds a link in its markup: %s %s', async (format, text) => {
    const payload = { text, parse_mode: format, links: ['https://a.b/?c=1&d=2'] };
    expect(await sent({ payload, platform: 'telegram' })).toBe(text);
  });
});

describe('what a platform has no place for', () => {
  const buttons = [
    [
      { text: 'Call', url: 'https://a.b/1' },
      { text: 'Write', url: 'https://a.b/2' },
    ],
    [{ text: 'Map', url: 'https://a.b/3' }],
  ];
  const media = [
    { type: 'image', blob_ref: 'blob-1000', caption: 'Rex & <b>' },
    { type: 'image', blob_ref: 'blob-1000' },
    { type: 'image', blob_ref: 'blob-1000', caption: 'His bowl' },
  ];
  beforeAll(() => storeBlobs(database.admin, [1000]));

  it('becomes lines of the text', async () => {
    const payload = { text: 'A dog', media, buttons };
    const post = await composePost(database.admin, { payload, platform: 'vk' });
    expect(post.rendered_text).toBe(
      'A dog\n\nRex & <b>\nHis bowl\n\nCall: https://a.b/1\nWrite: https://a.b/2\nMap: https://a.b/3',
    );
    expect(post.render_meta).toEqual({
      parts: [{ kind: 'media', media: [0, 1, 2], caption: true }],
    });
  });

  it('is escaped for the format', async () => {
    const payload = { text: '<i>A dog</i>', parse_mode: 'HTML', media, buttons };
    const post = await composePost(database.admin, { payload, platform: 'max' });
    expect(post.rendered_text).toBe('<i>A dog</i>\n\nRex &amp; &lt;b&gt;\nHis bowl');
    expect(post.render_meta).toEqual({
      format: 'HTML',
      parts: [{ kind: 'media', media: [0, 1, 2], caption: true, buttons: true }],
      buttons,
    });
  });

  it('stays where it is on a platform that has a place', async () => {
    const payload = { text: 'A dog', media, buttons };
    const post = await composePost(database.admin, { payload, platform: 'telegram' });
    expect(post.rendered_text).toBe('A dog');
    expect(post.render_meta).toEqual({
      parts: [
        { kind: 'text', buttons: true },
        { kind: 'media', media: [0, 1, 2], weight: 3 },
      ],
      buttons,
    });
  });
});

describe('a button with a payload', () => {
  const buttons = [
    [
      { text: 'Map', url: 'https://a.b/3' },
      { text: 'More', payload: 'more' },
    ],
  ];

  it.each(['telegram', 'max'])('is sent to %s as it is', async (platform) => {
    const post = await composePost(database.admin, {
      payload: { text: 'A dog', buttons },
      platform,
    });
    expect(post).toMatchObject({ fault: null, render_meta: { buttons } });
  });

  it('is refused for VK, which has no buttons', async () => {
    const payload = { text: 'A dog', buttons };
    const post = await composePost(database.admin, { payload, platform: 'vk' });
    expect(post.fault).toBe(
      'buttons[0][1] has a payload, and VK has no buttons that a bot hears of',
    );
  });
});

describe('a part of a plan', () => {
  const image = { type: 'image', blob_ref: blobRef(1) };
  const weights = async (platform: string, count: number) => {
    const payload = { text: 'A dog', media: Array.from({ length: count }, () => image) };
    const { render_meta: meta } = await composePost(database.admin, { payload, platform });
    return meta.parts?.map((part) => part.weight ?? 1);
  };

  it('counts on Telegram as so many messages as it has media', async () => {
    await storeBlobs(database.admin, [1]);
    expect(await weights('telegram', 1)).toEqual([1]);
    expect(await weights('telegram', 13)).toEqual([10, 3]);
  });

  it.each(['max', 'vk'])('counts once on %s', async (platform) => {
    await storeBlobs(database.admin, [1]);
    expect(await weights(platform, 13)).toEqual([1, 1]);
  });
});

describe('a composed post', () => {
  it.each([
    [{ text: 'a' }, {}, undefined],
    [{ text: 'a', disable_preview: true }, {}, true],
    [{ text: 'a' }, { disable_preview: true }, true],
    [{ text: 'a', disable_preview: true }, { disable_preview: false }, true],
    [{ text: 'a' }, { disable_preview: false }, undefined],
  ])(
    'shows no preview where the post or the channel says so: %j %j',
    async (payload, settings, off) => {
      const post = await composePost(database.admin, { payload, platform: 'telegram', settings });
      expect(post.render_meta.disable_preview).toBe(off);
    },
  );

  it('has an empty text where there are only media', async () => {
    const payload = { media: [{ type: 'image', url: 'https://a.b/i.jpg' }] };
    const post = await composePost(database.admin, { payload, platform: 'telegram' });
    expect(post).toMatchObject({ rendered_text: '', fault: null });
  });

  it('keeps the beginning of a text that is refused', async () => {
    await addTemplate(database.admin, 'twice', 1, '{{text}}{{text}}');
    const payload = { text: `b${'a'.repeat(65_534)}` };
    const post = await composePost(database.admin, {
      payload,
      platform: 'telegram',
      templateRef: 'twice',
      settings: { parse_mode: 'HTML' },
    });
    expect(post.fault).toBe('the text has 131,070 bytes with its markup, Telegram takes 32,768');
    expect(post.rendered_text).toBe(`${payload.text}b`);
    expect(post.render_meta).toEqual({});
  });

  it('finds blobs in its own workspace only', async () => {
    await database.admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
       values ('other', 'theirs', 'https://store/theirs', $1, $1)`,
      [start],
    );
    const payload = { media: [{ type: 'image', blob_ref: 'theirs' }] };
    const post = await composePost(database.admin, { payload, platform: 'telegram' });
    expect(outcomeOf(post)).toBe('media[0] names blob "theirs", which is not in the origin store');
  });
});
