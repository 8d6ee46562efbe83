import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Queryable } from '../../src/db/pool.ts';
import { createLog } from '../../src/log.ts';
import { type Monitor, startMonitor } from '../../src/monitor/monitor.ts';
import { healthy } from '../../src/service.ts';
import { addAlertTarget } from '../support/alerts/alert-rows.ts';
import { meddling } from '../support/database/meddling.ts';
import { addChannel, addWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { createManualClock, type ManualClock } from '../support/time/manual-clock.ts';
import { type OtherSides, openOtherSides } from './target-harness.ts';

const database = await useDatabase();
let sides: OtherSides;
let workspaceId: string;
/** Seconds since the start of the test's time. */
let seconds: number;
const running: Monitor[] = [];

beforeAll(async () => {
  sides = await openOtherSides(database.service);
});

afterAll(async () => {
  await sides.close();
});

beforeEach(async () => {
  await database.admin.query('update outrider.alert_targets set enabled = false');
  await database.admin.query('delete from outrider.run_guards');
  await database.admin.query('delete from outrider.alerts');
  workspaceId = `w${randomUUID().slice(0, 8)}`;
  await addWorkspace(database.admin, workspaceId, { alert_on_installation: false });
  seconds = 0;
});

const disabled = { enabled: false, stopped_because: JSON.stringify({ code: 'kicked' }) };
const lines: string[] = [];

function monitorOf(clock: ManualClock, client: Queryable = database.service): Monitor {
  const log = createLog({ level: 'info', pretty: false, write: (line) => lines.push(line) });
  const monitor = startMonitor({
    client,
    log,
    clock,
    tell: sides.tell,
    now: () => after(seconds),
  });
  running.push(monitor);
  return monitor;
}

/** Who has the guard. */
async function holder(): Promise<unknown> {
  const { rows } = await database.admin.query<{ run_id: string }>(
    `select run_id from outrider.run_guards where lease_until > $1`,
    [after(seconds)],
  );
  return rows[0]?.run_id;
}

/** What became of the messages that were tried, each with its target. */
async function outcomes(): Promise<readonly string[]> {
  const { rows } = await database.admin.query<{ outcome: string }>(
    `select alert_target_id || ' ' || status as outcome from outrider.alert_notifications
     where workspace_id = $1 and attempts > 0 and claim_token is null order by 1`,
    [workspaceId],
  );
  return rows.map((each) => each.outcome);
}

describe('a monitor', () => {
  it('tells every kind of target of an alert', async () => {
    for (const side of sides.targets) {
      const row = { alert_target_id: side.name, ...side.columns };
      await addAlertTarget(database.admin, workspaceId, row);
    }
    await database.admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, 'telegram-bot', 'telegram', 'env:TELEGRAM_TOKEN', now()), ($1, 'max-bot', 'max', 'env:MAX_TOKEN', now())`,
      [workspaceId],
    );
    await addChannel(database.admin, workspaceId, 'lost', disabled);
    const monitor = monitorOf(createManualClock());
    await vi.waitFor(() => {
      for (const side of sides.targets) {
        expect(side.received().join('\n')).toContain(workspaceId);
      }
    }, 20_000);
    expect(monitor.health()).toEqual(healthy);
    await monitor.stop();
    expect(await holder()).toBeUndefined();
  });

  it('that dies is replaced within 30 s', async () => {
    await addAlertTarget(database.admin, workspaceId);
    // It never comes back: its clock stands still.
    const first = monitorOf(createManualClock());
    await vi.waitFor(async () => expect(await holder()).toBeDefined(), 10_000);
    const dead = await holder();

    const clock = createManualClock();
    const second = monitorOf(clock);
    for (; seconds < 30; seconds += 1) {
      clock.advance(1000);
      await vi.waitFor(() => expect(clock.waiting()).toBe(2), 10_000);
    }
    const heir = await holder();
    expect(heir).toBeDefined();
    expect(heir).not.toBe(dead);
    await Promise.all([first.stop(), second.stop()]);
  });

  it('says that a target cannot be reached, and stays ready', async () => {
    await addAlertTarget(database.admin, workspaceId, {
      alert_target_id: 'hook',
      kind: 'webhook',
      url: 'http://127.0.0.1:1/',
      secret_ref: 'env:HOOK_SECRET',
    });
    await addAlertTarget(database.admin, workspaceId);
    await addChannel(database.admin, workspaceId, 'lost', disabled);
    const clock = createManualClock();
    const monitor = monitorOf(clock);
    // Both outcomes: a message still under way when the time moves on would count as unreached, too.
    await vi.waitFor(
      async () => expect(await outcomes()).toEqual(['hook queued', 'log sent']),
      10_000,
    );
    seconds = 660;
    monitor.look();
    await vi.waitFor(() => {
      expect(monitor.health()).toEqual({
        ok: true,
        reason: `alerts do not reach target hook of workspace ${workspaceId}`,
      });
    }, 10_000);
    const told = sides.targets.find((each) => each.name === 'log');
    await vi.waitFor(
      () => expect(told?.received().join('\n')).toContain('alert target \\"hook\\" could not'),
      10_000,
    );
    await monitor.stop();
  });

  it('says which workspace it cannot evaluate, goes on with the others, and stays ready', async () => {
    await addAlertTarget(database.admin, workspaceId);
    await addChannel(database.admin, workspaceId, 'lost', disabled);
    const locked = `w${randomUUID().slice(0, 8)}`;
    await addWorkspace(database.admin, locked, { alert_on_installation: false });
    await addAlertTarget(database.admin, locked);
    const clock = createManualClock();
    let isLocked = true;
    const client = meddling(database.service, async (query) => {
      if (isLocked && query.includes('evaluate_alerts') && query.includes(locked)) {
        throw new Error('canceling statement due to lock timeout');
      }
    });
    const monitor = monitorOf(clock, client);
    await vi.waitFor(() => {
      clock.advance(10_000);
      expect(monitor.health()).toEqual({
        ok: true,
        reason: `cannot evaluate the alerts of workspace ${locked}`,
      });
    }, 20_000);
    expect(monitor.facts?.()).toEqual({ alerts_not_evaluated: [locked] });
    const told = sides.targets.find((each) => each.name === 'log');
    await vi.waitFor(() => expect(told?.received().join('\n')).toContain(workspaceId), 10_000);

    isLocked = false;
    await vi.waitFor(() => {
      clock.advance(10_000);
      expect(monitor.health()).toEqual(healthy);
    }, 20_000);
    await monitor.stop();
  });

  it('keeps its guard while a round takes long', async () => {
    await addAlertTarget(database.admin, workspaceId);
    const more = `w${randomUUID().slice(0, 8)}`;
    await addWorkspace(database.admin, more, { alert_on_installation: false });
    await addAlertTarget(database.admin, more);
    const clock = createManualClock();
    const calls: string[] = [];
    const client = meddling(database.service, async (query) => {
      if (query.includes('take_run')) calls.push('guard');
      if (!query.includes('evaluate_alerts')) return;
      calls.push('evaluate');
      clock.freeze(8000);
    });
    const monitor = monitorOf(clock, client);
    await vi.waitFor(() => expect(calls).toHaveLength(4), 10_000);
    await monitor.stop();
    expect(calls).toEqual(['guard', 'evaluate', 'guard', 'evaluate']);
  });
});
