import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { inTransaction } from '../../src/db/transaction.ts';
import { useN8n } from '../support/fixtures/n8n.ts';
import { orchestrate } from '../support/n8n/orchestrated.ts';
import { addChat } from '../support/sandbox/sandbox-channels.ts';

const stage = await useN8n();
const { database, sandbox } = stage;

const Count = z.object({ count: z.int() });
const Notification = z.object({ status: z.string(), last_error: z.string().nullable() });

async function notifications(workspaceId: string): Promise<z.output<typeof Notification>[]> {
  return queryRows(
    database.admin,
    Notification,
    `select status::text as status, last_error from outrider.alert_notifications where workspace_id = $1 order by created_at`,
    [workspaceId],
  );
}

let chats = -1_008_880_000_000;

/** A workspace whose alerts are told to a chat. */
async function watched(): Promise<Awaited<ReturnType<typeof orchestrate>> & { told(): string[] }> {
  chats -= 1;
  const chat = String(chats);
  addChat(sandbox, 'telegram', chat, 'Alerts');
  const settings = { alert_on_installation: false };
  const city = await orchestrate(stage, { counts: { telegram: 2 }, settings });
  await city.apply({
    alert_targets: { people: { kind: 'chat', target_id: chat, auth_ref: 'telegram' } },
  });
  const posts = () =>
    sandbox.telegram.simulator.chats().find((each) => each.chat === chat)?.posts ?? [];
  return { ...city, told: () => posts().map(({ text }) => text) };
}

/** A target is told once a minute at most, and a message that did not arrive is tried again later. */
async function passMinutes(workspaceId: string, minutes: number): Promise<void> {
  for (const [table, column] of [
    ['alert_targets', 'told_at'],
    ['alert_notifications', 'next_try_at'],
  ]) {
    await database.admin.query(
      `update outrider.${table} set ${column} = ${column} - make_interval(mins => $2) where workspace_id = $1`,
      [workspaceId, minutes],
    );
  }
}

const disable = `update outrider.channels set enabled = false, stopped_because = '{"code": "kicked"}'
  where workspace_id = $1 and channel_id = 'telegram-1'`;

describe('the monitor of n8n', () => {
  it('gives the deliveries of a sender that died back, with an event', async () => {
    const city = await orchestrate(stage, { counts: { telegram: 1 } });
    // The sender claims in the transaction that makes the delivery: n8n cannot be faster.
    const claimed = await inTransaction(database.admin, { idleMs: 60_000 }, async (sender) => {
      const items = [{ text: 'Held by nobody' }];
      await enqueueBatch(sender, { workspaceId: city.workspaceId, kind: 'push', items });
      return claimDeliveries(sender, { workspaceId: city.workspaceId, runId: 'dead', limit: 1 });
    });
    expect(claimed).toHaveLength(1);
    await database.admin.query(
      `update outrider.leases set lease_until = clock_timestamp() - interval '1 second' where workspace_id = $1`,
      [city.workspaceId],
    );
    expect((await stage.runNow('monitor')).status).toBe(200);
    expect(await city.actions()).toContain('sending_lease_expired');
    await expect.poll(() => city.deliveries()).toMatchObject([{ status: 'sent', attempt: 2 }]);
  });

  it('tells nothing when nothing is wrong', async () => {
    const city = await watched();
    expect((await stage.runNow('monitor')).status).toBe(200);
    expect(await notifications(city.workspaceId)).toEqual([]);
    expect(city.told()).toEqual([]);
  });

  it('tells of an alert once within its cooldown, and again after it', async () => {
    const city = await watched();
    await database.admin.query(disable, [city.workspaceId]);
    const alert = expect.stringContaining('telegram-1');
    for (let n = 0; n < 3; n += 1) {
      expect((await stage.runNow('monitor')).status).toBe(200);
      await expect.poll(() => city.told()).toEqual([alert]);
      await passMinutes(city.workspaceId, 2);
    }
    expect(await notifications(city.workspaceId)).toMatchObject([{ status: 'sent' }]);
    await database.admin.query(
      `update outrider.alerts set notified_at = notified_at - interval '1 day' where workspace_id = $1`,
      [city.workspaceId],
    );
    expect((await stage.runNow('monitor')).status).toBe(200);
    await expect.poll(() => city.told()).toEqual([alert, alert]);
  });

  it('records that a target is down, and loses nothing', async () => {
    const city = await watched();
    sandbox.faults.add({
      kind: 'server_error',
      platform: 'telegram',
      chat: String(chats),
      status: 500,
    });
    await database.admin.query(disable, [city.workspaceId]);
    expect((await stage.runNow('monitor')).status).toBe(200);
    await expect
      .poll(() => notifications(city.workspaceId))
      .toMatchObject([{ status: 'queued', last_error: expect.stringMatching(/\w/) }]);
    expect(city.told()).toEqual([]);
    sandbox.faults.clear();
    await passMinutes(city.workspaceId, 2);
    expect((await stage.runNow('monitor')).status).toBe(200);
    await expect.poll(() => city.told()).toEqual([expect.stringContaining('telegram-1')]);
    expect(await notifications(city.workspaceId)).toMatchObject([{ status: 'sent' }]);
  });

  it('records that the gateway was not reached, and tells later', async () => {
    const city = await watched();
    await database.admin.query(disable, [city.workspaceId]);
    await stage.stopGateway();
    try {
      expect((await stage.runNow('monitor')).status).toBe(200);
      await expect
        .poll(() => notifications(city.workspaceId))
        .toMatchObject([
          { status: 'queued', last_error: 'the gateway was not reached, or broke off' },
        ]);
    } finally {
      await stage.startGateway();
    }
    await passMinutes(city.workspaceId, 2);
    expect((await stage.runNow('monitor')).status).toBe(200);
    await expect.poll(() => city.told()).toEqual([expect.stringContaining('telegram-1')]);
  });

  it('answers with a snapshot of each workspace', async () => {
    const city = await watched();
    const { body } = await stage.runNow('monitor');
    expect(body).toContainEqual({
      snapshot: expect.objectContaining({
        workspace_id: city.workspaceId,
        by_status: expect.anything(),
      }),
    });
  });

  it('makes the partitions of the next seven days, and deletes what was kept long enough', async () => {
    const partitionsAhead = async (): Promise<number> => {
      const text = `select count(*)::integer as count from generate_series(0, 7) as ahead
       where to_regclass('outrider.' || outrider.event_partition((clock_timestamp() at time zone 'UTC')::date + ahead)) is not null`;
      return (await queryRow(database.admin, Count, text)).count;
    };
    const city = await watched();
    await database.admin.query(
      `insert into outrider.ingest_runs (workspace_id, run_id, kind, started_at, finished_at)
       select $1, 'old', 'push', s, s from (select clock_timestamp() - interval '400 days' as s) t`,
      [city.workspaceId],
    );
    await database.admin.query('update outrider.retention_sweeps set due_at = clock_timestamp()');
    expect(await partitionsAhead()).toBe(0);
    expect((await stage.runNow('upkeep')).status).toBe(200);
    expect(await partitionsAhead()).toBe(8);
    const old = `select count(*)::integer as count from outrider.ingest_runs where workspace_id = $1`;
    await expect
      .poll(async () => (await queryRow(database.admin, Count, old, [city.workspaceId])).count)
      .toBe(0);
  });
});
