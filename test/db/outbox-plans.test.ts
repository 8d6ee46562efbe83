import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { fill } from '../support/database/bulk-rows.ts';
import { after, start } from '../support/database/seed.ts';
import { least, meter, type Reading } from '../support/database/statement-meter.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { aggregateId } from '../support/outbox/outbox-events.ts';

// What a fetch reads is what it takes: not the backlog, not the history, not what is stuck at the head.

const database = await useDatabase();

/** One connection for all: it makes its plans while the tables are empty, and keeps them. */
let publisher: pg.PoolClient;

/** What a fetch of 50 reads when 200 events wait and nothing else is there. */
const quiet: Partial<Record<Order, Reading>> = {};

type Order = 'none' | 'aggregate';
const orders = ['none', 'aggregate'] as const;

beforeAll(async () => {
  // No statistics, and none that autovacuum would gather meanwhile.
  for (const table of ['outbox_events', 'outbox_backoff', 'outbox_parked']) {
    await database.admin.query(`alter table outrider.${table} set (autovacuum_enabled = off)`);
  }
  publisher = await database.service.connect();
  await emptied();
  for (const order of orders) quiet[order] = await cheapest(order);
});

beforeEach(() => emptied());

afterAll(async () => {
  publisher.release();
});

function fetch(order: Order): Promise<Reading> {
  const text = 'select * from outrider.fetch_unpublished($1, $2, $3, $4)';
  return meter(publisher, text, [50, 10, order, start]);
}

async function cheapest(order: Order): Promise<Reading> {
  return least([await fetch(order), await fetch(order), await fetch(order)]);
}

/** Nothing but 200 events of as many aggregates, and plans that were made before they came, or after. */
async function emptied(planned: 'before' | 'after' = 'before'): Promise<void> {
  const tables = 'outrider.outbox_events, outrider.outbox_backoff, outrider.outbox_parked';
  await fill(database.admin, [{ text: `truncate ${tables}` }]);
  if (planned === 'before') for (const order of orders) await fetch(order);
  await fill(database.admin, [events({ count: 200 })]);
  if (planned === 'after') for (const order of orders) await fetch(order);
}

interface Bulk {
  readonly count: number;
  /** Seconds after those that are always there. */
  readonly at?: number;
  /** SQL, of n. */
  readonly aggregate?: string;
  readonly published?: boolean;
  readonly failed?: number;
}

/** Untried ones, unless told otherwise. */
function events(bulk: Bulk): { text: string; values: unknown[] } {
  const { count, at = 0, aggregate = 'gen_random_uuid()', published = false, failed = 0 } = bulk;
  return {
    text: `insert into outrider.outbox_events
        (id, event_type, aggregate_type, aggregate_id, payload_json, created_at, published_at, attempt_count, last_error)
      select x.id, 'ad_activated', 'ad', ${aggregate},
        jsonb_build_object('version', 1, 'eventId', x.id, 'occurredAt', $1::text, 'data', jsonb_build_object('n', n)),
        $1::timestamptz + n * interval '1 millisecond', case when $3 then $1::timestamptz end, $4,
        case when $4 > 0 then 'no' end
      from (select gen_random_uuid() as id, n from generate_series(1, $2) n offset 0) x`,
    values: [after(at), count, published, failed],
  };
}

/** All that failed are put off to that time. */
function backoff(until: string): { text: string; values: unknown[] } {
  return {
    text: `insert into outrider.outbox_backoff (event_id, attempt_count, not_before, failed_at)
      select id, attempt_count, $1, $1 from outrider.outbox_events where attempt_count > 0`,
    values: [until],
  };
}

/** What is read beyond that: by the plans of an empty table, and by those that statistics lead to. */
async function excess(order: Order): Promise<string[]> {
  const withoutStatistics = judge(await cheapest(order), order);
  await database.admin.query(
    'analyze outrider.outbox_events, outrider.outbox_backoff, outrider.outbox_parked',
  );
  return [...withoutStatistics, ...judge(await cheapest(order), order)];
}

// An index that has grown has a level more, and entries of what is over are cleared away a little later. A plan that goes
// wrong reads a hundred times as much.
const tolerance = 2.5;

function judge(now: Reading, order: Order): string[] {
  const before = quiet[order];
  if (before === undefined) throw new Error('nothing to compare with');
  expect(now.rows).toBe(50);
  return [
    ...(now.passed > before.passed * 1.1
      ? [`rows: ${now.passed} instead of ${before.passed}`]
      : []),
    ...(now.pages > before.pages * tolerance
      ? [`pages: ${now.pages} instead of ${before.pages}`]
      : []),
    ...now.readWhole.map((table) => `all of ${table}`),
  ];
}

