import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { sendAll, take, verdicts } from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;
const post = { text: 'Lost: a ginger dog near the station' };
const hour = 3600;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
});

async function deliveries(): Promise<{ status: string; occurrence: number | null }[]> {
  return queryRows(
    database.admin,
    z.object({ status: z.string(), occurrence: z.number().nullable() }),
    `select status::text, occurrence from outrider.deliveries
     where workspace_id = $1 order by seq`,
    [workspaceId],
  );
}

async function eventsOf(action: string): Promise<Record<string, unknown>[]> {
  const rows = await queryRows(
    database.admin,
    z.object({
      meta: z.record(z.string(), z.unknown()),
      delivery_id: z.string().nullable(),
      attempt: z.number(),
    }),
    `select meta, delivery_id, attempt from outrider.events
     where workspace_id = $1 and action::text = $2 order by ts, id`,
    [workspaceId, action],
  );
  return rows.map((row) => ({ ...row.meta, delivery_id: row.delivery_id, attempt: row.attempt }));
}

describe('the same content', () => {
  it('goes to two channels', async () => {
    await addChannel(database.admin, workspaceId, 'sport');
    const accepted = await take(database.service, workspaceId, post);
    expect(verdicts(accepted)).toEqual({ news: 'queued', sport: 'queued' });
    expect(await deliveries()).toHaveLength(2);
  });

  it('is suppressed while the first is queued, claimed, being sent or waiting for a retry', async () => {
    const first = await take(database.service, workspaceId, post);
    const twin = { channelId: 'news', verdict: 'deduped', because: 'inflight', until: null };
    const deliveryId = first.channels[0]?.verdict === 'queued' ? first.channels[0].deliveryId : '';
    const again = async (): Promise<unknown> =>
      (await take(database.service, workspaceId, post, after(1))).channels[0];

    expect(await again()).toEqual({ ...twin, deliveryId });
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, after(1));
    if (held === undefined) throw new Error('nothing was claimed');
    expect(await again()).toEqual({ ...twin, deliveryId });
    const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' } as const;
    await commitOutcomes(database.service, workspaceId, [{ ...held, ok: false, error }], after(2));
    expect(await again()).toEqual({ ...twin, deliveryId });
    expect(await deliveries()).toEqual([{ status: 'retry', occurrence: 1 }]);
  });

  it('is suppressed until the window after the sending has passed, and then goes again', async () => {
    await take(database.service, workspaceId, post);
    await sendAll(database.service, workspaceId, after(60));
    const early = await take(database.service, workspaceId, post, after(60 + 168 * hour - 1));
    expect(early.channels).toEqual([
      expect.objectContaining({ verdict: 'deduped', because: 'sent' }),
    ]);
    const [verdict] = early.channels;
    const until = verdict?.verdict === 'deduped' ? verdict.until : null;
    expect(new Date(until ?? '').toISOString()).toBe(after(60 + 168 * hour));
    const late = await take(database.service, workspaceId, post, after(60 + 168 * hour + 1));
    expect(verdicts(late)).toEqual({ news: 'queued' });
    expect(await deliveries()).toEqual([
      { status: 'sent', occurrence: 1 },
      { status: 'queued', occurrence: 2 },
    ]);
  });

  it.each([1, 24, 400])("waits out a channel's own window of %i hours", async (hours) => {
    await database.admin.query(
      'update outrider.channels set dedup_ttl_hours = $2 where workspace_id = $1',
      [workspaceId, hours],
    );
    await take(database.service, workspaceId, post);
    await sendAll(database.service, workspaceId);
    const early = await take(database.service, workspaceId, post, after(hours * hour - 1));
    expect(verdicts(early)).toEqual({ news: 'deduped' });
    const late = await take(database.service, workspaceId, post, after(hours * hour + 1));
    expect(verdicts(late)).toEqual({ news: 'queued' });
  });

  it('is suppressed by an older sending when a later one failed and the window was widened since', async () => {
    await database.admin.query(
      'update outrider.channels set dedup_ttl_hours = 1 where workspace_id = $1',
      [workspaceId],
    );
    await take(database.service, workspaceId, post);
    await sendAll(database.service, workspaceId);
    await take(database.service, workspaceId, post, after(2 * hour));
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, after(2 * hour));
    if (held === undefined) throw new Error('nothing was claimed');
    const error = { category: 'PERMANENT', scope: 'delivery', code: '400' } as const;
    const outcome = { ...held, ok: false, error } as const;
    await commitOutcomes(database.service, workspaceId, [outcome], after(2 * hour));
    await database.admin.query(
      'update outrider.channels set dedup_ttl_hours = null where workspace_id = $1',
      [workspaceId],
    );
    const again = await take(database.service, workspaceId, post, after(3 * hour));
    expect(again.channels).toEqual([
      expect.objectContaining({ verdict: 'deduped', because: 'sent' }),
    ]);
  });

  it('goes again when the last delivery failed and was not requeued', async () => {
    await take(database.service, workspaceId, post);
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, start);
    if (held === undefined) throw new Error('nothing was claimed');
    const error = { category: 'PERMANENT', scope: 'delivery', code: '400' } as const;
    await commitOutcomes(database.service, workspaceId, [{ ...held, ok: false, error }], start);
    expect(verdicts(await take(database.service, workspaceId, post, after(1)))).toEqual({
      news: 'queued',
    });
    const requeue = { workspaceId, deliveryIds: [held.deliveryId], operator: 'ann', reason: 'r' };
    const [refused] = await requeueDeliveries(database.service, requeue, after(2));
    expect(refused?.note).toMatch(/accepted for this channel again/);
  });

  it('is one message, seen as often as it came', async () => {
    const first = await take(database.service, workspaceId, { ...post, source_ref: 'a' });
    const again = await take(database.service, workspaceId, { ...post, source_ref: 'b' }, after(5));
    expect([first.seen, again.seen]).toEqual(['first', 'before']);
    expect(again.messageId).toBe(first.messageId);
    const row = z.object({
      seen_count: z.string(),
      source_ref: z.string(),
      first_ingest_run_id: z.string(),
      last_ingest_run_id: z.string(),
      first_seen_trace_id: z.string(),
    });
    const kept = await queryRows(
      database.admin,
      row,
      'select * from outrider.messages where workspace_id = $1',
      [workspaceId],
    );
    expect(kept).toEqual([
      {
        seen_count: '2',
        source_ref: 'a',
        first_ingest_run_id: first.runId,
        last_ingest_run_id: again.runId,
        first_seen_trace_id: first.traceId,
      },
    ]);
  });
});

