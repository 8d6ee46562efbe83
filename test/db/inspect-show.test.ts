import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries, saveProgress } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../src/db/commit.ts';
import { type ShownDelivery, showDelivery } from '../../src/db/inspect.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { fill } from '../support/database/bulk-rows.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

function show(deliveryId: string, now: string = start): Promise<ShownDelivery> {
  return showDelivery(database.service, workspaceId, deliveryId, now);
}

/** Claims the one delivery that is due. */
async function claim(now: string): Promise<ClaimedDelivery> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(database.service, request, now);
  if (held === undefined) throw new Error('nothing was claimed');
  return held;
}

async function commit(outcome: Outcome, now: string): Promise<void> {
  await commitOutcomes(database.service, workspaceId, [outcome], now);
}

describe('show_delivery', () => {
  it('tells of the delivery, its channel and its message', async () => {
    await addChannel(database.admin, workspaceId, 'news', { title: 'News' });
    const post = {
      text: 'Lost: a ginger dog',
      tags: ['lost'],
      source_ref: 'post-7',
      source: { feed: 'city' },
      trace_id: 'trace-7',
      scheduled_for: after(60),
    };
    const { messageId, channels } = await take(database.service, workspaceId, post);
    const [verdict] = channels;
    if (verdict?.verdict !== 'queued') throw new Error('the post was not queued');
    expect(await show(verdict.deliveryId)).toEqual({
      delivery: {
        delivery_id: verdict.deliveryId,
        status: 'queued',
        attempt: 0,
        attempt_limit: 5,
        waited_ms: null,
        outcome_unknown: false,
        occurrence: 1,
        created_at: new Date(start),
        scheduled_for: new Date(after(60)),
        not_before: new Date(after(60)),
        next_retry_at: null,
        sending_started_at: null,
        sent_at: null,
        failed_at: null,
        provider_message_id: null,
        last_error: null,
        trace_id: 'trace-7',
        template_version: null,
        rendered_text: 'Lost: a ginger dog',
        shown_text: 'Lost: a ginger dog',
        parts: [{ item: 0, kind: 'text', media: 0, provider_message_id: null }],
      },
      channel: {
        channel_id: 'news',
        platform: 'telegram',
        title: 'News',
        target_id: '-100news',
        rate_group: 'bot',
        state: 'open',
        state_until: null,
        state_reason: null,
      },
      message: {
        message_id: messageId,
        created_at: new Date(start),
        seen_count: 1,
        tags: ['lost'],
        source: { feed: 'city' },
        source_ref: 'post-7',
        payload: { type: 'text', text: 'Lost: a ginger dog' },
      },
      next: { because: 'scheduled', at: new Date(after(60)) },
      events: [
        {
          ts: new Date(start),
          action: 'enqueue',
          attempt: 0,
          result: 'ok',
          error: null,
          meta: { run_id: expect.any(String) },
        },
      ],
    });
  });

  it('does not know a delivery of another workspace', async () => {
    await addWorkspace(database.admin, `${workspaceId}-other`);
    await addChannel(database.admin, `${workspaceId}-other`, 'news');
    const theirs = await addDelivery(database.admin, `${workspaceId}-other`, 'news');
    await expect(show(theirs)).rejects.toMatchObject({
      code: 'not_found',
      message: `show_delivery: workspace "${workspaceId}" has no delivery ${theirs}`,
    });
  });

  it('tells which parts the provider has, and under which ids', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const parts = [
      { kind: 'text' },
      { kind: 'media', media: [0, 1] },
      { kind: 'media', media: [2] },
    ];
    const id = await addDelivery(database.admin, workspaceId, 'news', {
      render_meta: JSON.stringify({ parts }),
    });
    const held = await claim(start);
    const acknowledged = [
      { item: 2, providerMessageId: 'third' },
      { item: 0, providerMessageId: 'first' },
    ];
    await saveProgress(database.service, { workspaceId, ...held }, acknowledged, after(1));
    expect((await show(id)).delivery.parts).toEqual([
      { item: 0, kind: 'text', media: 0, provider_message_id: 'first' },
      { item: 1, kind: 'media', media: 2, provider_message_id: null },
      { item: 2, kind: 'media', media: 1, provider_message_id: 'third' },
    ]);
  });

  it('tells the id of a part that was the only one and is sent', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const id = await addDelivery(database.admin, workspaceId, 'news', {
      render_meta: JSON.stringify({ parts: [{ kind: 'text' }] }),
    });
    await commit(sent(await claim(start)), after(1));
    expect((await show(id)).delivery.parts).toEqual([
      { item: 0, kind: 'text', media: 0, provider_message_id: `id-${id}` },
    ]);
  });
});

