import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { type Previewed, previewPost } from '../../src/db/intake.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { wholeDatabase } from '../support/database/whole-database.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { addEndpoint, sendAll, take } from '../support/posts/intake.ts';

const sessions = useSessions();
const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
});

type Accepted = Exclude<Previewed, { verdict: 'rejected' }>;

async function preview(
  post: object,
  {
    now = start,
    client = database.service,
    endpointId = null,
    copiesLinks = true,
  }: {
    now?: string;
    client?: Parameters<typeof previewPost>[0];
    endpointId?: string | null;
    copiesLinks?: boolean;
  } = {},
): Promise<Accepted> {
  const request = { workspaceId, endpointId, rawPayload: JSON.stringify(post), copiesLinks };
  const previewed = await previewPost(client, request, now);
  if (previewed.verdict === 'rejected') throw new Error(previewed.reason);
  return previewed;
}

async function channel(post: object, given: Parameters<typeof preview>[1] = {}, id = 'news') {
  const { channels } = await preview(post, given);
  const found = channels.find(({ channelId }) => channelId === id);
  if (found === undefined) throw new Error(`there is no channel ${id}`);
  return found;
}

describe('a preview', () => {
  it('writes nothing, whatever the post is: the whole database is as before', async () => {
    const settings = { similar: {} };
    await addChannel(database.admin, workspaceId, 'alike', { settings });
    await addEndpoint(database.admin, workspaceId, 's3cret');
    const known = { text: 'Seen before: call 8 900 000-11-22', source_ref: 'a', tags: ['lost'] };
    await take(database.service, workspaceId, known);
    await sendAll(database.service, workspaceId);
    await database.admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
       values ($1, 'photo', 'file:photo', $2, $2)`,
      [workspaceId, start],
    );
    const posts = [
      known,
      { ...known, tags: ['other'] },
      { text: 'Seen before: call 8 900 000-11-22, please', tags: ['lost'] },
      { text: 'New', media: [{ type: 'image', blob_ref: 'photo' }], scheduled_for: after(3600) },
      { text: '<b>broken', parse_mode: 'HTML' },
      { text: 7 },
      { text: 'A link', media: [{ type: 'image', url: 'https://a.test/1.jpg' }] },
    ];
    const before = await wholeDatabase(database.admin);
    for (const post of posts) {
      for (const endpointId of [null, 'push']) {
        const request = { workspaceId, endpointId, rawPayload: JSON.stringify(post) };
        await previewPost(database.service, { ...request, copiesLinks: true }, after(60));
      }
    }
    expect(await wholeDatabase(database.admin)).toEqual(before);
    expect(before['messages']).toMatch(/^1 /);
    await take(database.service, workspaceId, known, after(60));
    expect(await wholeDatabase(database.admin)).not.toEqual(before);
  });

  it('waits for nobody: the workspace, the message, its deliveries and the channels may be locked', async () => {
    await database.admin.query(
      `update outrider.channels set settings = '{"similar": {}}' where workspace_id = $1`,
      [workspaceId],
    );
    const post = { text: 'Lost: a ginger dog. Call 8 900 000-11-22' };
    await take(database.service, workspaceId, post);
    const holder = await sessions.open(database.admin);
    for (const table of ['workspaces', 'messages', 'deliveries', 'channels', 'platform_limits']) {
      await holder.client.query(
        `select from outrider.${table} where workspace_id = $1 for update`,
        [workspaceId],
      );
    }
    const asking = await sessions.open(database.service, { wait: false });
    const { verdict } = await channel(post, { client: asking.client });
    expect(verdict).toBe('deduped');
  });

  it('takes no lock that a post would wait for', async () => {
    const post = { text: 'Lost: a ginger dog', source_ref: 'a' };
    await addEndpoint(database.admin, workspaceId, 's3cret-2');
    const asking = await sessions.open(database.service);
    await preview(post, { client: asking.client, endpointId: 'push' });
    const posting = await sessions.open(database.service, { wait: false });
    const accepted = await take(posting.client, workspaceId, post);
    expect(accepted.channels).toMatchObject([{ verdict: 'queued' }]);
  });

  it('says by which rule and for which tags a channel does not take the post', async () => {
    const filters = {
      any: { include_any: ['lost', 'found'] },
      all: { include_all: ['dog', 'lost'] },
      not: { exclude: ['cat', 'dog'] },
    };
    for (const [id, filter] of Object.entries(filters)) {
      const columns = { route_filter: JSON.stringify(filter) };
      await addChannel(database.admin, workspaceId, id, columns);
    }
    await addChannel(database.admin, workspaceId, 'off', { enabled: false });
    const { channels } = await preview({ text: 'Bim #dog', tags: ['News'] });
    const rules = channels.map(({ channelId, verdict, rule, tags, profile }) => [
      channelId,
      verdict,
      rule,
      tags,
      profile === null,
    ]);
    expect(rules).toEqual([
      ['all', 'not_routed', 'include_all', ['lost'], true],
      ['any', 'not_routed', 'include_any', ['lost', 'found'], true],
      ['news', 'queued', null, null, false],
      ['not', 'not_routed', 'exclude', ['dog'], true],
      ['off', 'not_routed', 'disabled', null, true],
    ]);
  });

  it('knows a repeat that is on its way, one within the window, and none after it', async () => {
    const post = { text: 'Lost: a ginger dog' };
    await take(database.service, workspaceId, post);
    expect(await channel(post)).toMatchObject({ verdict: 'deduped', because: 'inflight' });
    await sendAll(database.service, workspaceId);
    const repeat = await channel(post, { now: after(60) });
    expect(repeat).toMatchObject({ verdict: 'deduped', because: 'sent' });
    const week = 7 * 24 * 3600;
    expect(Date.parse(repeat.until ?? '')).toBe(Date.parse(after(week)));
    expect(await channel(post, { now: after(week + 1) })).toMatchObject({ verdict: 'queued' });
  });

  it('knows what is nearly the same, how nearly, by what and until when', async () => {
    await addChannel(database.admin, workspaceId, 'alike', { settings: { similar: {} } });
    const lost = 'Lost: a ginger dachshund, red collar, near the grove. Call 8 900 000-11-22';
    await take(database.service, workspaceId, { text: lost });
    const copy = { text: `Please share! ${lost}` };
    const found = await channel(copy, { now: after(60) }, 'alike');
    expect(found).toMatchObject({
      verdict: 'deduped',
      because: 'similar',
      signs: ['phone', 'text'],
      repeats: expect.any(String),
    });
    expect(found.score).toBeGreaterThan(0.8);
    expect(Date.parse(found.until ?? '')).toBe(Date.parse(after(72 * 3600)));
    const enqueued = await take(database.service, workspaceId, copy, after(60));
    const verdict = enqueued.channels.find(({ channelId }) => channelId === 'alike');
    expect(verdict).toMatchObject({ score: found.score, deliveryId: found.repeats });
  });

  it('knows what the endpoint has taken, by its source_ref and by its content', async () => {
    await addEndpoint(database.admin, workspaceId, 's3cret-3');
    const named = { text: 'One', source_ref: 'a' };
    const nameless = { text: 'Two' };
    for (const post of [named, nameless]) {
      const given = [workspaceId, 'push', 'push', JSON.stringify(post), start];
      await database.admin.query(
        'select outrider.enqueue_messages_and_deliveries($1, $2, $3, $4, $5)',
        given,
      );
      const dropped = await preview(post, { endpointId: 'push', now: after(1) });
      expect(dropped).toMatchObject({ verdict: 'dedup_dropped', seen: 'before' });
      expect(Date.parse(dropped.receivedAt ?? '')).toBe(Date.parse(start));
      expect(await preview(post, { now: after(1) })).toMatchObject({ verdict: 'accepted' });
    }
    const other = { ...named, text: 'Another text' };
    const again = await preview(other, { endpointId: 'push', now: after(1) });
    expect(again).toMatchObject({ verdict: 'dedup_dropped', seen: 'first' });
  });

  it('takes the tags of a content that was seen before from its first post', async () => {
    await take(database.service, workspaceId, { text: 'Bim', tags: ['lost'] });
    const again = await preview({ text: 'Bim', tags: ['found'] }, { now: after(1) });
    expect(again).toMatchObject({ seen: 'before', tags: ['lost'] });
  });

  it('says what a queued post would wait for', async () => {
    const queued = { text: 'First' };
    expect(await channel(queued)).toMatchObject({
      next: { because: 'in_line', at: null, ahead: 0 },
    });
    const later = await channel({ text: 'Later', scheduled_for: after(600) });
    expect(later.next).toEqual({ because: 'scheduled', at: new Date(after(600)) });
    await database.admin.query(
      'update outrider.channels set rate_rps = 0.5, paused_until = $2 where workspace_id = $1',
      [workspaceId, after(300)],
    );
    expect(await channel(queued)).toMatchObject({
      next: { because: 'channel_paused', at: new Date(after(300)) },
    });
    await database.admin.query(
      'update outrider.channels set paused_until = null where workspace_id = $1',
      [workspaceId],
    );
    await take(database.service, workspaceId, { text: 'Ahead' });
    await take(database.service, workspaceId, { text: 'Ahead, too' });
    expect(await channel(queued)).toMatchObject({
      next: { because: 'in_line', at: new Date(after(4)), ahead: 2 },
    });
    const request = { workspaceId, runId: 'r', limit: 1 };
    await claimDeliveries(database.service, request, start);
    expect(await channel(queued)).toMatchObject({ next: { at: new Date(after(4)), ahead: 1 } });
  });

  it('judges links as copied, or as links', async () => {
    await addChannel(database.admin, workspaceId, 'wall', { platform: 'vk', rate_group: 'vk' });
    const post = { text: 'A photo', media: [{ type: 'image', url: 'https://a.test/1.jpg' }] };
    expect(await channel(post, {}, 'wall')).toMatchObject({ verdict: 'queued' });
    expect(await channel(post, { copiesLinks: false }, 'wall')).toMatchObject({
      verdict: 'validation_failed',
      reason: expect.stringMatching(/^media\[0\] is only a link, and VK/),
    });
  });

  it.each([
    ['<b>é<i>a</b></i>', 'HTML', 9],
    ['a <b>é</b> <i>b', 'HTML', 12],
    ['é*a* The end.', 'Markdown', 13],
    ['é *a', 'Markdown', 3],
    ['a < b', 'HTML', 2],
  ])('says at which byte of %j the markup (%s) has its fault', async (text, parse_mode, byte) => {
    const { posts, channels } = await preview({ text, parse_mode });
    expect(channels).toMatchObject([{ verdict: 'validation_failed' }]);
    expect(posts).toMatchObject([{ faultAt: byte, renderedText: text }]);
  });

  it('finds the fault of a markup that its platform does not read, too', async () => {
    await addChannel(database.admin, workspaceId, 'wall', { platform: 'vk', rate_group: 'vk' });
    const { posts, channels } = await preview({ text: 'é <b>a', parse_mode: 'HTML' });
    const wall = channels.find(({ channelId }) => channelId === 'wall');
    expect(posts[wall?.profile ?? -1]).toMatchObject({ faultAt: 3 });
  });

  it('has the text that is too long as its platform counts it', async () => {
    const text = `<b>${'a'.repeat(4090)}</b> &amp; ${'б'.repeat(10)}`;
    const { posts } = await preview({ text, parse_mode: 'HTML' });
    expect(posts).toMatchObject([{ length: 4103, lengthMax: 4096, fault: /4,103/ }].map(worded));
  });

  it('counts nothing of a text that shows nothing, because it is not sent', async () => {
    const media = [{ type: 'image', url: 'https://example.org/dog.jpg' }];
    const { posts } = await preview({ text: '\u2800\ufffc', media });
    expect(posts).toMatchObject([{ length: 0, lengthMax: 1024, fault: null }]);
  });
});

function worded({ fault, ...others }: { fault: RegExp }): object {
  return { ...others, fault: expect.stringMatching(fault) };
}
