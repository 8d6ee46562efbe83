import { rename } from 'node:fs/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import type { Outcome } from '../../src/db/commit.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { admin } from '../adapters/vk-harness.ts';
import { addChannel } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take, verdicts } from '../support/posts/intake.ts';
import { openSending, type Sending } from '../support/sandbox/sending.ts';
import { platforms } from '../support/sandbox/three-platforms.ts';

const database = await useDatabase();
let sending: Sending;
let workspaceId: string;

beforeEach(async () => {
  workspaceId = database.newWorkspaceId();
  sending = await openSending(database);
  await sending.addWorkspace(workspaceId);
});
afterEach(() => sending.close());

async function only(...kept: string[]): Promise<void> {
  await database.admin.query(
    'update outrider.channels set enabled = channel_id = any ($2) where workspace_id = $1',
    [workspaceId, kept],
  );
}

async function statuses(): Promise<Record<string, string>> {
  const rows = await queryRows(
    database.admin,
    z.object({ channel_id: z.string(), status: z.string() }),
    'select channel_id, status::text from outrider.deliveries where workspace_id = $1 order by seq',
    [workspaceId],
  );
  return Object.fromEntries(rows.map((row) => [row.channel_id, row.status]));
}

function texts(platform: (typeof platforms)[number]): string[] {
  return sending.posts(platform).map((post) => post.text);
}

function errorsOf(outcomes: readonly Outcome[]): string[] {
  return outcomes.map((outcome) =>
    outcome.ok ? 'ok' : `${outcome.error.category} ${outcome.error.scope} ${outcome.error.code}`,
  );
}

describe('a post that was taken in', () => {
  it('is shown in the chats of all platforms, and its deliveries say so', async () => {
    const accepted = await take(
      database.service,
      workspaceId,
      { title: 'Lost', text: 'A <ginger> dog & a cat' },
      sending.now(),
    );
    expect(verdicts(accepted)).toEqual({ telegram: 'queued', max: 'queued', vk: 'queued' });
    await sending.round(workspaceId);
    expect(await statuses()).toEqual({ telegram: 'sent', max: 'sent', vk: 'sent' });
    for (const platform of platforms) {
      expect(texts(platform)).toEqual(['Lost\n\nA <ginger> dog & a cat']);
    }
  });

  it('with an album shows its pictures, in their order, under its text', async () => {
    const refs = [];
    for (const seed of ['a', 'b', 'c']) refs.push(await sending.addPicture(workspaceId, seed));
    const media = refs.map((blob_ref) => ({ type: 'image', blob_ref }));
    await take(database.service, workspaceId, { text: 'Three', media }, sending.now());
    await sending.round(workspaceId);
    expect(await statuses()).toEqual({ telegram: 'sent', max: 'sent', vk: 'sent' });
    for (const platform of platforms) {
      const shown = sending.posts(platform).flatMap((post) => post.media);
      expect(shown.map((each) => `sha256:${each.sha256}`)).toEqual(refs);
      expect(texts(platform).filter((text) => text !== '')).toEqual(['Three']);
    }
  });
});

describe('a series of ten parts whose seventh fails', () => {
  it('sends exactly the rest when it is tried again', async () => {
    await only('max');
    const media = [];
    for (let n = 0; n < 10; n += 1) {
      const blob_ref = await sending.addPicture(workspaceId, `part ${n}`);
      media.push({ type: 'file', blob_ref, filename: `part-${n}.png` });
    }
    await take(database.service, workspaceId, { text: 'Ten', media }, sending.now());
    const strike = { method: 'POST /messages', after: 6, times: 1 };
    sending.sandbox.faults.add({ kind: 'rate_limited', retryAfter: 5, ...strike });

    const first = await sending.round(workspaceId);
    expect(errorsOf(first.outcomes)).toEqual(['TRANSIENT platform rate_limited']);
    expect(sending.posts('max')).toHaveLength(6);
    sending.clock.advance(60_000);
    const second = await sending.round(workspaceId);
    expect(errorsOf(second.outcomes)).toEqual(['ok']);
    const names = sending.posts('max').map((post) => post.media[0]?.filename);
    expect(names).toEqual(Array.from({ length: 10 }, (_, n) => `part-${n}.png`));
    const row = await queryRow(
      database.admin,
      z.object({ ids: z.array(z.string()), first: z.string() }),
      `select render_meta #> '{series_progress,provider_message_ids}' as ids,
         provider_message_id as first
       from outrider.deliveries where workspace_id = $1`,
      [workspaceId],
    );
    expect(row.ids).toEqual(sending.posts('max').map((post) => post.id));
    expect(row.first).toBe(row.ids[0]);
  });
});