describe.each(orders)('a fetch reads no more (order: %s)', (order) => {
  it('than a few rows and pages for each event', () => {
    const reading = quiet[order];
    expect(reading).toMatchObject({ rows: 50, readWhole: [] });
    expect(reading?.passed).toBeLessThan(50 * (order === 'none' ? 5 : 30));
    expect(reading?.pages).toBeLessThan(50 * (order === 'none' ? 10 : 60));
  });

  it('with a backlog of 10,000', async () => {
    await fill(database.admin, [events({ count: 10_000, at: 3600 })]);
    expect(await excess(order)).toEqual([]);
  });

  it('with a backlog of 10,000 about one aggregate', async () => {
    await fill(database.admin, [
      events({ count: 10_000, at: -3600, aggregate: `'${aggregateId(1)}'::uuid` }),
    ]);
    expect(await excess(order)).toEqual([]);
  });

  it('with a history of 10,000, half of it about the aggregates that wait', async () => {
    await fill(database.admin, [
      events({ count: 5000, at: -3600, published: true }),
      {
        text: `insert into outrider.outbox_events
            (id, event_type, aggregate_type, aggregate_id, payload_json, created_at, published_at)
          select x.id, x.event_type, x.aggregate_type, x.aggregate_id,
            jsonb_build_object('version', 1, 'eventId', x.id, 'occurredAt', '', 'data', 1), x.created_at, x.created_at
          from (
            select gen_random_uuid() as id, event_type, aggregate_type, aggregate_id, created_at
            from outrider.outbox_events, generate_series(1, 25)
            where published_at is null
            offset 0
          ) x`,
      },
    ]);
    expect(await excess(order)).toEqual([]);
  });

  it('with 5,000 events at the head that are in backoff', async () => {
    await fill(database.admin, [events({ count: 5000, at: -3600, failed: 4 }), backoff(after(60))]);
    expect(await excess(order)).toEqual([]);
  });

  it('with 5,000 events at the head that were given up', async () => {
    await fill(database.admin, [
      events({ count: 5000, at: -3600, failed: 10 }),
      backoff(after(-60)),
    ]);
    expect(await excess(order)).toEqual([]);
  });

  it('when 2,000 events have been published since, a batch at a time', async () => {
    await fill(database.admin, [events({ count: 3000, at: 60 })]);
    for (let n = 0; n < 40; n += 1) {
      await publisher.query(
        `with taken as materialized (select event_id from outrider.fetch_unpublished($1, $2, $3, $4))
         select outrider.mark_published((select array_agg(event_id) from taken), $4)`,
        [50, 10, order, start],
      );
    }
    expect(await excess(order)).toEqual([]);
  });
});

describe.each(orders)(
  'by plans that were made for 200 events it reads no more (order: %s)',
  (order) => {
    it('with a backlog of 5,000, a history and 2,000 failures at the head', async () => {
      await emptied('after');
      await fill(database.admin, [
        events({ count: 5000, at: 3600 }),
        events({ count: 5000, at: -3600, published: true }),
        events({ count: 2000, at: -3600, failed: 4 }),
        backoff(after(60)),
      ]);
      expect(await excess(order)).toEqual([]);
    });
  },
);

