import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function claim(now: string, limit = 1): Promise<number> {
  const request = { workspaceId, runId: 'run', limit };
  return (await claimDeliveries(database.service, request, now)).length;
}

/** A channel with a backlog of three. */
async function addBusyChannel(columns: Record<string, unknown> = {}): Promise<void> {
  await addChannel(database.admin, workspaceId, 'news', columns);
  await addBacklog(database.admin, workspaceId, ['news'], 3);
}

async function coolGroup(group: string, until: string): Promise<void> {
  const columns = { rate_group: group, next_allowed_at: until, cooldown_until: until };
  await setGroup(database.admin, workspaceId, columns);
}

/** Nothing was touched: the whole backlog is queued, without an attempt or an event. */
async function expectUntouched(): Promise<void> {
  const { rows } = await database.admin.query(
    `select d.status, d.attempt, (select count(*)::integer from outrider.events where workspace_id = $1) as events
     from outrider.deliveries d where d.workspace_id = $1`,
    [workspaceId],
  );
  const untouched = { status: 'queued', attempt: 0, events: 0 };
  expect(rows).toEqual([untouched, untouched, untouched]);
}

describe('a channel gives nothing', () => {
  it('while it is disabled', async () => {
    await addBusyChannel({ enabled: false });
    expect(await claim(start)).toBe(0);
    await expectUntouched();
    await database.admin.query(
      'update outrider.channels set enabled = true where workspace_id = $1',
      [workspaceId],
    );
    expect(await claim(start)).toBe(1);
  });

  it('while it is paused, and gives again from the very end of the pause', async () => {
    await addBusyChannel({ paused_until: after(60) });
    expect(await claim(start)).toBe(0);
    expect(await claim(after(59.999))).toBe(0);
    await expectUntouched();
    expect(await claim(after(60))).toBe(1);
  });

  it('while it cools down, and gives again from the very end', async () => {
    await addBusyChannel({ cooldown_until: after(60) });
    expect(await claim(after(59.999))).toBe(0);
    await expectUntouched();
    expect(await claim(after(60))).toBe(1);
  });

  it('while its group cools down, although the group has no rate', async () => {
    await addBusyChannel({ rate_group: 'cold' });
    await coolGroup('cold', after(60));
    expect(await claim(after(59.999))).toBe(0);
    await expectUntouched();
    expect(await claim(after(60))).toBe(1);
  });

  it('outside its posting window, and gives again when the window opens', async () => {
    await addBusyChannel({
      window_mode: 'windowed',
      posting_window: JSON.stringify({ mon: [['12:00', '13:00']], wed: [['09:00', '10:00']] }),
      timezone: 'Europe/Berlin',
    });
    expect(await claim('2026-03-02T10:59:59.999Z')).toBe(0);
    await expectUntouched();
    expect(await claim('2026-03-02T11:00:00Z')).toBe(1);
    expect(await claim('2026-03-02T12:00:00Z')).toBe(0);
    expect(await claim('2026-03-04T07:59:59Z')).toBe(0);
    expect(await claim('2026-03-04T08:00:00Z')).toBe(1);
  });

  it('outside its window only until the window is changed', async () => {
    await addBusyChannel({
      window_mode: 'windowed',
      posting_window: JSON.stringify({ tue: [['12:00', '13:00']] }),
      timezone: 'UTC',
    });
    expect(await claim(start)).toBe(0);
    await database.admin.query(
      `update outrider.channels set posting_window = '{"mon": [["09:00", "18:00"]]}' where workspace_id = $1`,
      [workspaceId],
    );
    expect(await claim(start)).toBe(1);
  });
});

describe('one closed channel', () => {
  it('does not hold up the others, nor one cooling group another', async () => {
    await addChannel(database.admin, workspaceId, 'disabled', { enabled: false });
    await addChannel(database.admin, workspaceId, 'paused', { paused_until: after(60) });
    await addChannel(database.admin, workspaceId, 'cooling', { rate_group: 'cold' });
    await addChannel(database.admin, workspaceId, 'open', { rate_group: 'warm' });
    await coolGroup('cold', after(60));
    await addBacklog(database.admin, workspaceId, ['disabled', 'paused', 'cooling', 'open'], 2);
    const request = { workspaceId, runId: 'run', limit: 100 };
    const batch = await claimDeliveries(database.service, request, start);
    expect(batch.map((each) => each.channel.channelId)).toEqual(['open', 'open']);
  });
});

describe('a workspace gives nothing', () => {
  it.each(['paused', 'disabled'])('while it is %s', async (status) => {
    await addBusyChannel();
    const set = 'update outrider.workspaces set status = $2 where workspace_id = $1';
    await database.admin.query(set, [workspaceId, status]);
    expect(await claim(start)).toBe(0);
    await expectUntouched();
    await database.admin.query(set, [workspaceId, 'active']);
    expect(await claim(start)).toBe(1);
  });
});

describe('a delivery is not handed out', () => {
  it('before its not_before', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news', { not_before: after(90) });
    expect(await claim(after(89.999))).toBe(0);
    expect(await claim(after(90))).toBe(1);
  });

  it('before its next_retry_at', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news', {
      status: 'failed_permanent',
      failed_at: start,
    });
    await database.admin.query(
      `update outrider.deliveries set status = 'retry', failed_at = null, next_retry_at = $2, updated_at = $3
       where delivery_id = $1`,
      [deliveryId, after(90), start],
    );
    expect(await claim(after(89.999))).toBe(0);
    expect(await claim(after(90))).toBe(1);
  });

  it('before a time that was moved while it waited', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news');
    const move =
      'update outrider.deliveries set not_before = $2, updated_at = $3 where delivery_id = $1';
    await database.admin.query(move, [deliveryId, after(90), start]);
    expect(await claim(after(89))).toBe(0);
    await database.admin.query(move, [deliveryId, after(40), after(30)]);
    expect(await claim(after(40))).toBe(1);
  });

  it.each(['deduped', 'failed_permanent'])('when it starts as %s', async (status) => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news', {
      status,
      failed_at: status === 'failed_permanent' ? start : null,
    });
    expect(await claim(after(86_400))).toBe(0);
  });

  it.each(['deduped', 'failed_permanent'])('once it has become %s', async (status) => {
    await addChannel(database.admin, workspaceId, 'news');
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news');
    await database.admin.query(
      'update outrider.deliveries set status = $2, failed_at = $3, updated_at = $4 where delivery_id = $1',
      [deliveryId, status, status === 'failed_permanent' ? start : null, start],
    );
    expect(await claim(after(86_400))).toBe(0);
  });
});