describe('a suppressed repeat', () => {
  it('leaves an event that names what stood in the way', async () => {
    const first = await take(database.service, workspaceId, post);
    await take(database.service, workspaceId, { ...post, trace_id: 'second' }, after(1));
    const deliveryId = first.channels[0]?.verdict === 'queued' ? first.channels[0].deliveryId : '';
    expect(await eventsOf('dedup_suppressed')).toEqual([
      expect.objectContaining({
        trace_id: 'second',
        suppressed_by: deliveryId,
        twin_status: 'queued',
        delivery_id: null,
        attempt: 0,
      }),
    ]);
    expect(await deliveries()).toHaveLength(1);
  });

  it('leaves a row too where the workspace keeps such rows, and the row does not prolong the window', async () => {
    await database.admin.query(
      'update outrider.workspace_settings set keep_deduped_rows = true where workspace_id = $1',
      [workspaceId],
    );
    await take(database.service, workspaceId, post);
    await sendAll(database.service, workspaceId);
    await take(database.service, workspaceId, post, after(167 * hour));
    expect(await deliveries()).toEqual([
      { status: 'sent', occurrence: 1 },
      { status: 'deduped', occurrence: null },
    ]);
    const [event] = await eventsOf('dedup_suppressed');
    expect(event?.['delivery_id']).not.toBeNull();
    const late = await take(database.service, workspaceId, post, after(168 * hour + 1));
    expect(verdicts(late)).toEqual({ news: 'queued' });
  });
});

describe('tags', () => {
  it('stay as first seen; others are recorded and decide nothing', async () => {
    await addChannel(database.admin, workspaceId, 'cats', {
      route_filter: JSON.stringify({ include_any: ['cat'] }),
    });
    await take(database.service, workspaceId, { ...post, tags: ['dog'] });
    const again = await take(database.service, workspaceId, { ...post, tags: ['cat'] }, after(1));
    expect(verdicts(again)).toEqual({ news: 'deduped', cats: 'not_routed' });
    expect(await eventsOf('message_tag_mismatch')).toEqual([
      expect.objectContaining({ kept_tags: ['dog'], other_tags: ['cat'] }),
    ]);
  });
});
