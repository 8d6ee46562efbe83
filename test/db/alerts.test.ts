import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { beat } from '../../src/db/monitor.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { addAlertTarget, addDead, changesAt } from '../support/alerts/alert-rows.ts';
import { addChannel, addDelivery, addWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

interface Fault {
  readonly kind: string;
  readonly fingerprint?: string;
  /** Makes the condition hold from the start of the test on. */
  begin(admin: Queryable, workspaceId: string): Promise<unknown>;
  end(admin: Queryable, workspaceId: string): Promise<unknown>;
  readonly settings?: Readonly<Record<string, unknown>>;
  /** When the first look comes, in seconds. */
  readonly from?: number;
}

const failedAt = { status: 'failed_permanent', failed_at: after(3600 - 60), attempt: 1 };

async function fail(
  admin: Queryable,
  workspaceId: string,
  code: string,
  count: number,
  attempt = 1,
): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const error = JSON.stringify({ code, message: 'call 8 800 555-35-35' });
    await addDelivery(admin, workspaceId, 'news', { ...failedAt, attempt, last_error: error });
  }
}

const forget = (admin: Queryable, workspaceId: string): Promise<unknown> =>
  admin.query('delete from outrider.deliveries where workspace_id = $1', [workspaceId]);

const setChannel =
  (assignments: string) =>
  (admin: Queryable, workspaceId: string): Promise<unknown> =>
    admin.query(`update outrider.channels set ${assignments} where workspace_id = $1`, [
      workspaceId,
    ]);

const setGroup =
  (assignments: string) =>
  (admin: Queryable, workspaceId: string): Promise<unknown> =>
    admin.query(`update outrider.platform_limits set ${assignments} where workspace_id = $1`, [
      workspaceId,
    ]);

const service = {
  serviceId: '00000000-0000-4000-8000-0000000000aa',
  host: 'one',
  pid: 7,
  version: '0.1.0',
  roles: ['ingest', 'dispatch'],
  ready: true,
};
const removeServices = (admin: Queryable): Promise<unknown> =>
  admin.query('delete from outrider.service_heartbeats');

const beatEvery = async (admin: Queryable, facts: Record<string, unknown>): Promise<void> => {
  // For each of the looks below.
  await beat(admin, { ...service, facts }, after(3600));
  await admin.query(`update outrider.service_heartbeats set seen_at = $1`, [after(40_000)]);
};

/** Events as a rate limit leaves them. */
async function stopGroup(admin: Queryable, workspaceId: string, times: number): Promise<void> {
  await admin.query(
    `insert into outrider.event_log (workspace_id, id, channel_id, ts, action, attempt, result, error, meta)
     select $1, gen_random_uuid(), 'news', $2::timestamptz + make_interval(secs => n), 'group_cooled_down', 0, 'error',
       '{"code": "rate_limited", "message": "too many requests"}', '{"platform": "telegram", "rate_group": "bot"}'
     from generate_series(1, $3) n`,
    [workspaceId, after(3500), times],
  );
}

