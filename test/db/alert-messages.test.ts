import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  ackAlert,
  type ClaimedNotification,
  claimNotifications,
  commitNotification,
  healthSnapshot,
  holdNotification,
  listAlerts,
  silenceAlerts,
  undeliveredAlerts,
  unsilenceAlerts,
} from '../../src/db/monitor.ts';
import { addAlertTarget, addDead, changesAt, messagesOf } from '../support/alerts/alert-rows.ts';
import { addChannel, addWorkspace, after } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

async function newWorkspace(settings: Readonly<Record<string, unknown>> = {}): Promise<void> {
  workspaceId = `w${randomUUID().slice(0, 8)}`;
  await addWorkspace(database.admin, workspaceId, { alert_on_installation: false, ...settings });
  await addAlertTarget(database.admin, workspaceId);
}

async function addChannels(count: number, columns: Readonly<Record<string, unknown>> = {}) {
  for (let n = 1; n <= count; n += 1) {
    await addChannel(database.admin, workspaceId, `c${String(n).padStart(2, '0')}`, columns);
  }
}

const kicked = { enabled: false, stopped_because: JSON.stringify({ code: 'kicked' }) };

const setChannels = (assignments: string): Promise<unknown> =>
  database.admin.query(`update outrider.channels set ${assignments} where workspace_id = $1`, [
    workspaceId,
  ]);

const evaluate = (seconds: number): Promise<string[]> =>
  changesAt(database.service, workspaceId, seconds);

async function claim(seconds: number): Promise<ClaimedNotification[]> {
  const all = await claimNotifications(
    database.service,
    { limit: 100, lease: '1 minute' },
    after(seconds),
  );
  return all.filter((each) => each.workspaceId === workspaceId);
}

function commit(
  claimed: ClaimedNotification,
  error: string | null,
  seconds: number,
  retryAfter: string | null = null,
): ReturnType<typeof commitNotification> {
  return commitNotification(database.service, { ...claimed, error, retryAfter }, after(seconds));
}

/** Delivers what is due, and answers with the bodies. */
async function deliver(seconds: number): Promise<string[]> {
  const claimed = await claim(seconds);
  for (const each of claimed) {
    await commit(each, null, seconds);
  }
  return claimed.map((each) => each.body);
}

/** When the message that waits is tried again, in seconds. */
async function nextTry(): Promise<number> {
  const { rows } = await database.admin.query<{ at: number }>(
    `select extract(epoch from next_try_at - $2)::integer as at
     from outrider.alert_notifications where workspace_id = $1 and status = 'queued'`,
    [workspaceId, after(0)],
  );
  return rows[0]?.at ?? Number.POSITIVE_INFINITY;
}

const order = { dryRun: false, operator: 'ann', reason: 'the platform is down' };

describe('a storm', () => {
  it('is one message, with one line for all alerts of a kind', async () => {
    await newWorkspace();
    await addChannels(12, kicked);
    expect(await evaluate(0)).toHaveLength(12);
    expect(await deliver(0)).toEqual([
      [
        `Outrider, workspace ${workspaceId}: 12 critical`,
        '[critical] 12 channels are disabled: c01, c02, c03 and 9 more; outrider alerts says what to do about each (docs/runbook.md#channel_disabled)',
      ].join('\n'),
    ]);
  });

  it('tells the worst first, and what is over last', async () => {
    await newWorkspace();
    await addChannels(2, { paused_until: 'infinity' });
    await evaluate(0);
    await setChannels(
      `paused_until = null, enabled = false, stopped_because = '{"code": "kicked"}'`,
    );
    await evaluate(1);
    const [message] = await deliver(1);
    expect(message?.split('\n')).toEqual([
      `Outrider, workspace ${workspaceId}: 2 critical, 1 resolved`,
      '[critical] 2 channels are disabled: c01, c02; outrider alerts says what to do about each (docs/runbook.md#channel_disabled)',
      expect.stringMatching(/^\[resolved\] 2 channels are paused/),
    ]);
  });

  it('of more than a chat can show is cut, and says so', async () => {
    await newWorkspace({ alert_pull_lag_over: '1 minute' });
    await addChannels(1, {
      enabled: false,
      stopped_because: JSON.stringify({ code: 'kicked', message: 'x'.repeat(5000) }),
    });
    await evaluate(3600);
    const [message = ''] = await deliver(3600);
    expect(message.length).toBeLessThan(3600);
    expect(message).toContain('docs/runbook.md#channel_disabled');
  });

  it('gives a target one message a minute, and what comes meanwhile waits and is joined', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    expect(await deliver(0)).toHaveLength(1);
    await setChannels(`paused_until = 'infinity', enabled = true`);
    await evaluate(10);
    await setChannels(`paused_until = null, enabled = false, stopped_because = '{"code": "gone"}'`);
    await evaluate(20);
    expect(await deliver(59)).toEqual([]);
    const [message = '', ...more] = await deliver(60);
    expect(more).toEqual([]);
    expect(message).toMatch(/\[resolved\] channel "c01" is paused: kicked$/);
  });
});

