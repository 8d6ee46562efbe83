import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { ackAlert, beat, evaluateAlerts, listAlerts } from '../../src/db/monitor.ts';
import {
  botStatus,
  latestFailures,
  listServices,
  nextSlots,
  postExcerpts,
  type Wrong,
  whatIsWrong,
} from '../../src/db/status.ts';
import { addAlertTarget, addDead } from '../support/alerts/alert-rows.ts';
import { addBot, say } from '../support/bot/bot-chat.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addSource } from '../support/pull/pull-ground.ts';

const database = await useDatabase();
const { admin, service } = database;
let workspaceId: string;

beforeEach(async () => {
  await admin.query('delete from outrider.service_heartbeats');
  workspaceId = await addNewWorkspace(database);
  await addChannel(admin, workspaceId, 'news');
});

const wrongAt = (seconds: number): Promise<Wrong[]> =>
  whatIsWrong(service, workspaceId, after(seconds));
const kindsAt = async (seconds: number): Promise<string[]> =>
  (await wrongAt(seconds)).map((each) => each.kind);

const setChannel = (columns: Readonly<Record<string, unknown>>, channelId = 'news') =>
  admin.query(
    `update outrider.channels set ${Object.keys(columns)
      .map((name, n) => `${name} = $${n + 3}`)
      .join(', ')} where workspace_id = $1 and channel_id = $2`,
    [workspaceId, channelId, ...Object.values(columns)],
  );

describe('what_is_wrong', () => {
  it('has nothing to say of a workspace that does its work', async () => {
    await addDelivery(admin, workspaceId, 'news');
    expect(await wrongAt(10)).toEqual([]);
  });

  it('says without a monitor what would open an alert, the worst first, with the command', async () => {
    await addDead(database, workspaceId, after(2));
    await addChannel(admin, workspaceId, "it's off", { target_id: '-2' });
    const because = JSON.stringify({ code: '403', message: 'bot was kicked' });
    await setChannel({ enabled: false, stopped_because: because }, "it's off");
    const found = await wrongAt(10);
    expect(found.map(({ kind, severity, since }) => [kind, severity, since])).toEqual([
      ['channel_disabled', 'critical', null],
      ['dead_letters', 'critical', null],
    ]);
    expect(found.map((each) => each.advice)).toEqual([
      `outrider channels enable 'it'\\''s off' --reason "…" --workspace ${workspaceId}`,
      `outrider deliveries --status dead --workspace ${workspaceId}`,
    ]);
    expect(found[0]?.summary).toContain('403: bot was kicked');
  });

  it('names a channel that a refusal has paused, and none that somebody has paused', async () => {
    await admin.query(
      'update outrider.workspace_settings set alert_paused_channels_over = 5 where workspace_id = $1',
      [workspaceId],
    );
    await addChannel(admin, workspaceId, 'calm', { target_id: '-2' });
    const refused = { code: '400', message: 'call +7 916 123-45-67' };
    await setChannel({ paused_until: after(3600), stopped_because: JSON.stringify(refused) });
    const order = { operator: 'ann', reason: 'holidays' };
    await setChannel({ paused_until: after(3600), stopped_because: JSON.stringify(order) }, 'calm');
    expect(await wrongAt(0)).toEqual([
      {
        kind: 'channel_paused',
        subject: 'news',
        severity: 'warning',
        summary: 'channel "news" is paused for 60 min more: 400: call [phone]',
        advice: `outrider channels resume news --reason "…" --workspace ${workspaceId}`,
        since: null,
        acknowledgedBy: null,
        silencedUntil: null,
      },
    ]);
  });

  it('names a source that cannot be read before it lags', async () => {
    await addSource(admin, { workspaceId, sourceId: 'feed' });
    await admin.query(
      `update outrider.pull_cursors set failures = 2, failing_since = $2, last_error = 'no such host'
       where workspace_id = $1`,
      [workspaceId, start],
    );
    const [feed] = await wrongAt(60);
    expect(feed).toMatchObject({
      kind: 'source_failing',
      summary: 'source "feed" could not be read 2 times in a row: no such host',
      advice: `outrider sources test feed --workspace ${workspaceId}`,
    });
  });

  it('says that nobody sends when something is due and no process gives a sign of life', async () => {
    await addDelivery(admin, workspaceId, 'news');
    expect(await kindsAt(59)).toEqual([]);
    expect(await wrongAt(61)).toMatchObject([
      { kind: 'nobody_sends', severity: 'critical', advice: 'outrider run dispatch' },
    ]);
    await beat(service, { ...process1, roles: ['dispatch'] }, after(50));
    expect(await kindsAt(61)).toEqual([]);
  });

  it('puts last what somebody knows of, and says since when its alert is open', async () => {
    await addAlertTarget(admin, workspaceId);
    await addDead(database, workspaceId, after(2));
    await evaluateAlerts(service, workspaceId, after(5));
    const [alert] = await listAlerts(service, { workspaceId, limit: 10 }, after(6));
    if (alert === undefined) throw new Error('no alert is open');
    const order = { workspaceId, dryRun: false, operator: 'ann', reason: 'I look' };
    await ackAlert(service, { ...order, alertId: alert.alertId }, after(7));
    await admin.query("update outrider.workspaces set status = 'paused' where workspace_id = $1", [
      workspaceId,
    ]);
    expect(
      (await wrongAt(10)).map(({ kind, since, acknowledgedBy }) => [kind, since, acknowledgedBy]),
    ).toEqual([
      ['workspace_paused', null, null],
      ['dead_letters', new Date(after(5)), 'ann'],
    ]);
  });
});

