import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import {
  type DeliveryRow,
  deliveriesOf,
  sendAll,
  take,
  verdicts,
} from '../support/posts/intake.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database, { max_attempts: 7 });
});

function deliveries(): Promise<DeliveryRow[]> {
  return deliveriesOf(database.admin, workspaceId);
}

async function addTemplate(version: number, body: string): Promise<void> {
  await database.admin.query(
    `insert into outrider.templates (workspace_id, template_id, version, body, created_at)
     values ($1, 'card', $2, $3, $4)`,
    [workspaceId, version, body, start],
  );
}

async function eventsOf(channelId: string): Promise<string[]> {
  const rows = await queryRows(
    database.admin,
    z.object({ said: z.string() }),
    `select concat_ws(' ', action, result, attempt) as said from outrider.events
     where workspace_id = $1 and channel_id = $2 order by ts, id`,
    [workspaceId, channelId],
  );
  return rows.map((row) => row.said);
}

describe('a queued delivery', () => {
  it('is ready to be sent: text, plan, attempts, trace', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const accepted = await take(database.service, workspaceId, {
      text: '  Lost:   a dog ',
      trace_id: 'trace-1',
    });
    expect(accepted.traceId).toBe('trace-1');
    expect(await deliveries()).toEqual([
      {
        status: 'queued',
        channel_id: 'news',
        attempt: 0,
        attempt_limit: 7,
        not_before: start,
        scheduled_for: null,
        rendered_text: 'Lost: a dog',
        render_meta: { parts: [{ kind: 'text' }] },
        template_version: null,
        trace_id: 'trace-1',
        last_error: null,
      },
    ]);
    expect(await eventsOf('news')).toEqual(['enqueue ok 0']);
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [claimed] = await claimDeliveries(database.service, request, start);
    expect(claimed).toMatchObject({ renderedText: 'Lost: a dog', payload: null });
  });

  it('keeps the text of the template that it was queued with, through its retries', async () => {
    await addTemplate(1, 'One: {{text}}');
    await addChannel(database.admin, workspaceId, 'news', { template_ref: 'card' });
    await take(database.service, workspaceId, { text: 'Lost' });
    await addTemplate(2, 'Two: {{text}}');
    await take(database.service, workspaceId, { text: 'Found' }, after(1));
    expect((await deliveries()).map((row) => [row.rendered_text, row.template_version])).toEqual([
      ['One: Lost', 'card@1'],
      ['Two: Found', 'card@2'],
    ]);

    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, after(1));
    if (held === undefined) throw new Error('nothing was claimed');
    const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' } as const;
    await commitOutcomes(database.service, workspaceId, [{ ...held, ok: false, error }], after(1));
    const later = await claimDeliveries(database.service, { ...request, limit: 9 }, after(600));
    expect(later.find((each) => each.deliveryId === held.deliveryId)?.renderedText).toBe(
      'One: Lost',
    );
  });

  it('waits for its time', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const post = { text: 'Later', scheduled_for: '2026-03-03T12:00:00+03:00' };
    await take(database.service, workspaceId, post);
    const [row] = await deliveries();
    expect([row?.scheduled_for, row?.not_before]).toEqual([
      '2026-03-03T09:00:00.000Z',
      '2026-03-03T09:00:00.000Z',
    ]);
    const request = { workspaceId, runId: 'run', limit: 1 };
    expect(await claimDeliveries(database.service, request, after(3600))).toEqual([]);
    const due = await claimDeliveries(database.service, request, '2026-03-03T09:00:00Z');
    expect(due).toHaveLength(1);
  });

  it('whose time has passed is due at once', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await take(database.service, workspaceId, {
      text: 'Late',
      scheduled_for: '2020-01-01T00:00:00Z',
    });
    expect((await deliveries())[0]?.not_before).toBe(start);
  });
});

describe('a post that comes again', () => {
  it('was last seen at the later time, also when the earlier one comes second', async () => {
    await take(database.service, workspaceId, { text: 'Lost' }, after(10));
    await take(database.service, workspaceId, { text: 'Lost' }, after(0));
    const message = await queryRow(
      database.admin,
      z.object({ last_seen_at: z.string(), seen_count: z.coerce.number() }),
      `select to_char(last_seen_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as last_seen_at, seen_count
       from outrider.messages where workspace_id = $1`,
      [workspaceId],
    );
    expect(message).toEqual({ last_seen_at: after(10), seen_count: 2 });
  });
});