describe('a target', () => {
  it('is told from its least severity on', async () => {
    await newWorkspace();
    const pager = { alert_target_id: 'pager', min_severity: 'critical' };
    await addAlertTarget(database.admin, workspaceId, pager);
    await addChannels(1, { paused_until: 'infinity' });
    await evaluate(0);
    expect(await messagesOf(database.admin, workspaceId)).toHaveLength(1);
    expect(await messagesOf(database.admin, workspaceId, 'pager')).toEqual([]);
    await setChannels(`enabled = false, stopped_because = '{"code": "kicked"}'`);
    await evaluate(1);
    expect(await messagesOf(database.admin, workspaceId, 'pager')).toHaveLength(1);
  });

  it('that is disabled is told nothing', async () => {
    await newWorkspace();
    await database.admin.query('update outrider.alert_targets set enabled = false');
    await addChannels(1, kicked);
    await evaluate(0);
    expect(await messagesOf(database.admin, workspaceId)).toEqual([]);
    await database.admin.query('update outrider.alert_targets set enabled = true');
  });

  it('that does not answer is tried again, longer and longer, and given up after a day', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    const failure = 'it is away, call 8 800 555-35-35';
    let became: string | null = null;
    const tries: number[] = [];
    for (let at = 0; at < Number.POSITIVE_INFINITY; ) {
      const [held] = await claim(at);
      if (held === undefined) throw new Error('nothing is due');
      tries.push(at);
      became = await commit(held, failure, at);
      at = became === 'queued' ? await nextTry() : Number.POSITIVE_INFINITY;
    }
    expect(tries.slice(0, 7)).toEqual([0, 60, 180, 420, 900, 1860, 3660]);
    expect(tries.at(-1)).toBeGreaterThanOrEqual(86_400);
    expect(became).toBe('failed');
    const { rows } = await database.admin.query(
      'select last_error from outrider.alert_notifications where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual([{ last_error: 'it is away, call [phone]' }]);
  });

  it('that is tried again is listed with what it answered, from the first time on', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    const [held] = await claim(0);
    if (held === undefined) throw new Error('nothing was claimed');
    await commit(held, 'it is away', 0);
    const { rows } = await database.service.query(
      'select undelivered_since, last_error from outrider.list_alert_targets($1, $2)',
      [workspaceId, after(1)],
    );
    expect(rows).toEqual([{ undelivered_since: null, last_error: 'it is away' }]);
  });

  it('that asks for time gets it', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    const [held] = await claim(0);
    if (held === undefined) throw new Error('nothing was claimed');
    await commit(held, 'too many', 0, '10 minutes');
    expect(await claim(599)).toEqual([]);
    expect(await claim(600)).toHaveLength(1);
  });

  it('that one process has no secret for is left to others at once, ten times', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    let at = 0;
    for (let times = 1; times <= 10; times += 1, at += 15) {
      const [held] = await claim(at);
      if (held === undefined) throw new Error(`nothing is due at ${at}`);
      const outcome = { ...held, error: 'no secret', retryAfter: null, leftToOthers: true };
      expect(await commitNotification(database.service, outcome, after(at))).toBe('queued');
      expect(await claim(at + 14)).toEqual([]);
    }
    const [held] = await claim(at);
    if (held === undefined) throw new Error('nothing is due');
    const outcome = { ...held, error: 'no secret', retryAfter: null, leftToOthers: true };
    await commitNotification(database.service, outcome, after(at));
    expect(await nextTry()).toBe(at + 1800);
  });

  it('that is disabled while its sender dies is given up after a day', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    expect(await claim(0)).toHaveLength(1);
    await database.admin.query(
      'update outrider.alert_targets set enabled = false where workspace_id = $1',
      [workspaceId],
    );
    await evaluate(86_400);
    const { rows } = await database.admin.query(
      'select status, last_error from outrider.alert_notifications where workspace_id = $1',
      [workspaceId],
    );
    expect(rows).toEqual([{ status: 'failed', last_error: 'its sender has died' }]);
  });

  it('that cannot be reached for ten minutes is reported to the others, not to itself', async () => {
    await newWorkspace();
    await addAlertTarget(database.admin, workspaceId, { alert_target_id: 'mail' });
    await addChannels(1, kicked);
    await evaluate(0);
    for (const each of await claim(0)) {
      const isMail = each.alertTargetId === 'mail';
      await commit(each, isMail ? 'it is away' : null, 0);
    }
    expect(await evaluate(599)).toEqual([]);
    expect(await evaluate(600)).toEqual(['opened alert_undelivered:mail']);
    const [, told = ''] = await messagesOf(database.admin, workspaceId);
    expect(told).toContain('alert target "mail" could not be reached for 10 min: it is away');
    expect(await messagesOf(database.admin, workspaceId, 'mail')).toHaveLength(1);
    const unreached = await undeliveredAlerts(database.service, after(600));
    expect(unreached.filter((each) => each.workspaceId === workspaceId)).toMatchObject([
      { alertTargetId: 'mail', lastError: 'it is away' },
    ]);
  });

  it('that never answers counts as not reached, too', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    const unreachedAt = async (seconds: number) => {
      const unreached = await undeliveredAlerts(database.service, after(seconds));
      return unreached.filter((each) => each.workspaceId === workspaceId);
    };
    for (const at of [0, 120, 240, 360, 480]) expect(await claim(at)).toHaveLength(1);
    expect(await unreachedAt(599)).toEqual([]);
    expect(await unreachedAt(600)).toMatchObject([{ lastError: 'it has not answered' }]);
    expect(await evaluate(600)).toEqual(['opened alert_undelivered:log']);
  });

  it('hears of a message from one sender at a time, and from the next when the first has died', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    const [dead] = await claim(0);
    if (dead === undefined) throw new Error('nothing was claimed');
    expect(await claim(30)).toEqual([]);
    const [taken] = await claim(60);
    expect(taken?.notificationId).toBe(dead.notificationId);
    expect(await commit(dead, null, 61)).toBeNull();
  });

  it('hears of a message from another sender, as long as it holds it', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    const [first] = await claim(0);
    if (first === undefined) throw new Error('nothing was claimed');
    const hold = (claimed: ClaimedNotification, seconds: number): Promise<boolean> =>
      holdNotification(database.service, { ...claimed, lease: '1 minute' }, after(seconds));
    expect(await hold(first, 59)).toBe(true);
    expect(await claim(118)).toEqual([]);
    const [second] = await claim(119);
    if (second === undefined) throw new Error('nothing was claimed');
    expect(await hold(first, 120)).toBe(false);
    expect(await hold(second, 120)).toBe(true);
    expect(await commit(second, null, 121)).toBe('sent');
    expect(await hold(second, 122)).toBe(false);
  });
});

