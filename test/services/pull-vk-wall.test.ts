import { text as readText } from 'node:stream/consumers';
import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { createMediaFetcher } from '../../src/media/media-fetcher.ts';
import { vkWall } from '../../src/pull/kinds/vk-wall.ts';
import { type Pulled, pullSource } from '../../src/pull/pull-source.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useUndo } from '../support/fixtures/undo.ts';
import { openStore, startOrigin } from '../support/http/media-origins.ts';
import { addSource, claimDue, pullGround } from '../support/pull/pull-ground.ts';
import { startSeconds, startVk, type VkSandbox, wall } from '../support/sandbox/vk-sandbox.ts';

const database = await useDatabase();
const { admin, service } = database;
const undo = useUndo();
const never = new AbortController().signal;
let vk: VkSandbox;
let workspaceId: string;
let now: number;

beforeEach(async () => {
  await admin.query('update outrider.pull_sources set enabled = false');
  vk = await startVk();
  undo.push(() => vk.close());
  workspaceId = await addNewWorkspace(database);
  await addChannel(admin, workspaceId, 'news');
  await admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, 'vk-token', 'vk', 'env:VK', $2)`,
    [workspaceId, start],
  );
  // Without a pace, so that no test waits for slots.
  await admin.query(
    `insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
     values ($1, 'vk', 'vk-token', null, $2)`,
    [workspaceId, start],
  );
  now = 0;
});

function addWalls(config: object = {}): Promise<void> {
  const all = { auth_ref: 'vk-token', owners: [wall], backfill: 100, ...config };
  return addSource(admin, { workspaceId, kind: 'vk_wall', config: all });
}

/** Pulls ten minutes later than the last time. */
async function pull(given: Partial<Parameters<typeof pullGround>[1]> = {}): Promise<Pulled> {
  now += 600;
  const time = after(now);
  const secrets = { VK: vk.tokens.service };
  const options = { kinds: [vkWall], secrets, vkUrl: vk.server.url, now: () => time, ...given };
  return pullSource(pullGround(service, options), await claimDue(service, time), never);
}

function seed(posts: readonly object[], owner = wall): void {
  vk.control('posts', { owner_id: owner, posts });
}

const Row = z.object({ payload: z.record(z.string(), z.unknown()) });

async function payloads(): Promise<Record<string, unknown>[]> {
  const rows = await queryRows(
    admin,
    Row,
    `select m.payload from outrider.deliveries d join outrider.messages m using (workspace_id, message_id)
     where d.workspace_id = $1 order by d.seq`,
    [workspaceId],
  );
  return rows.map((row) => row.payload);
}

async function texts(): Promise<unknown[]> {
  return (await payloads()).map((payload) => payload['text']);
}

const dated = (id: number, seconds: number, more: object = {}): object => ({
  id,
  date: startSeconds + seconds,
  text: `Post ${id}`,
  ...more,
});

describe('posts of a wall', () => {
  it('come once each, oldest first, with their address and who posted', async () => {
    await addWalls();
    seed([dated(2, 20), dated(1, 10)]);
    expect(await pull()).toMatchObject({ outcome: 'done', accepted: 2 });
    seed([dated(3, 30)]);
    expect(await pull()).toMatchObject({ accepted: 1, alreadyTaken: 0 });
    expect(await pull()).toMatchObject({ accepted: 0, alreadyTaken: 0 });
    expect(await texts()).toEqual(['Post 1', 'Post 2', 'Post 3']);
    const [first] = await payloads();
    expect(first).toMatchObject({
      links: [`https://vk.com/wall${wall}_1`],
      fields: {
        owner_id: String(wall),
        post_id: '1',
        from_id: String(wall),
        date: new Date((startSeconds + 10) * 1000).toISOString(),
      },
    });
  });

  it('of the past come up to a number at the first look; later ones come all', async () => {
    await addWalls({ backfill: 2 });
    seed([1, 2, 3, 4].map((id) => dated(id, id)));
    await pull();
    expect(await texts()).toEqual(['Post 3', 'Post 4']);
    seed([5, 6, 7].map((id) => dated(id, id)));
    await pull();
    expect(await texts()).toEqual([3, 4, 5, 6, 7].map((id) => `Post ${id}`));
  });

  it('of the past do not come at all when none is wanted', async () => {
    await addWalls({ backfill: 0 });
    seed([dated(1, 10), dated(2, 20, { pinned: true })]);
    await pull();
    seed([dated(3, 30)]);
    await pull();
    expect(await texts()).toEqual(['Post 3']);
  });

  it('come although a pinned post of any age stands first, which comes once', async () => {
    await addWalls();
    seed([dated(1, 10, { pinned: true }), dated(2, 20)]);
    await pull();
    seed([dated(3, 30)]);
    await pull();
    // Another old post is pinned, and one is edited.
    await vk.call('wall.pin', { owner_id: wall, post_id: 2 }).catch(() => undefined);
    await vk
      .call('wall.edit', { owner_id: wall, post_id: 3, message: 'Post 3, edited' })
      .catch(() => undefined);
    seed([dated(4, 40, { pinned: true }), dated(5, 50)]);
    await pull();
    await pull();
    expect(await texts()).toEqual([1, 2, 3, 4, 5].map((id) => `Post ${id}`));
  });

  it('of one second are told apart', async () => {
    await addWalls();
    seed([dated(1, 10), dated(2, 10)]);
    await pull();
    seed([dated(3, 10)]);
    await pull();
    await pull();
    expect(await texts()).toEqual(['Post 1', 'Post 2', 'Post 3']);
  });

  it('in any number come in chunks, none twice and none left out, while new ones and deletions move the pages', async () => {
    await addWalls({ limit: 100 });
    seed([dated(1, 1)]);
    await pull();
    seed(Array.from({ length: 350 }, (_, n) => dated(n + 2, n + 2)));
    let calls = 0;
    const before = async (): Promise<void> => {
      calls += 1;
      if (calls === 2) seed([1001, 1002, 1003].map((id) => dated(id, id)));
      // Seven posts that were read already disappear: the pages move up.
      if (calls === 3) {
        for (let id = 345; id < 352; id += 1) {
          await vk.call('wall.delete', { owner_id: wall, post_id: id });
        }
      }
    };
    const watched = {
      ...vkWall,
      open: (...[config, means]: Parameters<typeof vkWall.open>) => {
        const source = vkWall.open(config, means);
        return {
          ...source,
          look: (look: Parameters<typeof source.look>[0]) =>
            source.look({
              ...look,
              beforeCall: async () => {
                await before();
                return look.beforeCall();
              },
            }),
        };
      },
    };
    const pulled = await pull({ kinds: [watched] });
    expect(pulled).toMatchObject({ outcome: 'done', accepted: 350, chunks: 4 });
    await pull();
    const all = (await texts()).map((text) => Number(String(text).slice(5)));
    expect(all.toSorted((a, b) => a - b)).toEqual([
      ...Array.from({ length: 351 }, (_, n) => n + 1),
      1001,
      1002,
      1003,
    ]);
  });

  it('marked as ads are left out, unless they are wanted', async () => {
    seed([dated(1, 10, { ads: true }), dated(2, 20)]);
    await addWalls();
    await pull();
    expect(await texts()).toEqual(['Post 2']);
    await admin.query('update outrider.pull_sources set enabled = false');
    await addSource(admin, {
      workspaceId,
      sourceId: 'with-ads',
      kind: 'vk_wall',
      config: { auth_ref: 'vk-token', owners: [wall], ads: true },
    });
    await pull();
    expect(await texts()).toEqual(['Post 2', 'Post 1']);
  });

  it('that repost another come with its words and photos, and say where it is from', async () => {
    await addWalls();
    seed([
      dated(1, 10, {
        text: 'Помогите!',
        copy_history: [{ owner_id: -7, id: 70, from_id: -7, text: 'Найдена [id5|кошка]' }],
      }),
    ]);
    await pull();
    expect(await payloads()).toEqual([
      expect.objectContaining({
        text: 'Помогите!\n\nНайдена кошка',
        fields: expect.objectContaining({
          reposted_from: 'https://vk.com/wall-7_70',
          accounts: 'id5',
        }),
      }),
    ]);
  });

  it('come with the largest photos, and with videos, documents and links as links', async () => {
    const kept = await openStore();
    const privateHosts = [new URL(vk.server.url).host];
    const fetcher = createMediaFetcher({ store: kept.store, maxBytes: 10_000_000, privateHosts });
    undo.push(
      () => kept[Symbol.asyncDispose](),
      () => fetcher.close(),
    );
    await addWalls();
    seed([
      dated(1, 10, {
        photos: [{ width: 640, height: 480 }],
        attachments: [
          { type: 'video', video: { id: 9, owner_id: -7 } },
          { type: 'link', link: { url: 'https://example.org/page' } },
          { type: 'doc', doc: { url: 'https://vk.com/doc1_2' } },
          { type: 'poll', poll: { question: 'Да?' } },
        ],
      }),
    ]);
    expect(await pull({ fetcher })).toMatchObject({ outcome: 'done', accepted: 1, leftOut: 0 });
    const [payload] = await payloads();
    expect(payload?.['media']).toHaveLength(1);
    expect(payload?.['links']).toEqual([
      `https://vk.com/wall${wall}_1`,
      'https://vk.com/video-7_9',
      'https://example.org/page',
      'https://vk.com/doc1_2',
    ]);
  });
});