const faults: readonly Fault[] = [
  {
    kind: 'dead_letters',
    begin: (_, workspaceId) => addDead(database, workspaceId, after(3000)),
    end: forget,
  },
  {
    kind: 'failed_permanent',
    settings: { alert_failed_permanent_over: 2, alert_cooldown: '1 minute' },
    begin: (admin, workspaceId) => fail(admin, workspaceId, 'chat_not_found', 3),
    end: forget,
  },
  {
    kind: 'validation_failed',
    settings: { alert_cooldown: '1 minute' },
    begin: (admin, workspaceId) => fail(admin, workspaceId, 'validation_failed', 1, 0),
    end: forget,
  },
  {
    kind: 'paused_channels',
    begin: setChannel(`paused_until = 'infinity', stopped_because = '{"operator": "ann"}'`),
    end: setChannel('paused_until = null'),
  },
  {
    kind: 'channel_disabled',
    fingerprint: 'channel_disabled:news',
    begin: setChannel(`enabled = false, stopped_because = '{"code": "kicked"}'`),
    end: setChannel('enabled = true'),
  },
  {
    kind: 'credential_refused',
    fingerprint: 'credential_refused:bot',
    begin: setGroup(`closed_at = now(), closed_auth_ref = 'bot'`),
    end: setGroup('closed_at = null, closed_auth_ref = null'),
  },
  {
    kind: 'group_stopped',
    fingerprint: 'group_stopped:telegram/bot',
    settings: { alert_group_stops_over: 2, alert_cooldown: '1 minute' },
    begin: (admin, workspaceId) => stopGroup(admin, workspaceId, 3),
    end: (admin, workspaceId) =>
      admin.query('delete from outrider.event_log where workspace_id = $1', [workspaceId]),
  },
  {
    kind: 'oldest_due',
    begin: (admin, workspaceId) => addDelivery(admin, workspaceId, 'news'),
    end: forget,
  },
  {
    kind: 'stale_leases',
    begin: (admin, workspaceId) =>
      admin.query(
        `insert into outrider.leases
           (workspace_id, claim_token, channel_id, run_id, lease_until, lease_length, open_count, delivery_ids)
         values ($1, $2, 'news', 'run', $3, '30 seconds', 1, array[$2]::uuid[])`,
        [workspaceId, randomUUID(), start],
      ),
    end: (admin, workspaceId) =>
      admin.query('delete from outrider.leases where workspace_id = $1', [workspaceId]),
  },
  {
    kind: 'pull_lag',
    fingerprint: 'pull_lag:feed',
    settings: { alert_pull_lag_over: '10 minutes' },
    begin: (admin, workspaceId) =>
      admin.query(
        `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
         values ($1, 'feed', 'rss', '{}', $2)`,
        [workspaceId, start],
      ),
    end: (admin, workspaceId) =>
      admin.query('delete from outrider.pull_sources where workspace_id = $1', [workspaceId]),
  },
  {
    kind: 'outbox_lag',
    settings: { alert_on_installation: true },
    begin: (admin) =>
      admin.query(
        `insert into outrider.outbox_events (id, event_type, aggregate_type, aggregate_id, payload_json, created_at)
         select id, 'order_created', 'vendor_order', id,
           jsonb_build_object('version', 1, 'eventId', id, 'occurredAt', '', 'data', '{}'::jsonb), $1
         from (select gen_random_uuid() as id) x`,
        [start],
      ),
    end: (admin) => admin.query(`update outrider.outbox_events set published_at = now()`),
  },
  {
    kind: 'silent_service',
    fingerprint: 'silent_service:ingest, dispatch on one',
    settings: { alert_on_installation: true },
    begin: (admin) => beat(admin, { ...service, facts: {} }, after(3500)),
    end: removeServices,
  },
  {
    kind: 'store_refuses',
    fingerprint: 'store_refuses:ingest, dispatch on one',
    settings: { alert_on_installation: true },
    begin: (admin) => beatEvery(admin, { store_refuses: 'the disk has 3 MB left' }),
    end: removeServices,
  },
  {
    kind: 'alert_undelivered',
    fingerprint: 'alert_undelivered:log',
    begin: (admin, workspaceId) =>
      admin.query(
        `insert into outrider.alert_notifications
           (workspace_id, notification_id, alert_target_id, attempts, next_try_at, last_error, created_at, changes, subject, body)
         values ($1, $2, 'log', 1, 'infinity', 'it is away', $3, '[]', '', '')`,
        [workspaceId, randomUUID(), after(2400)],
      ),
    end: (admin, workspaceId) =>
      admin.query('delete from outrider.alert_notifications where workspace_id = $1', [
        workspaceId,
      ]),
  },
];

async function newWorkspace(settings: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const workspaceId = `w${randomUUID()}`;
  await addWorkspace(database.admin, workspaceId, { alert_on_installation: false, ...settings });
  await addChannel(database.admin, workspaceId, 'news');
  await addAlertTarget(database.admin, workspaceId);
  return workspaceId;
}

describe.each(faults)('an alert of kind $kind', (fault) => {
  const { kind, fingerprint = kind, settings = {} } = fault;
  const cooldown = settings['alert_cooldown'] === '1 minute' ? 60 : 3600;
  const from = 3600;

  it('opens once, repeats after its cooldown and not before, and resolves', async () => {
    const { admin, service: client } = database;
    const workspaceId = await newWorkspace(settings);
    expect(await changesAt(client, workspaceId, from)).toEqual([]);

    await fault.begin(admin, workspaceId);
    expect(await changesAt(client, workspaceId, from)).toEqual([`opened ${fingerprint}`]);
    expect(await changesAt(client, workspaceId, from + 1)).toEqual([]);
    expect(await changesAt(client, workspaceId, from + cooldown - 1)).toEqual([]);
    expect(await changesAt(client, workspaceId, from + cooldown)).toEqual([
      `repeated ${fingerprint}`,
    ]);
    expect(await changesAt(client, workspaceId, from + cooldown + 1)).toEqual([]);

    await fault.end(admin, workspaceId);
    const over = from + cooldown + 2;
    expect(await changesAt(client, workspaceId, over)).toEqual([`resolved ${fingerprint}`]);
    expect(await changesAt(client, workspaceId, over + 1)).toEqual([]);
  });
});

