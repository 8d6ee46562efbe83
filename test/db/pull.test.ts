import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ingestPullChunk, type PullChunk } from '../../src/db/intake.ts';
import {
  type ClaimedSource,
  claimPullSource,
  extendPull,
  failPull,
  listPullSources,
  pullNow,
  releasePull,
  takenItems,
} from '../../src/db/pull.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const { admin, service } = database;
let workspaceId: string;

beforeEach(async () => {
  // Claims look over all workspaces.
  await admin.query('update outrider.pull_sources set enabled = false');
  workspaceId = await addNewWorkspace(database);
  await addChannel(admin, workspaceId, 'news');
  await addSource('feed');
});

async function addSource(sourceId: string, config: object = {}, createdAt = start): Promise<void> {
  await admin.query(
    `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
     values ($1, $2, 'rss', $3, $4)`,
    [workspaceId, sourceId, JSON.stringify(config), createdAt],
  );
}

const claimOf = (except: readonly string[] = []) => ({ runId: 'run', lease: '1 minute', except });

function claim(now = start): Promise<ClaimedSource | undefined> {
  return claimPullSource(service, claimOf(), now);
}

async function claimed(now = start): Promise<ClaimedSource> {
  const found = await claim(now);
  if (found === undefined) throw new Error('nothing is due');
  return found;
}

/** A chunk of one item, which ends the pull unless it says otherwise. */
function chunkOf(source: ClaimedSource, more: Partial<PullChunk> = {}): PullChunk {
  const items = [{ itemRef: '1', payload: { text: 'Post 1' } }];
  return { ...source, items, heldItem: null, cursorTo: { at: 1 }, nextPullAt: after(300), ...more };
}

async function cursor(): Promise<Record<string, unknown>> {
  const [row] = await queryRows(
    admin,
    z.object({ row: z.record(z.string(), z.unknown()) }),
    `select to_jsonb(c) as row from outrider.pull_cursors c where workspace_id = $1 and source_id = 'feed'`,
    [workspaceId],
  );
  return row?.row ?? {};
}

async function actions(): Promise<string[]> {
  const rows = await queryRows(
    admin,
    z.object({ action: z.string() }),
    `select action::text from outrider.events
     where workspace_id = $1 and action::text ~ '^(pull_|manual_pull|media_)' order by ts, action`,
    [workspaceId],
  );
  return rows.map((row) => row.action);
}

const at = (seconds: number): string => new Date(after(seconds)).toISOString();