describe('an alert that comes back before people heard that it was over', () => {
  it('is told as open only', async () => {
    await newWorkspace();
    await addChannels(1, { paused_until: 'infinity' });
    await evaluate(0);
    await deliver(0);
    await setChannels('paused_until = null');
    await evaluate(10);
    expect(await messagesOf(database.admin, workspaceId)).toHaveLength(2);
    await setChannels(`paused_until = 'infinity'`);
    await evaluate(20);
    expect(await messagesOf(database.admin, workspaceId)).toHaveLength(1);
  });
});

describe('when the clock is set back by an hour', () => {
  const hour = 3600;

  it('a target is told at once, also what was queued before', async () => {
    await newWorkspace();
    await addChannels(2);
    await setChannels(`paused_until = 'infinity'`);
    await evaluate(hour);
    await deliver(hour);
    await setChannels('paused_until = null');
    await evaluate(hour + 10);
    expect(await deliver(20)).toEqual([expect.stringContaining('[resolved]')]);
  });

  it('an alert that lasts is repeated, and then keeps its cooldown', async () => {
    await newWorkspace();
    await addChannels(1);
    await setChannels(`paused_until = 'infinity'`);
    expect(await evaluate(2 * hour)).toEqual(['opened paused_channels']);
    expect(await evaluate(hour)).toEqual(['repeated paused_channels']);
    expect(await evaluate(hour + 10)).toEqual([]);
  });

  it('a health snapshot comes', async () => {
    await newWorkspace({ snapshot_every: '1 minute' });
    await evaluate(hour);
    await evaluate(10);
    expect(await messagesOf(database.admin, workspaceId)).toHaveLength(2);
  });
});