describe('a post that a platform would refuse', () => {
  it('is a failed delivery there, with the reason, and goes to the others', async () => {
    await addChannel(database.admin, workspaceId, 'max', { platform: 'max' });
    await addChannel(database.admin, workspaceId, 'news');
    const accepted = await take(database.service, workspaceId, { text: 'x'.repeat(4050) });
    expect(verdicts(accepted)).toEqual({ max: 'validation_failed', news: 'queued' });
    const [failed] = await deliveries();
    expect(failed).toMatchObject({
      status: 'failed_permanent',
      attempt: 0,
      last_error: { category: 'PERMANENT', scope: 'delivery', code: 'validation_failed' },
    });
    expect(failed?.last_error?.['message']).toMatch(/4,050 .* 4,000/);
    expect(accepted.channels[0]).toMatchObject({ reason: failed?.last_error?.['message'] });
    expect(await eventsOf('max')).toEqual(['validation_failed error 0']);
    const request = { workspaceId, runId: 'run', limit: 9 };
    const claimed = await claimDeliveries(database.service, request, after(86400));
    expect(claimed.map((each) => each.channel.channelId)).toEqual(['news']);
  });

  it('penalises no channel and cannot be requeued', async () => {
    await addChannel(database.admin, workspaceId, 'max', { platform: 'max' });
    const accepted = await take(database.service, workspaceId, { text: 'x'.repeat(4050) });
    const [verdict] = accepted.channels;
    if (verdict?.verdict !== 'validation_failed') throw new Error('it passed');
    const channel = await queryRow(
      database.admin,
      z.object({ error_streak: z.number(), enabled: z.boolean(), paused_until: z.null() }),
      'select error_streak, enabled, paused_until from outrider.channels where workspace_id = $1',
      [workspaceId],
    );
    expect(channel).toEqual({ error_streak: 0, enabled: true, paused_until: null });
    const request = { workspaceId, deliveryIds: [verdict.deliveryId], operator: 'a', reason: 'b' };
    const [answer] = await requeueDeliveries(database.service, request, after(1));
    expect(answer).toMatchObject({
      requeued: false,
      note: expect.stringMatching(/never passed its checks/),
    });
  });

  it('may come again: it is not suppressed by its own failure', async () => {
    await addChannel(database.admin, workspaceId, 'max', { platform: 'max' });
    await take(database.service, workspaceId, { text: 'x'.repeat(4050) });
    const again = await take(database.service, workspaceId, { text: 'x'.repeat(4050) }, after(1));
    expect(verdicts(again)).toEqual({ max: 'validation_failed' });
    expect(await deliveries()).toHaveLength(2);
  });
});

describe('the verdicts', () => {
  it('name every channel of the workspace once, with the rule that kept a post out', async () => {
    const filter = (rules: unknown): { route_filter: string } => ({
      route_filter: JSON.stringify(rules),
    });
    await addChannel(database.admin, workspaceId, 'a', filter({ include_any: ['cat'] }));
    await addChannel(database.admin, workspaceId, 'b', filter({ include_all: ['dog', 'big'] }));
    await addChannel(database.admin, workspaceId, 'c', filter({ exclude: ['dog'] }));
    await addChannel(database.admin, workspaceId, 'd', { enabled: false });
    await addChannel(database.admin, workspaceId, 'e', filter({ include_any: ['dog'] }));
    const accepted = await take(database.service, workspaceId, { text: 'Lost', tags: ['dog'] });
    expect(accepted.channels).toEqual([
      { channelId: 'a', verdict: 'not_routed', rule: 'include_any' },
      { channelId: 'b', verdict: 'not_routed', rule: 'include_all' },
      { channelId: 'c', verdict: 'not_routed', rule: 'exclude' },
      { channelId: 'd', verdict: 'not_routed', rule: 'disabled' },
      expect.objectContaining({ channelId: 'e', verdict: 'queued' }),
    ]);
  });

  it('are none in a workspace without channels; the message is kept', async () => {
    const accepted = await take(database.service, workspaceId, { text: 'Lost' });
    expect(accepted.channels).toEqual([]);
    await addChannel(database.admin, workspaceId, 'news');
    const again = await take(database.service, workspaceId, { text: 'Lost' }, after(1));
    expect(again.seen).toBe('before');
    expect(verdicts(again)).toEqual({ news: 'queued' });
  });

  it('follow channels of different settings, each composed for itself', async () => {
    const settings = (value: string): { settings: string } => ({
      settings: JSON.stringify({ values: { footer: value } }),
    });
    await addTemplate(1, '{{text}} {{footer}}');
    for (let n = 0; n < 12; n += 1) {
      const columns = { ...settings(`f${n % 3}`), ...(n % 2 ? { template_ref: 'card' } : {}) };
      await addChannel(database.admin, workspaceId, `c${n}`, columns);
    }
    await take(database.service, workspaceId, { text: 'Lost' });
    for (const row of await deliveries()) {
      const n = Number(row.channel_id.slice(1));
      expect(row.rendered_text).toBe(n % 2 ? `Lost f${n % 3}` : 'Lost');
    }
  });
});