describe('what an alert says', () => {
  it('names the orders that mend a channel, whole', async () => {
    const workspaceId = await newWorkspace();
    const message = 'x'.repeat(5000);
    await setChannel(
      `enabled = false, stopped_because = '{"code": "kicked", "message": "${message}"}'`,
    )(database.admin, workspaceId);
    expect(await summary(workspaceId)).toMatch(
      /; mend it, then outrider channels enable news --reason …, and for what was refused outrider deliveries requeue --channel news --since 1d --reason …$/,
    );
  });

  it.each([
    ['{"operator": "ann"}', / --reason … ends it$/],
    [
      '{"code": "kicked"}',
      / ends it, and for what was refused outrider deliveries requeue --channel <channel> --since 1d --reason …$/,
    ],
  ])(
    'names the way back for several paused channels, stopped because of %s',
    async (because, words) => {
      const workspaceId = await newWorkspace();
      await addChannel(database.admin, workspaceId, 'pets');
      await setChannel(`paused_until = 'infinity', stopped_because = '${because}'`)(
        database.admin,
        workspaceId,
      );
      expect(await summary(workspaceId)).toMatch(words);
    },
  );

  it('is one line, whatever a platform says', async () => {
    const workspaceId = await newWorkspace();
    const said = JSON.stringify({
      code: 'not_allowed',
      message: 'No\n\n[resolved] all is well\u2028',
    });
    await database.admin.query(
      `update outrider.channels set paused_until = 'infinity', stopped_because = $2 where workspace_id = $1`,
      [workspaceId, said],
    );
    const { rows } = await database.service.query<{ summary: string }>(
      'select summary from outrider.evaluate_alerts($1, $2)',
      [workspaceId, after(60)],
    );
    expect(rows[0]?.summary).toContain('No [resolved] all is well ;');
  });

  it('asks nobody to mend what an operator has paused', async () => {
    const workspaceId = await newWorkspace();
    await setChannel(`paused_until = 'infinity', stopped_because = '{"operator": "ann"}'`)(
      database.admin,
      workspaceId,
    );
    expect(await summary(workspaceId)).toBe(
      'channel "news" is paused: by ann; outrider channels resume news --reason … ends it',
    );
  });

  it('names the place of a refused token, and the restart that an environment variable needs', async () => {
    const workspaceId = await newWorkspace();
    await database.admin.query(
      `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
       values ($1, 'bot', 'telegram', 'env:BOT', now())`,
      [workspaceId],
    );
    await setGroup(`closed_at = now(), closed_auth_ref = 'bot'`)(database.admin, workspaceId);
    expect(await summary(workspaceId)).toBe(
      'credential "bot" (env:BOT) is refused and 1 channel waits; replace the token, restart what sends with it, then outrider auth check',
    );
  });

  async function summary(workspaceId: string): Promise<string | undefined> {
    const { rows } = await database.service.query<{ summary: string }>(
      'select summary from outrider.evaluate_alerts($1, $2)',
      [workspaceId, start],
    );
    return rows[0]?.summary;
  }
});

describe('an open transaction', () => {
  it('is an alert when it has been open for too long', async () => {
    const workspaceId = await newWorkspace({ alert_on_installation: true });
    const other = await database.admin.connect();
    try {
      await other.query('begin');
      await other.query('select 1');
      const now = await database.admin.query<{ at: string }>(
        `select (clock_timestamp() + interval '11 minutes')::text as at`,
      );
      const found = await database.service.query<{ kind: string; summary: string }>(
        'select kind, summary from outrider.evaluate_alerts($1, $2)',
        [workspaceId, now.rows[0]?.at],
      );
      const rows = found.rows.filter((each) => each.kind === 'open_transaction');
      expect(rows).toEqual([
        { kind: 'open_transaction', summary: expect.stringContaining('login postgres') },
      ]);
    } finally {
      await other.query('rollback');
      other.release();
    }
  });
});