const process1 = {
  serviceId: '00000000-0000-4000-8000-000000000001',
  host: 'one',
  pid: 42,
  version: '0.1.0',
  ready: true,
  facts: {},
};

describe('next_slots', () => {
  it('says when each channel sends next: now, in its slot, when it opens', async () => {
    await addDelivery(admin, workspaceId, 'news');
    await addChannel(admin, workspaceId, 'paced', {
      target_id: '-2',
      rate_group: 'other',
      rate_rps: 0.1,
      next_allowed_at: after(30),
    });
    await addDelivery(admin, workspaceId, 'paced');
    await addChannel(admin, workspaceId, 'paused', {
      target_id: '-3',
      paused_until: after(600),
      stopped_because: JSON.stringify({ operator: 'ann' }),
    });
    await addDelivery(admin, workspaceId, 'paused');
    await addChannel(admin, workspaceId, 'idle', { target_id: '-4' });
    const slots = await nextSlots(service, workspaceId, after(5));
    expect(slots.map(({ channelId, at }) => [channelId, at.toISOString()])).toEqual([
      ['news', after(5)],
      ['paced', after(30)],
      ['paused', after(600)],
    ]);
  });

  it('shows the slot that a claim has given out, and the next one behind it', async () => {
    await setChannel({ rate_rps: 0.1 });
    for (const _ of [1, 2, 3]) await addDelivery(admin, workspaceId, 'news');
    await claimDeliveries(service, { workspaceId, runId: 'run', limit: 2 }, start);
    const slots = await nextSlots(service, workspaceId, after(1));
    expect(slots.map(({ at }) => at.toISOString())).toEqual([after(10), after(20)]);
  });

  it('leaves out what waits for a person', async () => {
    await addDelivery(admin, workspaceId, 'news');
    await setGroup(admin, workspaceId, { closed_at: start, closed_auth_ref: 'bot' });
    expect(await nextSlots(service, workspaceId, after(1))).toEqual([]);
  });
});

