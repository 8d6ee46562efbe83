import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ingestPullChunk, type PulledChunk, type PulledItem } from '../../src/db/intake.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { sendAll } from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  await database.admin.query(
    `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
     values ($1, 'feed', 'rss', '{}', $2)`,
    [workspaceId, start],
  );
});

function item(itemRef: string, text = `Post ${itemRef}`): PulledItem {
  return { itemRef, payload: { text } };
}

async function pull(
  items: readonly PulledItem[],
  cursorTo: Record<string, unknown> | null = null,
  now = start,
): Promise<PulledChunk> {
  return ingestPullChunk(database.service, { workspaceId, sourceId: 'feed', items, cursorTo }, now);
}

async function cursor(): Promise<unknown> {
  const rows = await queryRows(
    database.admin,
    z.object({ cursor_json: z.unknown() }),
    'select cursor_json from outrider.pull_cursors where workspace_id = $1',
    [workspaceId],
  );
  return rows[0]?.cursor_json;
}

async function stats(): Promise<unknown[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ stats_json: z.unknown() }),
    `select stats_json from outrider.ingest_runs
     where workspace_id = $1 and kind = 'pull' order by started_at`,
    [workspaceId],
  );
  return rows.map((row) => row.stats_json);
}

function verdicts(chunk: PulledChunk): string[] {
  return chunk.items.map((each) => `${each.itemRef}: ${each.verdict}`);
}

describe('a chunk', () => {
  it('takes its items in and moves the cursor', async () => {
    const chunk = await pull([item('1'), item('2')], { last_seen_id: '2' });
    expect(verdicts(chunk)).toEqual(['1: accepted', '2: accepted']);
    expect(await cursor()).toEqual({ last_seen_id: '2' });
    expect(await stats()).toEqual([
      expect.objectContaining({ accepted: 2, queued: 2, already_taken: 0, source_id: 'feed' }),
    ]);
  });

  it('queues its items in their order', async () => {
    const refs = Array.from({ length: 16 }, (_, n) => `${n}`);
    await pull(refs.map((ref) => item(ref)));
    const queued = await queryRows(
      database.admin,
      z.object({ rendered_text: z.string() }),
      'select rendered_text from outrider.deliveries where workspace_id = $1 order by seq',
      [workspaceId],
    );
    expect(queued.map((row) => row.rendered_text)).toEqual(refs.map((ref) => `Post ${ref}`));
  });

  it('takes an item once for all time, also after its message went and its window passed', async () => {
    await pull([item('1')]);
    await sendAll(database.service, workspaceId);
    const later = await pull([item('1'), item('2')], null, after(400 * 86400));
    expect(verdicts(later)).toEqual(['1: already_taken', '2: accepted']);
  });

  it('takes an item that stands in it twice once', async () => {
    const chunk = await pull([item('1'), item('1', 'other'), item('2')]);
    expect(verdicts(chunk)).toEqual(['1: accepted', '1: already_taken', '2: accepted']);
  });

  it('makes one message of two items with one content', async () => {
    const chunk = await pull([item('1', 'Same'), item('2', 'Same')]);
    const [first, second] = chunk.items;
    if (first?.verdict !== 'accepted' || second?.verdict !== 'accepted') throw new Error('dropped');
    expect(second.messageId).toBe(first.messageId);
    expect([first.repeatsItem, second.repeatsItem]).toEqual([null, 1]);
    expect(second.channels).toEqual([]);
  });

  it('sets an item aside that cannot be taken in, with a record, and goes on', async () => {
    const bad = { itemRef: '2', payload: { text: 7 } };
    const chunk = await pull([item('1'), bad, item('3')], { last_seen_id: '3' });
    expect(verdicts(chunk)).toEqual(['1: accepted', '2: rejected', '3: accepted']);
    const events = await queryRows(
      database.admin,
      z.object({
        error: z.object({ message: z.string() }),
        meta: z.object({ item_ref: z.string() }),
      }),
      `select error, meta from outrider.events
       where workspace_id = $1 and action = 'validation_failed'`,
      [workspaceId],
    );
    expect(events).toEqual([
      { error: { message: expect.stringMatching(/^text /) }, meta: { item_ref: '2' } },
    ]);
    expect(verdicts(await pull([bad]))).toEqual(['2: already_taken']);
  });

  it('without items moves the cursor alone; without a cursor leaves it', async () => {
    await pull([], { etag: 'x' });
    expect(await cursor()).toEqual({ etag: 'x' });
    await pull([item('1')]);
    expect(await cursor()).toEqual({ etag: 'x' });
  });

  it('that fails advances nothing', async () => {
    await pull([item('1')], { last_seen_id: '1' });
    const client = await database.admin.connect();
    await client.query('begin');
    await client.query('set local role outrider_service');
    await ingestPullChunk(
      client,
      { workspaceId, sourceId: 'feed', items: [item('2')], cursorTo: { last_seen_id: '2' } },
      start,
    );
    await client.query('rollback');
    client.release();
    expect(await cursor()).toEqual({ last_seen_id: '1' });
    expect(verdicts(await pull([item('2')]))).toEqual(['2: accepted']);
  });

  it.each([
    ['no array', { items: 'x' }, /items must be an array/],
    ['an item without a name', { items: [{ payload: {} }] }, /items\[0\] is not/],
    [
      'a payload that is no object',
      { items: [{ item_ref: 'a', payload: 1 }] },
      /items\[0\] is not/,
    ],
    ['a name of 513 bytes', { items: [{ item_ref: 'a'.repeat(513), payload: {} }] }, /items\[0\]/],
  ])('of %s is refused', async (_, { items }, message) => {
    const call = database.admin.query(
      "select outrider.ingest_pull_chunk($1, 'feed', $2, null, p_now => $3)",
      [workspaceId, JSON.stringify(items), start],
    );
    await expect(call).rejects.toThrow(message);
  });
});

describe('chunks of one source at once', () => {
  it.each([
    ['a source that was never pulled', async () => {}],
    ['one that was pulled before', () => pull([])],
  ])('come one after the other and take each item once, of %s', async (_, prepare) => {
    await prepare();
    const items = Array.from({ length: 20 }, (_item, n) => item(String(n)));
    const chunks = await Promise.all(Array.from({ length: 6 }, () => pull(items)));
    const accepted = chunks.flatMap((chunk) =>
      chunk.items.filter((each) => each.verdict === 'accepted').map((each) => each.itemRef),
    );
    expect(accepted.toSorted()).toEqual(items.map((each) => each.itemRef).toSorted());
  });
});

describe('a source', () => {
  it('that is disabled or unknown is refused', async () => {
    await database.admin.query(
      'update outrider.pull_sources set enabled = false where workspace_id = $1',
      [workspaceId],
    );
    await expect(pull([item('1')])).rejects.toThrow(/"feed" is disabled/);
    const other = { workspaceId, sourceId: 'none', items: [], cursorTo: null };
    await expect(ingestPullChunk(database.service, other, start)).rejects.toThrow(
      /has no pull source "none"/,
    );
  });
});
