import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries, saveProgress } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../src/db/commit.ts';
import { type ShownDelivery, showDelivery } from '../../src/db/inspect.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { openDatabase, type TestDatabase } from '../support/database.ts';
import { fill } from '../support/fill.ts';
import { take } from '../support/intake.ts';
import { failed, sent } from '../support/outcomes.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addWorkspace,
  after,
  start,
} from '../support/seed.ts';

let database: TestDatabase;
let workspaceId: string;
let count = 0;

beforeAll(async () => {
  database = await openDatabase();
});

afterAll(() => database.close());

beforeEach(async () => {
  count += 1;
  workspaceId = `w${count}`;
  await addWorkspace(database.admin, workspaceId);
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
        text: `insert into outrider.events (workspace_id, id, delivery_id, ts, action, attempt, result)
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

describe('what is next', () => {
  async function nextOf(id: string, now: string = start): Promise<ShownDelivery['next']> {
    return (await show(id, now)).next;
  }

  it.each<[string, Readonly<Record<string, unknown>>, string, string | null]>([
    ['paused', { paused_until: after(60) }, 'channel_paused', after(60)],
    ['paused for good', { paused_until: 'infinity' }, 'channel_paused', null],
    ['cooling down', { cooldown_until: after(60) }, 'channel_cooling_down', after(60)],
    ['disabled', { enabled: false }, 'channel_disabled', null],
    [
      'closed',
      {
        window_mode: 'windowed',
        timezone: 'UTC',
        posting_window: JSON.stringify({ mon: [['12:00', '18:00']] }),
      },
      'channel_closed',
      after(7200),
    ],
  ])('waits for its channel that is %s', async (_, columns, because, at) => {
    await addChannel(database.admin, workspaceId, 'news', columns);
    const id = await addDelivery(database.admin, workspaceId, 'news');
    expect(await nextOf(id)).toEqual({ because, at: at === null ? null : new Date(at) });
  });

  it('waits for its own time when that is later than its channel’s', async () => {
    await addChannel(database.admin, workspaceId, 'news', { paused_until: after(60) });
    const soon = await addDelivery(database.admin, workspaceId, 'news', { not_before: after(30) });
    const late = await addDelivery(database.admin, workspaceId, 'news', { not_before: after(90) });
    expect(await nextOf(soon)).toEqual({ because: 'channel_paused', at: new Date(after(60)) });
    expect(await nextOf(late)).toEqual({ because: 'scheduled', at: new Date(after(90)) });
  });

  it.each(['paused', 'disabled'] as const)('waits for its workspace that is %s', async (status) => {
    await addChannel(database.admin, workspaceId, 'news', { enabled: false });
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await database.admin.query(
      'update outrider.workspaces set status = $2 where workspace_id = $1',
      [workspaceId, status],
    );
    expect(await nextOf(id)).toEqual({ because: `workspace_${status}`, at: null });
  });

  it('waits for those of its channel that came before it, and not for others', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addChannel(database.admin, workspaceId, 'pets');
    await addBacklog(database.admin, workspaceId, ['news', 'pets'], 3);
    await addDelivery(database.admin, workspaceId, 'news', { not_before: after(60) });
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 3);
    expect(await nextOf(id)).toEqual({ because: 'in_line', at: null, ahead: 3 });
  });

  it('is being sent until its lease ends, then tried again, then over', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const id = await addDelivery(database.admin, workspaceId, 'news');
    const held = await claim(start);
    expect(await nextOf(id, after(1))).toEqual({
      because: 'being_sent',
      at: new Date(Date.parse(start) + held.leaseMs),
    });
    const { deliveryId, claimToken } = held;
    const error = { category: 'TRANSIENT', scope: 'delivery', code: 'busy' } as const;
    await commit({ deliveryId, claimToken, ok: false, error, nextRetryAt: after(90) }, after(2));
    expect(await nextOf(id, after(3))).toEqual({ because: 'retry', at: new Date(after(90)) });
    await commit(sent(await claim(after(90))), after(91));
    expect(await nextOf(id, after(92))).toBeNull();
  });

  it('waits for its slot', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.1 });
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 2 }, start);
    expect(await nextOf(id)).toEqual({ because: 'slot', at: new Date(after(10)) });
  });
});