describe('a blob', () => {
  const copies = z.object({ provider: z.string(), file_id: z.string() });

  async function kept(): Promise<z.output<typeof copies>[]> {
    return queryRows(
      database.admin,
      copies,
      'select provider, file_id from outrider.media_blobs where workspace_id = $1 order by provider',
      [workspaceId],
    );
  }

  async function post(text: string, blobRef: string): Promise<void> {
    const media = [{ type: 'image', blob_ref: blobRef }];
    await take(database.service, workspaceId, { text, media }, sending.now());
    await sending.round(workspaceId);
  }

  it('is uploaded once for each provider and then referred to', async () => {
    const blobRef = await sending.addPicture(workspaceId, 'once');
    await post('One', blobRef);
    const first = await kept();
    expect(first.map((each) => each.provider)).toEqual(['max', 'telegram', 'vk']);
    // The bytes are not needed a second time.
    await sending.store.remove(`folder:${blobRef.slice(7, 9)}/${blobRef.slice(7)}`);
    sending.clock.advance(2000);
    await post('Two', blobRef);
    expect(await kept()).toEqual(first);
    for (const platform of platforms) expect(texts(platform)).toEqual(['One', 'Two']);
  });

  it('is uploaded anew when the copy has expired, although MAX would still take it', async () => {
    await only('max');
    const hour = 3_600_000;
    const blobRef = await sending.addPicture(workspaceId, 'old');
    await post('One', blobRef);
    const first = await kept();
    sending.clock.advance(23 * hour);
    await post('Two', blobRef);
    expect(await kept()).toEqual(first);
    sending.clock.advance(hour);
    await post('Three', blobRef);
    const [copy, ...others] = await kept();
    expect(others).toEqual([]);
    expect(copy?.file_id).not.toBe(first[0]?.file_id);
    expect(texts('max')).toEqual(['One', 'Two', 'Three']);
  });

  it('waits while the store is away, however often it is tried, and is sent when it is back', async () => {
    const blobRef = await sending.addPicture(workspaceId, 'away');
    await rename(sending.folder, `${sending.folder}-away`);
    await take(
      database.service,
      workspaceId,
      { text: 'One', media: [{ type: 'image', blob_ref: blobRef }] },
      sending.now(),
    );
    for (let n = 0; n < 6; n += 1) {
      const { outcomes } = await sending.round(workspaceId);
      const away = 'TRANSIENT delivery media_unreadable';
      expect(errorsOf(outcomes)).toEqual([away, away, away]);
      sending.clock.advance(600_000);
    }
    await rename(`${sending.folder}-away`, sending.folder);
    await sending.round(workspaceId);
    expect(await statuses()).toEqual({ telegram: 'sent', max: 'sent', vk: 'sent' });
    for (const platform of platforms) expect(texts(platform)).toEqual(['One']);
  });

  it('whose bytes are gone fails the delivery for good', async () => {
    const blobRef = await sending.addPicture(workspaceId, 'lost');
    await sending.store.remove(`folder:${blobRef.slice(7, 9)}/${blobRef.slice(7)}`);
    const media = [{ type: 'image', blob_ref: blobRef }];
    await take(database.service, workspaceId, { text: 'One', media }, sending.now());
    const { outcomes } = await sending.round(workspaceId);
    expect(new Set(errorsOf(outcomes))).toEqual(
      new Set(['PERMANENT delivery media_missing_origin']),
    );
    for (const platform of platforms) expect(texts(platform)).toEqual([]);
  });
});

