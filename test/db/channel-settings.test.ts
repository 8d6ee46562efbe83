import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace, addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  addTemplate,
  type ComposedPost,
  composePost,
  outcomeOf,
  storeBlobs,
} from '../support/posts/composed-posts.ts';
import { take, verdicts } from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;

beforeAll(async () => {
  await addWorkspace(database.admin, 'w');
  await storeBlobs(database.admin, [1000]);
  await addTemplate(database.admin, 'card', 1, '<b>Lost</b>\n\n{{text}}\n\n{{url}}');
});

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

const long = 'Lost near the station: a ginger dog, answers to Bim';
const picture = { type: 'image', blob_ref: 'blob-1000' };

function compose(
  payload: object,
  settings: object,
  channel: { platform?: string; templateRef?: string; sendMode?: 'text' | 'mixed' } = {},
): Promise<ComposedPost> {
  const whole = { type: 'media' in payload ? 'media' : 'text', ...payload };
  return composePost(database.admin, {
    platform: 'telegram',
    ...channel,
    payload: whole,
    settings: { ...settings },
  });
}

describe('text_max', () => {
  it("cuts the post's own text, and says so", async () => {
    const post = await compose({ text: long }, { text_max: 30 });
    expect(post.rendered_text).toBe('Lost near the station: a…');
    expect(post.render_meta.left_out).toEqual({ text: true });
  });

  it('leaves a text that fits as it is, and says nothing', async () => {
    const post = await compose({ text: long }, { text_max: long.length });
    expect(post.rendered_text).toBe(long);
    expect(post.render_meta).toEqual({ parts: [{ kind: 'text' }] });
  });

  it('does not count what the template says around it', async () => {
    const post = await compose(
      { text: long, links: ['https://example.org/posts/42'] },
      { text_max: 10, parse_mode: 'HTML' },
      { templateRef: 'card' },
    );
    expect(post.rendered_text).toBe('<b>Lost</b>\n\nLost near…\n\nhttps://example.org/posts/42');
  });

  it('cuts before it escapes', async () => {
    const post = await compose({ text: 'a & b & c & d' }, { text_max: 8, parse_mode: 'HTML' });
    expect(post.rendered_text).toBe('a &amp; b &amp;…');
  });

  it('closes what is open', async () => {
    const html = { text: `<b>${long}</b>`, parse_mode: 'HTML' };
    const post = await compose(html, { text_max: 30 });
    expect(post.rendered_text).toBe('<b>Lost near the station: a…</b>');
    const plainly = await compose(html, { text_max: 30 }, { platform: 'vk' });
    expect(plainly.rendered_text).toBe('Lost near the station: a…');
  });

  it('holds for a text whose markup is broken, and which is sent as plain text', async () => {
    const post = await compose(
      { text: `<b>${long}`, parse_mode: 'HTML' },
      { text_max: 30, on_format_error: 'plain' },
    );
    expect(post.rendered_text).toBe('<b>Lost near the station: a…');
    expect(post.render_meta.format).toBeUndefined();
  });

  it('lets a text pass that its platform would find too long', async () => {
    const text = 'Lost dog. '.repeat(1000);
    expect((await compose({ text }, {})).fault).toMatch(/Telegram takes 4,096/);
    expect((await compose({ text }, { text_max: 3500 })).fault).toBeNull();
  });
});

describe('media_max', () => {
  it('sends the first ones, and says how many it left out', async () => {
    const media = Array.from({ length: 7 }, () => picture);
    const post = await compose({ text: long, media }, { media_max: 3 });
    expect(outcomeOf(post)).toBe('0 1 2 with text');
    expect(post.render_meta.left_out).toEqual({ media: 4 });
  });

  it('leaves a post with fewer as it is', async () => {
    const post = await compose({ text: long, media: [picture] }, { media_max: 3 });
    expect(post.render_meta).toEqual({ parts: [{ kind: 'media', media: [0], caption: true }] });
  });

  it('asks nothing of what it leaves out: no blob, no type, no caption', async () => {
    const gone = { type: 'audio', blob_ref: 'missing', caption: 'Hear him' };
    const media = [picture, gone];
    expect((await compose({ media }, {}, { platform: 'vk' })).fault).not.toBeNull();
    const post = await compose({ media }, { media_max: 1 }, { platform: 'vk' });
    expect(outcomeOf(post)).toBe('0');
    expect(post.rendered_text).toBe('');
  });
});

