import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { type ShownWorkspace, showWorkspace } from '../../src/db/inspect.ts';
import { fill, oldEvents, waitingDeliveries } from '../support/database/bulk-rows.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

function show(now: string = start): Promise<ShownWorkspace> {
  return showWorkspace(database.service, workspaceId, now);
}

async function addEvents(action: string, times: number, ts: string, error?: object): Promise<void> {
  await fill(database.admin, [
    {
      text: `insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, error)
        select $1, gen_random_uuid(), $2, $3::outrider.event_action, 0,
          case when $4::jsonb is null then 'ok' else 'error' end::outrider.event_result, $4
        from generate_series(1, $5)`,
      values: [workspaceId, ts, action, error === undefined ? null : JSON.stringify(error), times],
    },
  ]);
}

const noChannels = {
  open: 0,
  paused: 0,
  cooling_down: 0,
  resting: 0,
  probing: 0,
  closed: 0,
  credential_refused: 0,
  disabled: 0,
};
const nothing = { sent: 0, retried: 0, failed: 0, dead: 0, deduped: 0, refused: 0, repeated: 0 };

describe('show_workspace', () => {
  it('tells of an empty workspace that there is nothing', async () => {
    await database.admin.query(
      "update outrider.workspaces set name = 'Second', status = 'paused' where workspace_id = $1",
      [workspaceId],
    );
    expect(await show()).toEqual({
      workspace_id: workspaceId,
      name: 'Second',
      status: 'paused',
      now: new Date(start),
      waiting: { due: 0, scheduled: 0, retrying: 0, claimed: 0 },
      oldest_due: null,
      next_send_at: null,
      sending: { open: 0, expiring: 0, expired: 0 },
      channels: noChannels,
      groups: [],
      last_hour: nothing,
      last_errors: [],
      alerts: { open: 0, critical: 0, undelivered: 0, evaluated: true },
      at_least: [],
    });
  });

  it('counts what waits by what it waits for, each once', async () => {
    const { admin, service } = database;
    await addChannel(admin, workspaceId, 'news', { max_parallel: 3 });
    await addChannel(admin, workspaceId, 'slow', { rate_rps: 0.01, max_parallel: 3 });
    await addBacklog(admin, workspaceId, ['news'], 3);
    const request = { workspaceId, runId: 'run', limit: 3 };
    const held = await claimDeliveries(service, request, start);
    const [first, second, third] = held;
    if (first === undefined || second === undefined || third === undefined) {
      throw new Error('three were not claimed');
    }
    const outcomes = [
      { ...failed(first), nextRetryAt: after(5) },
      { ...failed(second), nextRetryAt: after(500) },
      { ...failed(third), nextRetryAt: after(600) },
    ];
    await commitOutcomes(service, workspaceId, outcomes, after(1));
    await addBacklog(admin, workspaceId, ['news', 'slow'], 4);
    await addDelivery(admin, workspaceId, 'news', { not_before: after(1000) });
    await claimDeliveries(service, { ...request, limit: 6 }, after(2));
    const { waiting, sending } = await show(after(10));
    // Three of the channel are being sent and one stays, with the retry that has become due; of the slow one, one is
    // being sent, two have slots, one waits.
    expect({ waiting, sending: sending.open }).toEqual({
      waiting: { due: 3, scheduled: 1, retrying: 2, claimed: 2 },
      sending: 4,
    });
  });

  it('names what has been due longest, and says when something will be sent', async () => {
    const { admin } = database;
    for (const id of ['a', 'b']) await addChannel(admin, workspaceId, id);
    await addDelivery(admin, workspaceId, 'a', { not_before: after(20), created_at: after(10) });
    const oldest = await addDelivery(admin, workspaceId, 'b', { created_at: after(15) });
    await addDelivery(admin, workspaceId, 'b', { created_at: after(16) });
    await addDelivery(admin, workspaceId, 'a', { not_before: after(99) });
    expect(await show(after(30))).toMatchObject({
      oldest_due: { delivery_id: oldest, channel_id: 'b', due_since: new Date(after(15)) },
      next_send_at: new Date(after(30)),
    });
    await admin.query(
      `update outrider.channels set paused_until = case channel_id when 'a' then $2 else 'infinity' end::timestamptz
       where workspace_id = $1`,
      [workspaceId, after(60)],
    );
    expect((await show(after(30))).next_send_at).toEqual(new Date(after(60)));
  });

  it('counts the channels by their states', async () => {
    const columns = [
      {},
      {},
      { enabled: false },
      { paused_until: after(60) },
      { cooldown_until: after(60) },
      { window_mode: 'windowed', timezone: 'UTC', posting_window: '{}' },
    ];
    for (const [n, each] of columns.entries()) {
      await addChannel(database.admin, workspaceId, `c${n}`, each);
    }
    expect((await show()).channels).toEqual({
      ...noChannels,
      open: 2,
      paused: 1,
      cooling_down: 1,
      closed: 1,
      disabled: 1,
    });
  });

  it('tells sends whose sender is silent from those whose sender is there', async () => {
    await database.admin.query(
      "update outrider.workspace_settings set sending_lease = '30 s' where workspace_id = $1",
      [workspaceId],
    );
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 3);
    const request = { workspaceId, runId: 'run', limit: 3 };
    await claimDeliveries(database.service, request, start);
    expect((await show(after(20))).sending).toEqual({ open: 3, expiring: 0, expired: 0 });
    expect((await show(after(21))).sending).toEqual({ open: 3, expiring: 3, expired: 0 });
    expect((await show(after(30))).sending).toEqual({ open: 3, expiring: 3, expired: 0 });
    expect((await show(after(31))).sending).toEqual({ open: 3, expiring: 0, expired: 3 });
  });
});