describe('an acknowledged alert', () => {
  it('is not repeated, and is told when it is over', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    await evaluate(0);
    const [alert] = await listAlerts(database.service, { workspaceId, limit: 10 }, after(1));
    const alertId = alert?.alertId ?? '';
    const request = { workspaceId, alertId, ...order };
    expect(await ackAlert(database.service, request, after(1))).toMatchObject({ changed: true });
    expect(await ackAlert(database.service, request, after(2))).toMatchObject({
      changed: false,
      note: 'ann has acknowledged it already',
    });
    expect(await evaluate(7200)).toEqual([]);
    const [listed] = await listAlerts(database.service, { workspaceId, limit: 10 }, after(7200));
    expect(listed).toMatchObject({ state: 'acknowledged', acknowledgedBy: 'ann' });
    await setChannels('enabled = true');
    expect(await evaluate(7201)).toEqual(['resolved channel_disabled:c01']);
    expect(await deliver(7201)).toHaveLength(1);
  });

  it('that comes back after it was over is told again', async () => {
    await newWorkspace({ alert_cooldown: '30 minutes' });
    await addChannels(1, kicked);
    await evaluate(0);
    const [alert] = await listAlerts(database.service, { workspaceId, limit: 10 }, after(1));
    const request = { workspaceId, alertId: alert?.alertId ?? '', ...order };
    await ackAlert(database.service, request, after(60));
    await setChannels('enabled = true');
    expect(await evaluate(300)).toEqual(['resolved channel_disabled:c01']);
    await deliver(300);
    await setChannels('enabled = false');
    expect(await evaluate(480)).toEqual([]);
    const [open] = await listAlerts(database.service, { workspaceId, limit: 10 }, after(481));
    expect(open).toMatchObject({ alertId: alert?.alertId, state: 'open', acknowledgedBy: null });
    expect(await evaluate(2400)).toEqual(['repeated channel_disabled:c01']);
  });

  it('is repeated when it has become worse since', async () => {
    await newWorkspace();
    await addChannel(database.admin, workspaceId, 'news');
    await addDead(database, workspaceId, after(10));
    await evaluate(1000);
    const [alert] = await listAlerts(database.service, { workspaceId, limit: 10 }, after(1001));
    const request = { workspaceId, alertId: alert?.alertId ?? '', ...order };
    await ackAlert(database.service, request, after(1001));
    expect(await evaluate(5000)).toEqual([]);
    await addDead(database, workspaceId, after(5001));
    expect(await evaluate(5002)).toEqual(['repeated dead_letters']);
  });

  it('leaves an event with who and why', async () => {
    const { rows } = await database.admin.query(
      `select meta ->> 'operator' as operator, meta ->> 'reason' as reason
       from outrider.events where workspace_id = $1 and action = 'alert_acknowledged'`,
      [workspaceId],
    );
    expect(rows).toEqual([{ operator: 'ann', reason: 'the platform is down' }]);
  });
});