describe('the timeline', () => {
  beforeEach(() => addChannel(database.admin, workspaceId, 'news'));

  it('has what happened in its order, with errors and who did what', async () => {
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await commit(failed(await claim(start), { code: '503', message: 'try later' }), after(1));
    await commit(
      failed(await claim(after(600)), { category: 'PERMANENT', code: '400' }),
      after(601),
    );
    await requeueDeliveries(
      database.service,
      { workspaceId, deliveryIds: [id], operator: 'ann', reason: 'mended' },
      after(700),
    );
    await commit(sent(await claim(after(700))), after(701));
    const { events, next, delivery } = await show(id, after(800));
    expect(events.map((each) => [each.ts.toISOString(), each.action, each.attempt])).toEqual([
      [start, 'send_attempt', 1],
      [after(1), 'retry_scheduled', 1],
      [after(600), 'send_attempt', 2],
      [after(601), 'failed_permanent', 2],
      [after(700), 'manual_requeue', 2],
      [after(700), 'send_attempt', 3],
      [after(701), 'sent', 3],
    ]);
    expect(events[1]).toMatchObject({
      result: 'error',
      error: { code: '503', message: 'try later', scope: 'delivery' },
      meta: { next_retry_at: expect.any(String) },
    });
    expect(events[4]?.meta).toMatchObject({ operator: 'ann', reason: 'mended' });
    expect(events[6]?.meta).toEqual({ provider_message_id: `id-${id}` });
    expect([next, delivery.status]).toEqual([null, 'sent']);
  });

  it('tells what its failure meant for its channel, and not what another one’s did', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    const request = { workspaceId, runId: 'run', limit: 2 };
    const held = await claimDeliveries(database.service, request, start);
    const refused = { category: 'PERMANENT', scope: 'channel', code: '403' } as const;
    const outcomes = held.map((each) => failed(each, refused));
    await commitOutcomes(database.service, workspaceId, outcomes, after(1));
    for (const { deliveryId } of held) {
      const { events } = await show(deliveryId, after(2));
      expect(events.map(({ action, attempt }) => [action, attempt])).toEqual([
        ['send_attempt', 1],
        ['failed_permanent', 1],
        ['channel_paused', 1],
      ]);
      expect(Object.keys(events[2]?.meta ?? {}).toSorted()).toEqual([
        'error_streak',
        'paused_until',
      ]);
    }
  });

  it('ends with the end where several things happen at once', async () => {
    await addDelivery(database.admin, workspaceId, 'news', { attempt_limit: 1 });
    const held = await claim(start);
    await recoverLeases(database.service, workspaceId, after(3600));
    const { events } = await show(held.deliveryId, after(3600));
    expect(events.map((each) => each.action)).toEqual([
      'send_attempt',
      'sending_lease_expired',
      'dead_letter',
    ]);
  });

  it('has the latest 500 of many events, and none of other deliveries', async () => {
    const id = await addDelivery(database.admin, workspaceId, 'news');
    const other = await addDelivery(database.admin, workspaceId, 'news');
    await fill(database.admin, [
      {
        text: `insert into outrider.event_log (workspace_id, id, delivery_id, ts, action, attempt, result)
          select $1, gen_random_uuid(), x.id, $4::timestamptz + n * interval '1 second', 'send_attempt', n, 'ok'
          from generate_series(1, 600) n, unnest(array[$2, $3]::uuid[]) as x (id)`,
        values: [workspaceId, id, other, start],
      },
    ]);
    const { events } = await show(id, after(3600));
    expect(events.map((each) => each.attempt)).toEqual(
      Array.from({ length: 500 }, (_, n) => n + 101),
    );
  });
});