describe('latest_failures', () => {
  it('has the deliveries that failed, the latest first, with the words of their posts', async () => {
    const payload = { title: 'Lost dog', text: 'Call +7 916 123-45-67' };
    const message_id = await addMessage(admin, workspaceId, { payload: JSON.stringify(payload) });
    const failed = {
      message_id,
      status: 'failed_permanent',
      last_error: JSON.stringify({ code: '400', message: 'Bad Request' }),
      rendered_text: '<b>Lost dog</b>',
    };
    await addChannel(admin, workspaceId, 'pets', { target_id: '-2' });
    await addDelivery(admin, workspaceId, 'pets', { ...failed, failed_at: after(20) });
    await addDelivery(admin, workspaceId, 'news', { ...failed, failed_at: after(10) });
    await addDelivery(admin, workspaceId, 'news');
    const found = await latestFailures(service, { workspaceId, limit: 5 }, after(30));
    expect(found.map(({ channelId }) => channelId)).toEqual(['pets', 'news']);
    expect(found[0]).toMatchObject({ excerpt: 'Lost dog', errorCode: '400' });
    expect(await latestFailures(service, { workspaceId, limit: 5 }, after(15))).toHaveLength(1);
  });
});

describe('post_excerpts', () => {
  it('has the beginnings of the posts of the workspace, masked, and of no other', async () => {
    const payload = { text: 'Lost dog,\ncall +7 916 123-45-67' };
    const own = await addMessage(admin, workspaceId, { payload: JSON.stringify(payload) });
    const other = await addNewWorkspace(database);
    const others = await addMessage(admin, other);
    const messageIds = [others, own];
    expect(await postExcerpts(service, { workspaceId, messageIds }, after(1))).toEqual(
      new Map([[own, 'Lost dog, call [phone]']]),
    );
  });
});

describe('list_services', () => {
  it('tells processes that work from those that do not, and from those that are silent', async () => {
    const facts = { store_refuses: 'the disk is full' };
    await beat(service, { ...process1, roles: ['dispatch', 'upkeep'] }, after(0));
    const other = '00000000-0000-4000-8000-00000000000';
    await beat(service, { ...process1, serviceId: `${other}2`, roles: ['pull'] }, after(40));
    await beat(
      service,
      { ...process1, serviceId: `${other}3`, roles: ['ingest'], ready: false, facts },
      after(41),
    );
    const found = await listServices(service, after(50));
    expect(found.map(({ roles, state, storeRefuses }) => [roles, state, storeRefuses])).toEqual([
      [['dispatch', 'upkeep'], 'silent', null],
      [['pull'], 'ready', null],
      [['ingest'], 'not_ready', 'the disk is full'],
    ]);
  });

  it('forgets a process that fell silent once it was started again on its host, as the metrics do', async () => {
    const pulls = (n: number, host: string) => ({
      ...process1,
      serviceId: `00000000-0000-4000-8000-00000000000${n}`,
      host,
      roles: ['pull'],
    });
    const states = async () => (await listServices(service, after(70))).map(({ state }) => state);
    const silent = async () => {
      const read = await service.query<{ value: number }>(
        `select value from outrider.read_metrics(100, 500, $1)
         where metric = 'outrider_services' and labels ->> 'state' = 'silent'`,
        [after(70)],
      );
      return read.rows[0]?.value;
    };
    await beat(service, pulls(1, 'one'), after(0));
    await beat(service, pulls(2, 'two'), after(60));
    expect([await states(), await silent()]).toEqual([['silent', 'ready'], 1]);
    await beat(service, pulls(3, 'one'), after(65));
    expect([await states(), await silent()]).toEqual([['ready', 'ready'], 0]);
  });
});

describe('bot_status', () => {
  it('counts what people wrote and what waits for whom', async () => {
    expect(await botStatus(service, workspaceId, after(1))).toMatchObject({ endpoints: 0 });
    const shop = await addBot(database);
    await say(service, { workspaceId: shop, text: 'qqqq zzzz', at: 1 });
    const status = await botStatus(service, shop, after(60));
    expect(status).toMatchObject({
      endpoints: expect.any(Number),
      messages_last_hour: 1,
      missed_last_hour: 1,
      waiting_turns: 0,
      waiting_replies: 1,
      waiting_for_a_person: 0,
      failed_last_day: 0,
    });
    expect(status.endpoints).toBeGreaterThan(0);
    expect(status.last_message_at).not.toBeNull();
  });
});