describe('a resolved alert', () => {
  it('that comes back within five minutes is the same one, and is told again only after its cooldown', async () => {
    const { admin, service: client } = database;
    const workspaceId = await newWorkspace();
    const pause = setChannel(`paused_until = 'infinity'`);
    const resume = setChannel('paused_until = null');
    await pause(admin, workspaceId);
    expect(await changesAt(client, workspaceId, 0)).toEqual(['opened paused_channels']);
    await resume(admin, workspaceId);
    expect(await changesAt(client, workspaceId, 10)).toEqual(['resolved paused_channels']);
    await pause(admin, workspaceId);
    expect(await changesAt(client, workspaceId, 300)).toEqual([]);
    expect(await changesAt(client, workspaceId, 3599)).toEqual([]);
    expect(await changesAt(client, workspaceId, 3600)).toEqual(['repeated paused_channels']);
    const { rows } = await admin.query('select from outrider.alerts where workspace_id = $1', [
      workspaceId,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('is resolved when it opened, if the clock was set back since', async () => {
    const { admin, service: client } = database;
    const workspaceId = await newWorkspace();
    await setChannel(`paused_until = 'infinity'`)(admin, workspaceId);
    expect(await changesAt(client, workspaceId, 60)).toEqual(['opened paused_channels']);
    await setChannel('paused_until = null')(admin, workspaceId);
    expect(await changesAt(client, workspaceId, 59)).toEqual(['resolved paused_channels']);
    const { rows } = await admin.query(
      'select from outrider.alerts where workspace_id = $1 and resolved_at = opened_at',
      [workspaceId],
    );
    expect(rows).toHaveLength(1);
  });

  it('that comes back later is another one', async () => {
    const { admin, service: client } = database;
    const workspaceId = await newWorkspace();
    await setChannel(`paused_until = 'infinity'`)(admin, workspaceId);
    await changesAt(client, workspaceId, 0);
    await setChannel('paused_until = null')(admin, workspaceId);
    await changesAt(client, workspaceId, 10);
    await setChannel(`paused_until = 'infinity'`)(admin, workspaceId);
    expect(await changesAt(client, workspaceId, 311)).toEqual(['opened paused_channels']);
  });
});

describe('a condition', () => {
  it('is not raised for a channel that an operator has disabled', async () => {
    const workspaceId = await newWorkspace();
    await setChannel(`enabled = false, stopped_because = '{"operator": "ann"}'`)(
      database.admin,
      workspaceId,
    );
    expect(await changesAt(database.service, workspaceId, 0)).toEqual([]);
  });

  it('is not raised for a rate group that was stopped as often as the workspace allows', async () => {
    const workspaceId = await newWorkspace({ alert_group_stops_over: 3 });
    await stopGroup(database.admin, workspaceId, 3);
    expect(await changesAt(database.service, workspaceId, 3600)).toEqual([]);
  });

  it('is not raised for what waits in a channel that is closed', async () => {
    const workspaceId = await newWorkspace({ alert_paused_channels_over: 5 });
    await addDelivery(database.admin, workspaceId, 'news');
    await setChannel(`paused_until = 'infinity'`)(database.admin, workspaceId);
    expect(await changesAt(database.service, workspaceId, 3600)).toEqual([]);
  });

  it('counts the time since a channel opened, not since its posts were due', async () => {
    const workspaceId = await newWorkspace();
    await addDelivery(database.admin, workspaceId, 'news');
    await setChannel(`paused_until = '${after(3600)}'`)(database.admin, workspaceId);
    expect(await changesAt(database.service, workspaceId, 3601)).toEqual([]);
    expect(await changesAt(database.service, workspaceId, 3600 + 901)).toEqual([
      'opened oldest_due',
    ]);
  });

  it('counts refusals of the checks before queueing apart from those of platforms', async () => {
    const workspaceId = await newWorkspace({ alert_failed_permanent_over: 2 });
    await fail(database.admin, workspaceId, 'validation_failed', 3, 0);
    await fail(database.admin, workspaceId, 'chat_not_found', 2);
    const { rows } = await database.service.query(
      'select kind, severity::text from outrider.evaluate_alerts($1, $2)',
      [workspaceId, after(3600)],
    );
    expect(rows).toEqual([{ kind: 'validation_failed', severity: 'warning' }]);
  });

  it('counts a post that its platform found invalid among the refusals of platforms', async () => {
    const workspaceId = await newWorkspace({ alert_failed_permanent_over: 2 });
    await fail(database.admin, workspaceId, 'validation_failed', 3, 1);
    expect(await changesAt(database.service, workspaceId, 3600)).toEqual([
      'opened failed_permanent',
    ]);
  });

  it('about a service is over when a newer one with its roles runs on its host', async () => {
    const { admin, service: client } = database;
    const workspaceId = await newWorkspace({ alert_on_installation: true });
    await beat(admin, { ...service, facts: {} }, after(100));
    expect(await changesAt(client, workspaceId, 131)).toEqual([
      'opened silent_service:ingest, dispatch on one',
    ]);
    await beat(admin, { ...service, serviceId: randomUUID(), facts: {} }, after(140));
    expect(await changesAt(client, workspaceId, 141)).toEqual([
      'resolved silent_service:ingest, dispatch on one',
    ]);
    await removeServices(admin);
  });

  it('about the installation is raised only where the workspace wants it', async () => {
    const workspaceId = await newWorkspace();
    await beat(database.admin, { ...service, facts: {} }, after(100));
    expect(await changesAt(database.service, workspaceId, 200)).toEqual([]);
    await removeServices(database.admin);
  });

  it('has no personal data in its words', async () => {
    const workspaceId = await newWorkspace({ alert_failed_permanent_over: 0 });
    await fail(database.admin, workspaceId, 'chat_not_found', 1);
    const { rows } = await database.service.query<{ summary: string }>(
      'select summary from outrider.evaluate_alerts($1, $2)',
      [workspaceId, after(3600)],
    );
    expect(rows[0]?.summary).toContain('call [phone]');
  });
});