describe('several walls', () => {
  beforeEach(() => {
    vk.control('communities', { id: 600, name: 'Вторые', screen_name: 'second' });
  });

  it('are read in one pull, in the order of time, each with its own mark', async () => {
    await addWalls({ owners: ['club500', 'https://vk.com/second'] });
    seed([dated(1, 10), dated(2, 30)]);
    seed([dated(1, 20, { text: 'Other 1' })], -600);
    expect(await pull()).toMatchObject({ accepted: 3, chunks: 1 });
    seed([dated(2, 15, { text: 'Other 2, older' }), dated(3, 40, { text: 'Other 3' })], -600);
    await pull();
    expect(await texts()).toEqual(['Post 1', 'Other 1', 'Post 2', 'Other 3']);
  });

  it('come although one of them cannot be read; that one is told, once', async () => {
    await addWalls({ owners: [-999, wall] });
    seed([dated(1, 10)]);
    expect(await pull()).toMatchObject({
      outcome: 'failed',
      accepted: 1,
      reason: expect.stringMatching(/^wall -999: VK answers with error 100, .*; correct the wall/),
    });
    seed([dated(2, 20)]);
    now += 3600;
    expect(await pull()).toMatchObject({ outcome: 'failed', accepted: 1 });
    const { rows } = await admin.query(
      `select action::text from outrider.events where workspace_id = $1 and action::text like 'pull%'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ action: 'pull_failed' }]);
  });

  it('have not recovered when a pull ends before a medium while one of them cannot be read', async () => {
    const fetcher = {
      fetch: async () => {
        const reason = 'the server is away';
        return { ok: false, code: 'timeout', reason, transient: true } as const;
      },
      pictureHash: () => Promise.reject(new Error('nothing is fetched here')),
      close: async () => undefined,
    };
    await addWalls({ owners: [-999, wall] });
    expect(await pull()).toMatchObject({ outcome: 'failed' });
    seed([dated(1, 10, { photos: [{}] })]);
    now += 3600;
    expect(await pull({ fetcher })).toMatchObject({ outcome: 'held' });
    const { rows } = await admin.query(
      `select c.failures, (select array_agg(e.action::text) from outrider.events e
         where e.workspace_id = $1 and e.action::text like 'pull%') as actions
       from outrider.pull_cursors c where c.workspace_id = $1`,
      [workspaceId],
    );
    expect(rows).toEqual([{ failures: 1, actions: ['pull_failed'] }]);
  });

  it('come although one has a post that nobody can read, which is refused on record', async () => {
    const origin = await startOrigin(async (request, response) => {
      const owner = Number(new URLSearchParams(await readText(request)).get('owner_id'));
      const readable = { id: 1, owner_id: owner, date: startSeconds, text: `Of ${owner}` };
      const items = owner === wall ? [{ id: null }, readable] : [readable];
      response.end(JSON.stringify({ response: { count: items.length, items } }));
    });
    undo.push(() => origin[Symbol.asyncDispose]());
    await addWalls({ owners: [wall, -600] });
    expect(await pull({ vkUrl: origin.url })).toMatchObject({
      outcome: 'done',
      accepted: 2,
      rejected: 1,
    });
    expect(await pull({ vkUrl: origin.url })).toMatchObject({ accepted: 0, rejected: 0 });
    expect(await texts()).toEqual([`Of ${wall}`, 'Of -600']);
  });
});

describe('a refusal of VK', () => {
  it('for its pace is repeated at once, and costs nothing', async () => {
    await addWalls();
    seed([dated(1, 10)]);
    vk.control('fail', { code: 6, method: 'wall.get', times: 2 });
    expect(await pull()).toMatchObject({ outcome: 'done', accepted: 1 });
  });

  it.each([
    [9, 30 * 60],
    [29, 3 * 3600],
  ])('for a quota (%i) makes the source wait', async (code, seconds) => {
    await addWalls();
    vk.control('fail', { code, method: 'wall.get' });
    const pulled = await pull();
    expect(pulled.outcome).toBe('failed');
    const wait = (pulled.nextPullAt?.getTime() ?? 0) - new Date(after(now)).getTime();
    expect(wait / 1000).toBeGreaterThanOrEqual(seconds);
    now += 4 * 3600;
    seed([dated(1, 10)]);
    expect(await pull()).toMatchObject({ outcome: 'done', accepted: 1 });
  });

  it('of the token says what to do, and shows no token', async () => {
    await addWalls();
    const pulled = await pull({ secrets: { VK: 'vk1.a.nobody' } });
    expect(pulled.reason).toMatch(/^VK answers with error 5, .*; replace the token/);
    expect(pulled.reason).not.toContain('nobody');
    now += 3600;
    expect(await pull({ secrets: {} })).toMatchObject({
      reason: 'credential vk-token cannot be read: environment variable VK is not set',
    });
  });
});

describe('the pace of the token', () => {
  it('is shared with senders: a call takes a slot of the rate group', async () => {
    await admin.query(
      'update outrider.platform_limits set rate_rps = 0.001 where workspace_id = $1',
      [workspaceId],
    );
    await addWalls();
    const names = { platform: 'vk', auth_ref: 'vk-token', rate_group: 'vk-token' };
    await addChannel(admin, workspaceId, 'wall', names);
    await pull();
    await enqueueBatch(
      service,
      { workspaceId, kind: 'push', items: [{ text: 'Hello' }] },
      after(now),
    );
    const handedOut = async (seconds: number): Promise<string[]> => {
      const claim = { workspaceId, runId: 'sender', limit: 10 };
      const claimed = await claimDeliveries(service, claim, after(seconds));
      return claimed.map(({ channel }) => channel.channelId);
    };
    expect(await handedOut(now)).toEqual(['news']);
    expect(await handedOut(now + 1001)).toEqual(['wall']);
    // The sender has taken the slot: the next one is too far ahead for the source to wait for it.
    now += 500;
    expect(await pull()).toMatchObject({
      outcome: 'failed',
      reason: 'rate group vk-token has no slot soon',
    });
  });

  it('is respected when senders have made the platform ask for a rest', async () => {
    await addWalls();
    await admin.query(
      'update outrider.platform_limits set cooldown_until = $2 where workspace_id = $1',
      [workspaceId, after(700)],
    );
    expect((await pull()).reason).toMatch(
      /^rate group vk-token is shut until \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/,
    );
  });
});