describe('beside a fetch, nothing reads more with a backlog and a history of 5,000 each', () => {
  const aggregate = aggregateId(1);
  const id = aggregateId(2);
  const calls = {
    emit_event: ["'ad_paused', 'ad', $1, '{}'", [id]],
    mark_published: ['$1, $2', [[id], start]],
    mark_publish_failed: ['$1, 10, $2', [JSON.stringify([{ event_id: id, error: 'no' }]), start]],
    next_publish_at: ['10, $1', [start]],
    replay_outbox_events: ["$1, null, false, 'ann', 'again', 10, $2", [[id], start]],
    list_outbox_events: ['false, null, 5, null', []],
    purge_outbox_events: ["'1 hour', 5, $1", [after(7200)]],
  } as const;

  it.each(Object.entries(calls))('%s', async (name, [args, values]) => {
    const retention = await database.connectAs({ roles: ['outrider_retention'] });
    const pool = name === 'purge_outbox_events' ? retention : database.admin;
    const client = await pool.connect();
    const text = `select * from outrider.${name}(${args})`;
    const once = (): Promise<Reading> => meter(client, text, [...values], 'rollback');
    const read = async (): Promise<Reading> => least([await once(), await once(), await once()]);
    const one = {
      text: `insert into outrider.outbox_events (id, event_type, aggregate_type, aggregate_id, payload_json)
        values ($1::uuid, 'ad_paused', 'ad', $1, jsonb_build_object('version', 1, 'eventId', $1::uuid, 'occurredAt', '', 'data', 1))`,
      values: [id],
    };
    const history = events({ count: 10, at: -7200, published: true });
    await read(); // makes its plan while there is next to nothing
    await fill(database.admin, [one, history]);
    const before = await read();
    await emptied();
    await read();
    await fill(database.admin, [
      one,
      history,
      events({ count: 5000, at: -3600, aggregate: `'${aggregate}'::uuid` }),
      events({ count: 5000, at: -3600, aggregate: `'${aggregate}'::uuid`, published: true }),
    ]);
    const now = await read();
    client.release();
    expect(now.rows).toBe(before.rows);
    expect(now.readWhole).toEqual([]);
    expect(now.passed).toBeLessThanOrEqual(before.passed + 5);
    expect(now.pages).toBeLessThanOrEqual(before.pages * 2 + 20);
  });

  it('emit_event, where nearly all that waits is known to be of one other aggregate', async () => {
    await fill(database.admin, [
      events({ count: 5000, at: -3600, aggregate: `'${aggregate}'::uuid` }),
    ]);
    await database.admin.query('analyze outrider.outbox_events');
    const client = await database.admin.connect();
    const text = `select outrider.emit_event('ad_paused', 'ad', $1, '{}')`;
    const readings: Reading[] = [];
    for (let n = 0; n < 3; n += 1) readings.push(await meter(client, text, [id]));
    client.release();
    expect(least(readings).passed).toBeLessThan(5);
    expect(least(readings).pages).toBeLessThan(100);
  });
});

describe('in the order of aggregates', () => {
  it('8,000 events behind 2,000 that are stuck are met once, and no more', async () => {
    await fill(database.admin, [
      events({ count: 2000, at: -7200, aggregate: `md5(n::text)::uuid`, failed: 10 }),
      backoff(after(-60)),
      events({ count: 8000, at: -3600, aggregate: `md5((1 + n % 2000)::text)::uuid` }),
    ]);
    for (let rows = 0; rows === 0; ) ({ rows } = await fetch('aggregate'));
    await fetch('aggregate');
    expect(await excess('aggregate')).toEqual([]);
  });

  it('a second publisher does not walk the line of the first, and passes over a few thousand at most', async () => {
    const line = `'${aggregateId(1)}'::uuid`;
    await fill(database.admin, [events({ count: 50_000, at: -3600, aggregate: line })]);
    const first = await database.service.connect();
    await first.query('begin');
    await first.query("select from outrider.fetch_unpublished(50, 10, 'aggregate', $1)", [start]);
    const reading = await fetch('aggregate');
    await first.query('rollback');
    first.release();
    expect(reading.rows).toBe(0);
    expect(reading.passed).toBeLessThan(5 * 5200);
  });

  it('4,000 events behind one that is stuck are let go a thousand at a time, in their order', async () => {
    const line = `'${aggregateId(1)}'::uuid`;
    await fill(database.admin, [
      events({ count: 1, at: -7200, aggregate: line, failed: 10 }),
      backoff(after(-60)),
      events({ count: 4000, at: -3600, aggregate: line }),
    ]);
    await fetch('aggregate');
    const parked = async (): Promise<number> => {
      const { rows } = await database.admin.query<{ n: number }>(
        'select count(*)::integer as n from outrider.outbox_parked',
      );
      return rows[0]?.n ?? -1;
    };
    expect(await parked()).toBe(4000);
    const ids = 'select array_agg(id) from outrider.outbox_events where attempt_count > 0';
    await database.admin.query(`select outrider.mark_published((${ids}))`);
    expect(await parked()).toBe(3000);
    const published: string[] = [];
    for (let batch = ['']; batch.length > 0; published.push(...batch)) {
      const { rows } = await database.admin.query<{ created_at: string }>(
        `with taken as materialized (
           select * from outrider.fetch_unpublished(1000, 10, 'aggregate', $1)
         ), marked as materialized (
           select outrider.mark_published(array_agg(event_id), $1) from taken having count(*) > 0
         )
         select t.created_at from taken t, (select count(*) from marked) m order by 1`,
        [after(published.length)],
      );
      batch = rows.map((row) => row.created_at);
    }
    expect(published).toHaveLength(200 + 4000);
    const ofTheLine = published.filter((createdAt) => createdAt < start);
    expect(ofTheLine).toEqual(ofTheLine.toSorted());
    expect(await parked()).toBe(0);
  });
});