describe('a group that became a supergroup', () => {
  it('is followed: the post arrives, and the channel knows the new address', async () => {
    await only('telegram');
    await database.admin.query(
      `update outrider.channels set target_id = '-77' where workspace_id = $1 and channel_id = 'telegram'`,
      [workspaceId],
    );
    sending.sandbox.faults.add({ kind: 'migrated', chat: '-77' });
    await take(database.service, workspaceId, { text: 'Moved' }, sending.now());
    await sending.round(workspaceId);
    expect(await statuses()).toEqual({ telegram: 'sent' });
    const { target_id } = await queryRow(
      database.admin,
      z.object({ target_id: z.string() }),
      `select target_id from outrider.channels where workspace_id = $1 and channel_id = 'telegram'`,
      [workspaceId],
    );
    expect(target_id).not.toBe('-77');
    expect(target_id).toMatch(/^-100/);
    const shown = sending.sandbox.telegram.simulator
      .chats()
      .find((chat) => chat.chat === target_id);
    expect(shown?.posts.map((each) => each.text)).toEqual(['Moved']);
  });
});

describe('a delivery that no adapter can take', () => {
  it('fails with its channel when the platform has no adapter', async () => {
    await only('telegram');
    await database.admin.query(
      `insert into outrider.platforms (platform, title, text_max, media_max, groups_media)
       values ('pigeon', 'Pigeon', 100, 1, false) on conflict do nothing`,
    );
    await database.admin.query(
      `update outrider.channels set platform = 'pigeon' where workspace_id = $1 and channel_id = 'telegram'`,
      [workspaceId],
    );
    await take(database.service, workspaceId, { text: 'Lost' }, sending.now());
    const { outcomes } = await sending.round(workspaceId);
    expect(errorsOf(outcomes)).toEqual(['PERMANENT channel unsupported_platform']);
  });

  it('fails alone when its plan cannot be read', async () => {
    await only('telegram');
    await take(database.service, workspaceId, { text: 'Lost' }, sending.now());
    await database.admin.query(
      `update outrider.deliveries set render_meta = '{"parts": [{"kind": "smoke"}]}' where workspace_id = $1`,
      [workspaceId],
    );
    const { outcomes } = await sending.round(workspaceId);
    expect(errorsOf(outcomes)).toEqual(['PERMANENT delivery unreadable_delivery']);
    expect(texts('telegram')).toEqual([]);
  });

  it.each(['telegram', 'max', 'vk'] as const)(
    'fails on %s when its plan names media that the post does not have, and shows no text without them',
    async (platform) => {
      await only(platform);
      await take(database.service, workspaceId, { text: 'Lost' }, sending.now());
      await database.admin.query(
        `update outrider.deliveries set render_meta = '{"parts": [{"kind": "media", "media": [0], "caption": true}]}'
         where workspace_id = $1`,
        [workspaceId],
      );
      const { outcomes } = await sending.round(workspaceId);
      expect(errorsOf(outcomes)).toEqual(['PERMANENT delivery unreadable_delivery']);
      expect(texts(platform)).toEqual([]);
    },
  );
});

describe('the quota of one wall', () => {
  it('holds up that wall, and no other of the same credential', async () => {
    const { simulator } = sending.sandbox.vk;
    simulator.control('communities', { id: 501, admins: [admin] });
    simulator.control('limits', { posts_per_day: 1 });
    await addChannel(database.admin, workspaceId, 'second-wall', {
      platform: 'vk',
      target_id: '-501',
      auth_ref: 'vk',
    });
    await only('vk');
    await take(database.service, workspaceId, { text: 'One' }, sending.now());
    await sending.round(workspaceId);
    sending.clock.advance(2000);
    await take(database.service, workspaceId, { text: 'Two' }, sending.now());
    const { outcomes } = await sending.round(workspaceId);
    expect(errorsOf(outcomes)).toEqual(['TRANSIENT channel rate_limited']);

    await only('vk', 'second-wall');
    sending.clock.advance(2000);
    await take(database.service, workspaceId, { text: 'Three' }, sending.now());
    const { held } = await sending.round(workspaceId);
    expect(held.map((each) => each.channel.channelId)).toEqual(['second-wall']);
    const other = simulator.chats().find((each) => each.chat === '-501');
    expect(other?.posts.map((post) => post.text)).toEqual(['Three']);
    expect(texts('vk')).toEqual(['One']);
  });
});