describe('a channel for text', () => {
  const mixed = { text: long, media: [picture] };
  const text = { sendMode: 'text' } as const;

  it('fails a post with media', async () => {
    const words = 'the channel takes text only, and the post has media';
    expect((await compose(mixed, {}, text)).fault).toBe(words);
    expect((await compose(mixed, { on_media: 'fail' }, text)).fault).toBe(words);
  });

  it('sends the text of a mixed post, if its settings say so', async () => {
    const post = await compose(mixed, { on_media: 'leave_out' }, text);
    expect(post.rendered_text).toBe(long);
    expect(post.render_meta).toEqual({ parts: [{ kind: 'text' }], left_out: { media: 1 } });
  });

  it('leaves media in where the channel takes both', async () => {
    expect(outcomeOf(await compose(mixed, { on_media: 'leave_out' }))).toBe('0 with text');
  });

  it('does not take a post of media alone', async () => {
    const settings = { on_media: 'leave_out' };
    await addChannel(database.admin, workspaceId, 'texts', { send_mode: 'text', settings });
    await addChannel(database.admin, workspaceId, 'strict', { send_mode: 'text' });
    const media = [{ type: 'image', url: 'https://example.org/a.jpg' }];
    const { channels } = await take(database.service, workspaceId, { media });
    expect(channels).toMatchObject([
      { channelId: 'strict', verdict: 'validation_failed' },
      { channelId: 'texts', verdict: 'not_routed', rule: 'text_only' },
    ]);
    const other = await take(database.service, workspaceId, { media, title: 'Lost' });
    expect(verdicts(other)).toEqual({ texts: 'queued', strict: 'validation_failed' });
  });
});

describe('what is left out of a post', () => {
  it('stands in the event of each channel that gets less', async () => {
    await addChannel(database.admin, workspaceId, 'short', { settings: { text_max: 20 } });
    await addChannel(database.admin, workspaceId, 'whole');
    await take(database.service, workspaceId, { text: long });
    const events = await queryRows(
      database.admin,
      z.object({ channel_id: z.string(), left_out: z.unknown() }),
      `select channel_id, meta -> 'left_out' as left_out from outrider.events
       where workspace_id = $1 and action = 'enqueue' order by channel_id`,
      [workspaceId],
    );
    expect(events).toEqual([
      { channel_id: 'short', left_out: { text: true } },
      { channel_id: 'whole', left_out: null },
    ]);
  });

  it('changes nothing about the claim', async () => {
    await addChannel(database.admin, workspaceId, 'short', { settings: { text_max: 20 } });
    await take(database.service, workspaceId, { text: long });
    const request = { workspaceId, runId: 'run', limit: 10 };
    expect(await claimDeliveries(database.service, request, start)).toMatchObject([
      { renderedText: 'Lost near the…', renderMeta: { left_out: { text: true } } },
    ]);
  });
});

describe('the database refuses', () => {
  it.each([
    { text_max: 0 },
    { text_max: 1.5 },
    { text_max: '100' },
    { text_max: [100] },
    { text_max: 65_537 },
    { media_max: 0 },
    { media_max: 101 },
    { on_media: 'drop' },
    { timeout: 0.5 },
    { timeout: 121 },
    { timeout: '10s' },
    { jitter_ms: -1 },
    { jitter_ms: 60_001 },
    { jitter_ms: 0.5 },
    { similar: true },
    { similar: { hours: 3 } },
    { similar: { within_hours: 0 } },
    { similar: { within_hours: 721 } },
    { similar: { score: 0.4 } },
    { similar: { pictures: 'yes' } },
    { similar: { same: 'kind' } },
    { similar: { same: [1] } },
  ])('%j', async (settings) => {
    await expect(
      addChannel(database.admin, workspaceId, 'news', { settings }),
    ).rejects.toMatchObject({ code: '23514' });
  });

  it('none of the values that are documented', async () => {
    const settings = {
      text_max: 3500,
      media_max: 10,
      on_media: 'leave_out',
      timeout: 10,
      jitter_ms: 100,
      similar: { within_hours: 72, score: 0.8, pictures: true, same: ['kind', 'animal'] },
    };
    await addChannel(database.admin, workspaceId, 'news', { settings });
    await addChannel(database.admin, workspaceId, 'more', { settings: { similar: {} } });
    const { rowCount } = await database.admin.query(
      'select from outrider.channels where workspace_id = $1',
      [workspaceId],
    );
    expect(rowCount).toBe(2);
  });
});