describe('a batch', () => {
  it('answers for each post in its place, and one that is faulty keeps nobody out', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const items = [{ text: 'One' }, { txt: 'Two' }, { text: 'Three' }, { text: ' One' }];
    const batch = await enqueueBatch(database.service, { workspaceId, kind: 'push', items }, start);
    expect(batch.items.map((each) => each.verdict)).toEqual([
      'accepted',
      'rejected',
      'accepted',
      'accepted',
    ]);
    expect(batch.items[1]).toMatchObject({ reason: expect.stringMatching(/txt/) });
    expect(batch.items[3]).toMatchObject({ repeatsItem: 1, seen: 'before' });
    expect((await deliveries()).map((row) => row.rendered_text)).toEqual(['One', 'Three']);
    const run = await queryRow(
      database.admin,
      z.object({ stats_json: z.unknown(), kind: z.string() }),
      'select stats_json, kind::text from outrider.ingest_runs where run_id = $1',
      [batch.runId],
    );
    expect(run).toEqual({
      kind: 'push',
      stats_json: {
        accepted: 3,
        rejected: 1,
        queued: 2,
        deduped: 0,
        validation_failed: 0,
        not_routed: 0,
      },
    });
  });

  it('makes its deliveries in the order of its posts', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await take(database.service, workspaceId, { text: 'Post 7' });
    await sendAll(database.service, workspaceId);
    const texts = Array.from({ length: 20 }, (_, n) => `Post ${n}`).filter(
      (text) => text !== 'Post 7',
    );
    const items = ['Post 7', ...texts, 'Post 3'].map((text) => ({ text }));
    await enqueueBatch(database.service, { workspaceId, kind: 'push', items }, after(1));
    expect((await deliveries()).map((row) => row.rendered_text)).toEqual(['Post 7', ...texts]);
  });

  it('of 500 posts in any order deadlocks with no other', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const items = Array.from({ length: 100 }, (_, n) => ({ text: `Post ${n}` }));
    const shuffled = [items, items.toReversed(), items.slice(50).concat(items.slice(0, 50))];
    const batches = await Promise.all(
      [...shuffled, ...shuffled].map((each) =>
        enqueueBatch(database.service, { workspaceId, kind: 'push', items: each }, start),
      ),
    );
    expect(batches).toHaveLength(6);
    expect(await deliveries()).toHaveLength(100);
  });
});

describe('media', () => {
  it('in the origin store are noted as seen, and as used by each new message once', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await database.admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
       values ($1, 'photo', 'file:photo', $2, $2)`,
      [workspaceId, start],
    );
    const media = [
      { type: 'image', blob_ref: 'photo' },
      { type: 'image', blob_ref: 'photo' },
    ];
    await take(database.service, workspaceId, { text: 'One', media });
    await take(database.service, workspaceId, { text: 'Two', media }, after(5));
    await take(database.service, workspaceId, { text: 'One', media }, after(9));
    const origin = await queryRow(
      database.admin,
      z.object({ ref_count: z.string(), seen: z.boolean() }),
      `select ref_count, last_seen_at = $2 as seen from outrider.media_origin
       where workspace_id = $1`,
      [workspaceId, after(9)],
    );
    expect(origin).toEqual({ ref_count: '2', seen: true });
  });
});