describe('a pull source', () => {
  it('is due from its creation on, and not while it is disabled or left to programs', async () => {
    await admin.query(
      `update outrider.pull_sources set enabled = false where workspace_id = $1 and source_id = 'feed'`,
      [workspaceId],
    );
    await addSource('manual', { every: 'never' });
    await addSource('later', {}, after(100));
    expect(await claim(after(99))).toBeUndefined();
    expect(await claim(after(100))).toMatchObject({ sourceId: 'later' });
  });

  it('comes with all that a pull needs', async () => {
    await admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, 'vk-token', 'vk', 'env:VK', $2)`,
      [workspaceId, start],
    );
    await admin.query(
      `update outrider.pull_sources set config_json = '{"auth_ref": "vk-token", "limit": 5}' where workspace_id = $1`,
      [workspaceId],
    );
    expect(await claimed()).toEqual({
      workspaceId,
      sourceId: 'feed',
      kind: 'rss',
      config: { auth_ref: 'vk-token', limit: 5 },
      cursor: {},
      leaseToken: expect.any(String),
      leaseMs: 60_000,
      claimedAt: new Date(start),
      failures: 0,
      heldItem: null,
      heldPulls: 0,
      authRef: 'vk-token',
      secretRef: 'env:VK',
      platform: 'vk',
      rateGroup: 'vk-token',
    });
  });

  it('has one puller at a time, until its lease is over', async () => {
    const many = await Promise.all(Array.from({ length: 5 }, () => claim()));
    expect(many.filter((each) => each !== undefined)).toHaveLength(1);
    expect(await claim(after(59))).toBeUndefined();
    const second = await claimed(after(60));
    const [first] = many.filter((each) => each !== undefined);
    expect(second.leaseToken).not.toBe(first?.leaseToken);
  });

  it('is handed out after those that have been due for longer', async () => {
    await addSource('older', {}, after(-60));
    expect((await claimed()).sourceId).toBe('older');
    expect((await claimed()).sourceId).toBe('feed');
  });

  it('of a workspace that is paused, or that has enough pulls, is passed over', async () => {
    expect(await claimPullSource(service, claimOf([workspaceId]), start)).toBeUndefined();
    await admin.query(`update outrider.workspaces set status = 'paused' where workspace_id = $1`, [
      workspaceId,
    ]);
    expect(await claim()).toBeUndefined();
  });

  it('of another kind is read from its beginning, and a changed one loses its lease', async () => {
    const source = await claimed();
    await ingestPullChunk(service, chunkOf(source, { nextPullAt: null }), start);
    await admin.query(
      `update outrider.pull_sources set config_json = '{"limit": 5}' where workspace_id = $1`,
      [workspaceId],
    );
    expect(await cursor()).toMatchObject({ cursor_json: { at: 1 }, lease_token: null });
    await expect(ingestPullChunk(service, chunkOf(source), start)).rejects.toThrow(
      'the lease on pull source "feed" is lost',
    );
    await admin.query(`update outrider.pull_sources set kind = 'api' where workspace_id = $1`, [
      workspaceId,
    ]);
    expect(await cursor()).toMatchObject({ cursor_json: {} });
  });

  const known = { seen: 'abcdefghijkl', walls: {} };
  const bound = { etag: '"1"', last_modified: 'then', place: 3, key: ['5'], columns: ['id'] };

  it.each([
    ['another url', { url: 'https://example.org/b' }, known],
    ['another secret', { auth: { bearer_ref: 'env:B' } }, known],
    ['other headers', { headers: { accept: 'b' } }, known],
    ['another list', { items: 'b' }, known],
    ['other pages', { paging: { by: 'link' } }, known],
    ['another order', { order: 'oldest_first' }, known],
    ['another database', { secret_ref: 'env:B' }, known],
    ['another query', { query: 'select 2' }, known],
    ['another key', { key: ['at', 'id'] }, known],
    ['another pace, and other tags', { every: '1h', tags: ['b'] }, { ...known, ...bound }],
  ])('with %s keeps of its cursor what still holds', async (_, change, kept) => {
    const config = { url: 'https://example.org/a', query: 'select 1', every: '5m' };
    const update = 'update outrider.pull_sources set config_json = $2 where workspace_id = $1';
    await admin.query(update, [workspaceId, config]);
    const cursorTo = { ...known, ...bound };
    await ingestPullChunk(service, chunkOf(await claimed(), { cursorTo, heldItem: '2' }), start);
    await admin.query(update, [workspaceId, { ...config, ...change }]);
    const isSame = Object.keys(kept).length === Object.keys(cursorTo).length;
    expect(await cursor()).toMatchObject({ held_pulls: isSame ? 1 : 0 });
    expect((await cursor())['cursor_json']).toEqual(kept);
  });
});

describe('a chunk', () => {
  it('that ends its pull gives the lease back and says when the source is due again', async () => {
    await ingestPullChunk(service, chunkOf(await claimed()), after(5));
    expect(await cursor()).toMatchObject({
      cursor_json: { at: 1 },
      lease_token: null,
      items_taken: 1,
    });
    expect(await claim(after(299))).toBeUndefined();
    expect(await claimed(after(300))).toMatchObject({ cursor: { at: 1 } });
  });

  it('with more to come keeps the source and extends the lease', async () => {
    const source = await claimed();
    await ingestPullChunk(service, chunkOf(source, { nextPullAt: null }), after(50));
    expect(await claim(after(109))).toBeUndefined();
    await ingestPullChunk(service, chunkOf(source, { nextPullAt: null }), after(100));
    expect((await claimed(after(160))).leaseToken).not.toBe(source.leaseToken);
  });

  it('under a lease that another has taken over is refused, and changes nothing', async () => {
    const source = await claimed();
    await claimed(after(60));
    await expect(ingestPullChunk(service, chunkOf(source), after(61))).rejects.toMatchObject({
      code: 'still_in_flight',
    });
    expect(await cursor()).toMatchObject({ cursor_json: {}, items_taken: 0 });
  });

  it('under a lease that is over, and that nobody took, is taken in', async () => {
    const source = await claimed();
    await ingestPullChunk(service, chunkOf(source), after(600));
    expect(await cursor()).toMatchObject({ items_taken: 1, lease_token: null });
  });

  it('without a lease is refused while somebody holds one, and taken in otherwise', async () => {
    const source = await claimed();
    const bare = chunkOf(source, { leaseToken: null, nextPullAt: null });
    await expect(ingestPullChunk(service, bare, after(59))).rejects.toThrow(
      'is being pulled by another',
    );
    await ingestPullChunk(service, bare, after(60));
    expect(await cursor()).toMatchObject({ cursor_json: { at: 1 } });
    // It was due, and is.
    expect(await claim(after(60))).toBeDefined();
  });

  it('puts media that were left out on record, once for each', async () => {
    const leftOut = [{ path: 'media[0].url', reason: 'example.org answered 404' }];
    const items = [{ itemRef: '1', payload: { text: 'Post' }, leftOut }];
    const source = await claimed();
    await ingestPullChunk(service, chunkOf(source, { items, nextPullAt: null }), start);
    await ingestPullChunk(service, chunkOf(source, { items }), start);
    expect(await actions()).toEqual(['media_left_out']);
    const [event] = await queryRows(
      admin,
      z.object({ message: z.string(), has_message: z.boolean(), item: z.string() }),
      `select error ->> 'message' as message, message_id is not null as has_message, meta ->> 'item_ref' as item
       from outrider.events where workspace_id = $1 and action = 'media_left_out'`,
      [workspaceId],
    );
    expect(event).toEqual({
      message: 'media[0].url: example.org answered 404',
      has_message: true,
      item: '1',
    });
  });

  it('counts the pulls that end before the same item, and forgets them when one passes it', async () => {
    const hold = async (heldItem: string | null, seconds: number) => {
      const source = await claimed(after(seconds));
      const held = chunkOf(source, { heldItem, cursorTo: null, nextPullAt: after(seconds + 60) });
      await ingestPullChunk(service, held, after(seconds));
      const { held_item: item, held_pulls: pulls } = await cursor();
      return [item, pulls];
    };
    expect(await hold('7', 0)).toEqual(['7', 1]);
    expect(await hold('7', 60)).toEqual(['7', 2]);
    expect(await hold('8', 180)).toEqual(['8', 1]);
    expect(await hold(null, 240)).toEqual([null, 0]);
  });

  it('does not count a pull that ends before an item which still waits: 1 minute, then 2, then 4', async () => {
    const hold = async (seconds: number) => {
      const order = { workspaceId, sourceId: 'feed', runId: 'test', lease: '1 minute' };
      const asked = { ...order, operator: 'anna', reason: 'now' };
      const source = await pullNow(service, asked, after(seconds));
      if (source === undefined) throw new Error('it is not handed out');
      const held = chunkOf(source, {
        items: [],
        heldItem: '7',
        cursorTo: null,
        nextPullAt: after(seconds + 10),
      });
      await ingestPullChunk(service, held, after(seconds));
      const { held_pulls: pulls, next_pull_at: next } = await cursor();
      return [source.heldPulls, pulls, (Date.parse(String(next)) - Date.parse(start)) / 1000];
    };
    expect(await hold(0)).toEqual([0, 1, 60]);
    expect(await hold(20)).toEqual([0, 1, 60]);
    expect(await hold(59)).toEqual([0, 1, 60]);
    expect(await hold(60)).toEqual([1, 2, 180]);
    expect(await hold(179)).toEqual([0, 2, 180]);
    expect(await hold(200)).toEqual([2, 3, 440]);
    expect(await hold(439)).toEqual([0, 3, 440]);
    expect(await hold(440)).toEqual([3, 4, 680]);
  });

  it('keeps the count of an item that is held while the pull goes on', async () => {
    const first = await claimed();
    await ingestPullChunk(service, chunkOf(first, { heldItem: '7', cursorTo: null }), start);
    const second = await claimed(after(300));
    expect(second).toMatchObject({ heldItem: '7', heldPulls: 1 });
    await ingestPullChunk(service, chunkOf(second, { nextPullAt: null }), after(300));
    expect(await cursor()).toMatchObject({ held_item: '7', held_pulls: 1 });
  });
});

describe('a source that fails', () => {
  async function fail(seconds: number, retryAfter: string | null = null): Promise<number> {
    const source = await claimed(after(seconds));
    const failed = { ...source, error: 'token=abcdef1234 is refused', retryAfter };
    const next = await failPull(service, failed, after(seconds));
    return ((next?.getTime() ?? 0) - new Date(after(seconds)).getTime()) / 60_000;
  }

  it('waits a minute, twice as long after each failure, and never much longer than an hour', async () => {
    const waits: number[] = [];
    for (let n = 0; n < 9; n += 1) waits.push(await fail(n * 36_000));
    const least = [1, 2, 4, 8, 16, 32, 60, 60, 60];
    for (const [n, wait] of waits.entries()) {
      expect(wait).toBeGreaterThanOrEqual(least[n] ?? 0);
      expect(wait).toBeLessThanOrEqual((least[n] ?? 0) * 1.1);
    }
  });

  it('waits for as long as it asks for, at least', async () => {
    expect(await fail(0, '3 hours')).toBeGreaterThanOrEqual(180);
    expect(await fail(36_000, '1 second')).toBeGreaterThanOrEqual(2);
  });

  it('leaves one event when it begins to fail and one when it is well again', async () => {
    await fail(0);
    await fail(3600);
    await fail(7200);
    const source = await claimed(after(36_000));
    expect(source.failures).toBe(3);
    await ingestPullChunk(service, chunkOf(source, { nextPullAt: null }), after(36_000));
    expect(await actions()).toEqual(['pull_failed']);
    await ingestPullChunk(service, chunkOf(source, { nextPullAt: at(37_000) }), after(36_001));
    await ingestPullChunk(service, chunkOf(await claimed(after(37_000))), after(37_000));
    expect(await actions()).toEqual(['pull_failed', 'pull_recovered']);
    expect(await cursor()).toMatchObject({ failures: 0, last_error: null, failing_since: null });
  });

  it('shows why, masked and short, wherever it is listed', async () => {
    const source = await claimed();
    const error = `token=abcdef1234 ${'x'.repeat(2000)}`;
    await failPull(service, { ...source, error, retryAfter: null }, start);
    const [listed] = await listPullSources(service, workspaceId, after(1));
    expect(listed).toMatchObject({ state: 'failing', failures: 1, failingSince: new Date(start) });
    expect(listed?.lastError).toMatch(/^token=\[token\] x+$/);
    expect(listed?.lastError).toHaveLength(500);
  });

  it('is not recorded by a puller that has lost it', async () => {
    const source = await claimed();
    await claimed(after(60));
    const failed = { ...source, error: 'away', retryAfter: null };
    expect(await failPull(service, failed, after(61))).toBeNull();
    expect(await actions()).toEqual([]);
  });

  it('raises pull_lag when it has failed, or has been due, for too long', async () => {
    await admin.query(
      `update outrider.workspace_settings set alert_pull_lag_over = '10 minutes' where workspace_id = $1`,
      [workspaceId],
    );
    const summaries = async (seconds: number): Promise<string[]> => {
      const rows = await queryRows(
        admin,
        z.object({ summary: z.string() }),
        `select c.summary from outrider.workspace_settings s
         cross join lateral outrider.lag_conditions(s, $2) c where s.workspace_id = $1`,
        [workspaceId, after(seconds)],
      );
      return rows.map((row) => row.summary);
    };
    expect(await summaries(600)).toEqual([]);
    expect(await summaries(660)).toEqual([
      'pull source "feed" has been due for 11 min and was not read; does a process run pull?',
    ]);
    await fail(660);
    expect(await summaries(660 + 600)).toEqual([]);
    expect(await summaries(660 + 660)).toEqual([
      'pull source "feed" has failed for 11 min: token=[token] is refused; outrider sources test feed reads it now',
    ]);
  });
});

describe('a lease', () => {
  it('is extended by its holder alone', async () => {
    const source = await claimed();
    expect(await extendPull(service, { ...source, lease: '1 minute' }, after(50))).toBe(true);
    expect(await claim(after(109))).toBeUndefined();
    await claimed(after(110));
    expect(await extendPull(service, { ...source, lease: '1 minute' }, after(111))).toBe(false);
  });

  it('that is given back leaves the source as due as before', async () => {
    const source = await claimed();
    expect(await releasePull(service, source, after(1))).toBe(true);
    expect(await releasePull(service, source, after(1))).toBe(false);
    expect(await claimed(after(1))).toMatchObject({ sourceId: 'feed' });
  });
});

describe('an order to pull now', () => {
  const order = () => ({
    workspaceId,
    sourceId: 'feed',
    runId: 'run',
    lease: '1 minute',
    operator: 'ann',
    reason: 'a post is missing',
  });

  it('hands the source out although it is not due, on record', async () => {
    await ingestPullChunk(service, chunkOf(await claimed()), start);
    expect(await pullNow(service, order(), after(10))).toMatchObject({ sourceId: 'feed' });
    expect(await actions()).toEqual(['manual_pull']);
  });

  it('is refused while somebody pulls, and for a disabled source', async () => {
    await claimed();
    await expect(pullNow(service, order(), after(10))).rejects.toThrow(
      'is being pulled by another',
    );
    await admin.query('update outrider.pull_sources set enabled = false');
    await expect(pullNow(service, order(), after(10))).rejects.toThrow('is disabled');
    expect(await actions()).toEqual([]);
  });
});

describe('items', () => {
  it('that were taken are known, of their own source and workspace only', async () => {
    await ingestPullChunk(service, chunkOf(await claimed()), start);
    const asked = { workspaceId, sourceId: 'feed', itemRefs: ['1', '2'] };
    expect(await takenItems(service, asked)).toEqual(['1']);
    expect(await takenItems(service, { ...asked, sourceId: 'other' })).toEqual([]);
    const other = await addNewWorkspace(database);
    expect(await takenItems(service, { ...asked, workspaceId: other })).toEqual([]);
  });
});