describe('the last hour', () => {
  it('counts what happened in it, and not what happened before or will', async () => {
    const counted = {
      sent: 3,
      retry_scheduled: 4,
      failed_permanent: 2,
      validation_failed: 1,
      dead_letter: 5,
      dedup_suppressed: 6,
      ingress_dedup_dropped: 1,
      ingress_rate_limited: 2,
      ingress_payload_rejected: 4,
      enqueue: 9,
      channel_paused: 9,
    };
    for (const [action, times] of Object.entries(counted)) {
      await addEvents(action, times, start);
      await addEvents(action, 20, after(-3601));
      await addEvents(action, 20, after(1));
    }
    const { last_hour: lastHour, at_least: atLeast } = await show();
    expect({ lastHour, atLeast }).toEqual({
      lastHour: {
        sent: 3,
        retried: 4,
        failed: 3,
        dead: 5,
        deduped: 6,
        refused: 6,
        repeated: 1,
      },
      atLeast: [],
    });
  });

  it('is of the workspace alone', async () => {
    await addEvents('sent', 3, start);
    await addEvents('retry_scheduled', 3, start, { code: '500' });
    workspaceId = `${workspaceId}-other`;
    await addWorkspace(database.admin, workspaceId);
    expect(await show()).toMatchObject({ last_hour: nothing, last_errors: [] });
  });

  it('names the commonest errors, in the words of the latest', async () => {
    for (let n = 1; n <= 6; n += 1) {
      await addEvents('retry_scheduled', n, after(-60), { code: `e${n}`, message: 'before' });
    }
    await addEvents('retry_scheduled', 1, after(-30), { code: 'e3', message: 'after' });
    await addEvents('retry_scheduled', 99, after(-3601), { code: 'old', message: 'old' });
    await addEvents('retry_scheduled', 99, after(-60), { message: 'without a code' });
    const { last_errors: errors } = await show();
    expect(errors.map((each) => [each.code, each.count, each.message])).toEqual([
      ['e6', 6, 'before'],
      ['e5', 5, 'before'],
      ['e3', 4, 'after'],
      ['e4', 4, 'before'],
      ['e2', 2, 'before'],
    ]);
    expect(errors[2]?.last_at).toEqual(new Date(after(-30)));
  });

  it('counts an attempt once, whatever its error did to the channel', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    const request = { workspaceId, runId: 'run', limit: 2 };
    const [first, second] = await claimDeliveries(database.service, request, start);
    if (first === undefined || second === undefined) throw new Error('two were not claimed');
    const kicked = {
      category: 'PERMANENT',
      scope: 'channel',
      code: '403',
      message: 'kicked',
    } as const;
    const outcomes = [failed(first, kicked), sent(second)];
    await commitOutcomes(database.service, workspaceId, outcomes, after(1));
    expect(await show(after(2))).toMatchObject({
      last_hour: { sent: 1, failed: 1 },
      last_errors: [{ code: '403', count: 1, channel_id: 'news', message: 'kicked' }],
    });
  });
});

describe('counting', () => {
  it('stops at 10,000 that are due, and says so', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addMessage(database.admin, workspaceId);
    const bulk = { workspaceId, channelIds: ['news'], count: 10_001 };
    await fill(database.admin, waitingDeliveries(bulk));
    const { waiting, at_least: atLeast } = await show();
    expect({ waiting, atLeast }).toEqual({
      waiting: { due: 10_000, scheduled: 0, retrying: 0, claimed: 0 },
      atLeast: ['due'],
    });
  });

  it('stops among what is scheduled, after the retries that come first, and says so', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addChannel(database.admin, workspaceId, 'pets');
    await addDelivery(database.admin, workspaceId, 'news');
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, start);
    if (held === undefined) throw new Error('nothing was claimed');
    await commitOutcomes(database.service, workspaceId, [failed(held)], start);
    const bulk = { workspaceId, channelIds: ['news'], count: 6_000 };
    await fill(database.admin, waitingDeliveries(bulk, after(86_400)));
    const { waiting, at_least: atLeast } = await show();
    expect({ waiting, atLeast }).toEqual({
      waiting: { due: 0, scheduled: 4_999, retrying: 1, claimed: 0 },
      atLeast: ['scheduled', 'retrying'],
    });
  });

  it('looks at the latest 30,000 events for what was sent, and says so', async () => {
    await addEvents('enqueue', 10_000, after(-1));
    await fill(database.admin, [oldEvents(workspaceId, 20_000)]);
    expect(await show(after(1))).toMatchObject({ last_hour: { sent: 20_000 }, at_least: ['sent'] });
    await addEvents('enqueue', 15_000, after(1));
    expect(await show(after(1))).toMatchObject({ last_hour: { sent: 15_000 }, at_least: ['sent'] });
  });

  it('stops at 10,000 of what is rarer, and says so', async () => {
    await addEvents('dedup_suppressed', 10_001, after(-1));
    expect(await show()).toMatchObject({ last_hour: { deduped: 10_000 }, at_least: ['deduped'] });
  });
});
