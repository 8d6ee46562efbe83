import { beforeEach, describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { tables } from '../support/database/catalogue.ts';
import { addChannel, addDelivery, addWorkspace, start } from '../support/database/seed.ts';
import { begin } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';

// start is the 2nd of March 2026. Days are those of UTC.

const database = await useDatabase();
const { admin, service } = database;
const sessions = useSessions();
await addWorkspace(admin, 'north');
await addChannel(admin, 'north', 'news');

beforeEach(async () => {
  for (const name of await partitions()) {
    if (name !== 'events_default') await admin.query(`drop table outrider.${name}`);
  }
  await admin.query('delete from outrider.event_log');
});

describe('the partitions of events', () => {
  it('are made for today and the days ahead', async () => {
    expect(await ensureEventPartitions(service, 2, start)).toEqual([
      'events_20260302',
      'events_20260303',
      'events_20260304',
    ]);
    expect(await bounds()).toEqual([
      "FOR VALUES FROM ('2026-03-02 00:00:00+00') TO ('2026-03-03 00:00:00+00')",
      "FOR VALUES FROM ('2026-03-03 00:00:00+00') TO ('2026-03-04 00:00:00+00')",
      "FOR VALUES FROM ('2026-03-04 00:00:00+00') TO ('2026-03-05 00:00:00+00')",
      'DEFAULT',
    ]);
  });

  // In Cairo the 24th of April 2026 begins at one o'clock.
  it.each(['Asia/Kamchatka', 'America/Los_Angeles', 'Africa/Cairo'])(
    'are days of UTC when the session is in %s',
    async (zone) => {
      const client = await service.connect();
      try {
        await client.query(`set timezone = '${zone}'`);
        const made = await ensureEventPartitions(client, 2, '2026-04-24T23:30:00Z');
        expect(made).toEqual(['events_20260424', 'events_20260425', 'events_20260426']);
      } finally {
        client.release(true);
      }
      expect(await bounds()).toContain(
        "FOR VALUES FROM ('2026-04-26 00:00:00+00') TO ('2026-04-27 00:00:00+00')",
      );
    },
  );

  it('are made once', async () => {
    await ensureEventPartitions(service, 2, start);
    expect(await ensureEventPartitions(service, 2, start)).toEqual([]);
    expect(await ensureEventPartitions(service, 3, start)).toEqual(['events_20260305']);
  });

  it('go on over the end of a month and of a year', async () => {
    expect(await ensureEventPartitions(service, 1, '2026-12-31T12:00:00Z')).toEqual([
      'events_20261231',
      'events_20270101',
    ]);
  });

  it('are made once by two callers at once, each of which ends', async () => {
    const made = await Promise.all([
      ensureEventPartitions(service, 9, start),
      ensureEventPartitions(service, 9, start),
      ensureEventPartitions(service, 9, start),
    ]);
    expect(made.flat()).toHaveLength(10);
    expect(await partitions()).toHaveLength(11);
  });

  it('hold up no event of another day while they are made', async () => {
    await ensureEventPartitions(service, 0, start);
    const maker = await service.connect();
    const writer = await admin.connect();
    try {
      await maker.query('begin');
      expect(await ensureEventPartitions(maker, 2, start)).toHaveLength(2);
      await writer.query("set lock_timeout = '1ms'");
      await writeEvent(start, writer);
    } finally {
      await maker.query('commit');
      maker.release();
      writer.release(true);
    }
    expect(await placesOfEvents()).toEqual({ '2026-03-02 10:00:00+00': 'events_20260302' });
  });

  it('are looked for before anything is locked: when none is missing, nobody is waited for', async () => {
    await ensureEventPartitions(service, 1, start);
    const holder = await sessions.open(admin);
    await holder.client.query('lock table outrider.event_log, outrider.events_default');
    expect(await ensureEventPartitions(service, 1, start)).toEqual([]);
  });

  it('are left to whoever is making them', async () => {
    const [maker, other] = [await sessions.open(service), await sessions.open(service)];
    expect(await ensureEventPartitions(maker.client, 1, start)).toHaveLength(2);
    expect(await ensureEventPartitions(other.client, 1, start)).toEqual([]);
    await maker.rollback();
    expect(await ensureEventPartitions(other.client, 1, start)).toHaveLength(2);
  });

  it('are not made while a reader of events keeps its transaction open, which is said by its process', async () => {
    const tenant = await database.connectAs({ workspaces: ['north'], roles: ['outrider_reader'] });
    const reader = await sessions.open(tenant);
    await reader.client.query('select from outrider.events');
    await expect(ensureEventPartitions(service, 1, start)).rejects.toMatchObject({
      code: 'database_busy',
      message: `partitions of events cannot be made before these processes end their transactions: ${reader.pid}`,
    });
    expect(await partitions()).toEqual(['events_default']);
    await writeEvent(start);
    await reader.commit();
    // The server tells of a failure before it has let go of the locks.
    await vi.waitFor(
      async () => expect(await ensureEventPartitions(service, 1, start)).toHaveLength(2),
      30_000,
    );
    expect(await placesOfEvents()).toEqual({ '2026-03-02 10:00:00+00': 'events_20260302' });
  });

  it('are made whatever advisory locks a stranger takes', async () => {
    const stranger = await sessions.open(await database.connectAs({}));
    await stranger.client.query(
      "select pg_advisory_xact_lock(hashtext('outrider.ensure_event_partitions'))",
    );
    expect(await ensureEventPartitions(service, 0, start)).toEqual(['events_20260302']);
  });

  it('are made under a lock that no tenant can take', async () => {
    const tenant = await database.connectAs({ workspaces: ['north'], roles: ['outrider_reader'] });
    const session = await sessions.open(tenant);
    const lock = 'lock table outrider.event_log in share update exclusive mode';
    await expect(session.client.query(lock)).rejects.toThrow('permission denied');
  });

  it('let an event of today wait until they are made, which then is in its own', async () => {
    const [maker, writer] = [await sessions.open(service), await sessions.open(admin)];
    await ensureEventPartitions(maker.client, 1, start);
    const written = begin(writeEvent(start, writer.client));
    await writer.waitsFor(maker, written);
    await maker.commit();
    await written;
    await writer.commit();
    expect(await placesOfEvents()).toEqual({ '2026-03-02 10:00:00+00': 'events_20260302' });
  });

  it('take in what is written while they are made', async () => {
    const [writer, maker] = [await sessions.open(admin), await sessions.open(service)];
    await writeEvent(start, writer.client);
    const made = begin(ensureEventPartitions(maker.client, 0, start));
    await maker.waitsFor(writer, made);
    await writer.commit();
    expect(await made).toEqual(['events_20260302']);
    await maker.commit();
    expect(await placesOfEvents()).toEqual({ '2026-03-02 10:00:00+00': 'events_20260302' });
  });

  it('take in what had strayed into the default one, and lose nothing', async () => {
    await writeEvent('2026-03-01T23:59:59.999999Z');
    await writeEvent('2026-03-02T00:00:00Z');
    await writeEvent('2026-03-03T23:59:59.999999Z');
    await writeEvent('2026-03-04T00:00:00Z');
    const before = await rows();
    await ensureEventPartitions(service, 1, start);
    expect(await rows()).toEqual(before);
    expect(await placesOfEvents()).toEqual({
      '2026-03-01 23:59:59.999999+00': 'events_default',
      '2026-03-02 00:00:00+00': 'events_20260302',
      '2026-03-03 23:59:59.999999+00': 'events_20260303',
      '2026-03-04 00:00:00+00': 'events_default',
    });
  });

  it('hold the events of their day', async () => {
    await ensureEventPartitions(service, 1, start);
    await addDelivery(admin, 'north', 'news');
    await claimDeliveries(service, { workspaceId: 'north', runId: 'run', limit: 1 }, start);
    expect(await placesOfEvents()).toEqual({ '2026-03-02 10:00:00+00': 'events_20260302' });
  });

  it('take their events with them when they are dropped, packed ones too', async () => {
    await ensureEventPartitions(service, 1, start);
    await addDelivery(admin, 'north', 'news');
    await claimDeliveries(service, { workspaceId: 'north', runId: 'run', limit: 1 }, start);
    await writeEvent(start);
    await writeEvent('2026-03-03T00:00:00Z');
    await admin.query('drop table outrider.events_20260302');
    const left = await admin.query('select ts from outrider.events');
    expect(left.rows).toEqual([{ ts: '2026-03-03 00:00:00+00' }]);
  });

  it('belong to the owner and force row security', async () => {
    await ensureEventPartitions(service, 1, start);
    const found = (await tables(admin)).filter((table) => table.partition);
    expect(found).toHaveLength(3);
    for (const { name, owner, enabled, forced } of found) {
      expect({ name, owner, enabled, forced }).toEqual({
        name,
        owner: 'outrider_owner',
        enabled: true,
        forced: true,
      });
    }
  });

  it('have every index and every constraint of events', async () => {
    await ensureEventPartitions(service, 0, start);
    expect(await shapeOf('events_20260302')).toEqual(await shapeOf('event_log'));
  });

  it('let a tenant read its own events and no others through events', async () => {
    await addWorkspace(admin, 'south');
    await ensureEventPartitions(service, 0, start);
    await writeEvent(start);
    await writeEvent(start, admin, 'south');
    const tenant = await database.connectAs({ workspaces: ['south'], roles: ['outrider_reader'] });
    const seen = await tenant.query('select workspace_id from outrider.events');
    expect(seen.rows).toEqual([{ workspace_id: 'south' }]);
  });
});

describe('the timeline of a delivery', () => {
  it('is read from an index in each partition', async () => {
    await ensureEventPartitions(service, 2, start);
    await admin.query(
      `insert into outrider.event_log
         (workspace_id, id, delivery_id, ts, action, attempt, result)
       select 'north', gen_random_uuid(), gen_random_uuid(), $1::timestamptz + n * interval '1 minute',
         'sent', 1, 'ok'
       from generate_series(0, 5 * 24 * 60) n`,
      [start],
    );
    await admin.query('analyze outrider.event_log');
    const plan = await queryRows(
      admin,
      z.object({ 'QUERY PLAN': z.string() }),
      `explain (costs off) select * from outrider.events
       where workspace_id = 'north' and delivery_id = '00000000-0000-4000-8000-000000000001'
       order by ts`,
    );
    const lines = plan.map((row) => row['QUERY PLAN']).filter((line) => / on events/.test(line));
    const byIndex = (index: string): number =>
      lines.filter((line) => line.includes('Bitmap Index Scan') && line.includes(index)).length;
    expect(byIndex('_delivery_id_workspace_id_idx')).toBe(4);
    expect(byIndex('_workspace_id_ts_message_id_idx')).toBe(3 * 4);
    expect(lines.filter((line) => /Seq Scan/.test(line))).toEqual([]);
  });
});

async function partitions(): Promise<string[]> {
  return (await tables(admin)).filter((table) => table.partition).map((table) => table.name);
}

async function bounds(): Promise<string[]> {
  const found = await queryRows(
    admin,
    z.object({ bound: z.string() }),
    `select pg_get_expr(relpartbound, oid) as bound from pg_class
     where relnamespace = 'outrider'::regnamespace and relispartition and relkind = 'r'
     order by relname`,
  );
  return found.map((row) => row.bound);
}

async function writeEvent(
  ts: string,
  client: Queryable = admin,
  workspaceId = 'north',
): Promise<void> {
  await client.query(
    `insert into outrider.event_log (workspace_id, id, ts, action, attempt, result)
     values ($1, gen_random_uuid(), $2, 'channel_enabled', 0, 'ok')`,
    [workspaceId, ts],
  );
}

async function rows(): Promise<unknown> {
  return queryRow(
    admin,
    z.object({ rows: z.string() }),
    'select jsonb_agg(to_jsonb(e) order by e.ts, e.id)::text as rows from outrider.event_log e',
  );
}

/** The partition that holds each event, by its time. */
async function placesOfEvents(): Promise<Record<string, string>> {
  const found = await queryRows(
    admin,
    z.object({ ts: z.string(), place: z.string() }),
    'select ts, (select relname from pg_class where oid = e.tableoid) as place from outrider.event_log e',
  );
  return Object.fromEntries(found.map((row) => [row.ts, row.place]));
}

/** Columns, defaults, keys and indexes of a table, with its own name left out. */
async function shapeOf(table: string): Promise<unknown> {
  return queryRow(
    admin,
    z.object({ columns: z.unknown(), indexes: z.unknown(), checks: z.unknown() }),
    `select
       (select jsonb_agg(jsonb_build_array(
          a.attname, format_type(a.atttypid, null), a.attnotnull, a.attcollation::regcollation::text,
          pg_get_expr(d.adbin, d.adrelid)) order by a.attnum)
        from pg_attribute a
        left join pg_attrdef d on d.adrelid = a.attrelid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0) as columns,
       (select jsonb_agg(x.shape order by x.shape) from (
          select regexp_replace(pg_get_indexdef(i.indexrelid), '^.* USING ', case when i.indisunique then 'unique ' else '' end) as shape
          from pg_index i where i.indrelid = c.oid) x) as indexes,
       (select jsonb_agg(k.conname || ' ' || pg_get_constraintdef(k.oid) order by k.conname)
        from pg_constraint k where k.conrelid = c.oid and k.contype = 'c') as checks
     from pg_class c where c.oid = $1::regclass`,
    [`outrider.${table}`],
  );
}