describe('a silenced alert', () => {
  it.each(['channel_disabled', 'channel_disabled:c01'])(
    'is told to nobody and shows in the list, by %s',
    async (matches) => {
      await newWorkspace();
      await addChannels(1, kicked);
      const silence = { workspaceId, matches, until: after(600), ...order };
      expect(await silenceAlerts(database.service, silence, after(0))).toMatchObject({
        openAlerts: 0,
      });
      expect(await evaluate(1)).toEqual(['opened channel_disabled:c01 (silenced)']);
      expect(await messagesOf(database.admin, workspaceId)).toEqual([]);
      const [listed] = await listAlerts(database.service, { workspaceId, limit: 10 }, after(2));
      expect(listed).toMatchObject({ state: 'silenced', fingerprint: 'channel_disabled:c01' });
      expect(await evaluate(599)).toEqual([]);
      expect(await evaluate(600)).toEqual(['repeated channel_disabled:c01']);
      expect(await messagesOf(database.admin, workspaceId)).toHaveLength(1);
    },
  );

  it('is told again when an operator ends the silence', async () => {
    await newWorkspace();
    await addChannels(1, kicked);
    const silence = { workspaceId, matches: 'channel_disabled', ...order };
    await silenceAlerts(database.service, { ...silence, until: after(6000) }, after(0));
    await evaluate(1);
    expect(await unsilenceAlerts(database.service, silence, after(2))).toBe(true);
    expect(await unsilenceAlerts(database.service, silence, after(2))).toBe(false);
    expect(await evaluate(3)).toEqual(['repeated channel_disabled:c01']);
  });

  it('ends within a year', async () => {
    const silence = { workspaceId, matches: 'dead_letters', ...order };
    const year = { ...silence, until: after(365 * 86_400) };
    expect(await silenceAlerts(database.service, year, after(0))).toMatchObject({ openAlerts: 0 });
    for (const until of [after(367 * 86_400), '294276-01-01']) {
      await expect(
        silenceAlerts(database.service, { ...silence, until }, after(0)),
      ).rejects.toThrow('until lies more than a year ahead');
    }
  });

  it('needs a kind that there is', async () => {
    await newWorkspace();
    const silence = { workspaceId, matches: 'telepathy', until: after(600), ...order };
    await expect(silenceAlerts(database.service, silence, after(0))).rejects.toThrow(
      'neither a kind of alert nor a fingerprint',
    );
  });
});

describe('a health snapshot', () => {
  it('goes to every target as often as the workspace says', async () => {
    await newWorkspace({ snapshot_every: '1 hour' });
    await addChannel(database.admin, workspaceId, 'news');
    await addDead(database, workspaceId, after(10));
    await evaluate(2000);
    await evaluate(2001);
    await evaluate(5599);
    const told = await messagesOf(database.admin, workspaceId);
    expect(told.filter((each) => each.includes('health snapshot'))).toHaveLength(1);
    await evaluate(5600);
    const later = await messagesOf(database.admin, workspaceId);
    const snapshots = later.filter((each) => each.includes('health snapshot'));
    expect(snapshots).toHaveLength(2);
    expect(snapshots[0]).toContain(
      '0 queued, 0 retry, 0 claimed, 0 sending, 0 failed permanent, 1 dead',
    );
    expect(snapshots[0]).toContain('Alerts: 1 open');
    expect(await healthSnapshot(database.service, workspaceId, after(5600))).toMatchObject({
      by_status: { dead: 1 },
      alerts: { open: 1 },
    });
  });
});
