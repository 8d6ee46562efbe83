import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { enqueueBatch, enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { keepMediaOrigin } from '../../src/db/media.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { reconcileEvents, reconcileMedia } from '../../src/db/retention.ts';
import { addChannel, addWorkspace, after } from '../support/database/seed.ts';
import { openDatabase, type TestDatabase } from '../support/database/test-database.ts';
import { addEndpoint, take, verdicts } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';
import { purgeAll } from '../support/queue/purging.ts';

// A year, day by day. Every noon a hundred posts come in, seven of them through intake and the others as rows that an enqueue
// would leave. Each goes to one to three of the forty channels. They are claimed, sent or refused, and the purge runs.
// Workspace `year` has the default retentions, and channels with longer and shorter dedup windows; `brief` keeps
// events exactly as long as deliveries, ten days.

const firstNoon = '2026-01-01T12:00:00.000Z';
const noon = (day: number): string => after(day * 86_400, firstNoon);
const insertedADay = 93;
const takenADay = 4;
const channels = Array.from({ length: 40 }, (_, n) => `c${String(n).padStart(2, '0')}`);
const lastDay = 365;

interface DayEnd {
  readonly day: number;
  readonly orphans: number;
  /** How many days ago the oldest of each was sent, failed or seen; looked at from day 300 on. */
  readonly ages: Readonly<Record<string, number | null>>;
}

let database: TestDatabase;
/** One connection for all: partitions that come and go make every connection plan anew. */
let service: pg.PoolClient;
const dayEnds: DayEnd[] = [];
const sizes = new Map<number, Record<string, number>>();
const verdictsOfEvergreen = new Map<number, string>();
const dropped: number[] = [];

beforeAll(async () => {
  database = await openDatabase();
  service = await database.service.connect();
  const { admin } = database;
  await addWorkspace(admin, 'year');
  for (const [n, id] of channels.entries()) {
    await addChannel(admin, 'year', id, {
      route_filter: JSON.stringify({ include_any: [`to-${n}`] }),
      dedup_ttl_hours: n === 0 ? 200 * 24 : n === 1 ? null : n === 2 ? 0 : 168,
    });
  }
  await addEndpoint(admin, 'year', 'secret');
  await addWorkspace(admin, 'brief', { events_retention: '10 days' });
  await admin.query(
    "update outrider.workspace_settings set deliveries_retention = '10 days' where workspace_id = 'brief'",
  );
  await addChannel(admin, 'brief', 'only');
  for (let day = 0; day <= lastDay; day += 1) await liveThrough(day);
}, 300_000);

afterAll(async () => {
  service.release();
  await database.close();
});

describe('a year of forty channels and a hundred posts a day, with faults', () => {
  it('leaves no event without its delivery, message and channel on any day', () => {
    expect(dayEnds.filter((each) => each.orphans > 0)).toEqual([]);
    expect(dayEnds).toHaveLength(lastDay + 1);
  });

  it('makes a partition for each day and drops it when its events are thirty days old', () => {
    const drops = dropped.map((count, day) => [day, count]).filter(([, count]) => count !== 0);
    // Noon of the 31st day after: the day itself has to be over for thirty days.
    expect(drops[0]).toEqual([31, 1]);
    expect(drops).toHaveLength(lastDay - 30);
    expect(sizes.get(lastDay)?.['partitions']).toBe(sizes.get(200)?.['partitions']);
  });

  it.each([
    ['events', 30, 31],
    ['events of brief', 9, 10],
    ['sent', 89, 90],
    ['sent with a long window', 199, 200],
    ['failed', 89, 90],
    ['sent of brief', 9, 10],
    ['messages', 89, 201],
    ['runs', 29, 30],
    ['receipts', 1, 2],
  ])('keeps %s as long as it must, to the day: %i to %i days', (kind, least, most) => {
    const found = dayEnds.slice(300).map((each) => each.ages[kind] ?? 0);
    expect(Math.min(...found)).toBeGreaterThanOrEqual(least);
    expect(Math.max(...found)).toBeLessThanOrEqual(most);
  });

  it('lets the tables level off: on day 365 they have as many rows as on day 200', () => {
    const [early, end] = [sizes.get(200) ?? {}, sizes.get(lastDay) ?? {}];
    for (const [table, count] of Object.entries(end)) {
      expect([table, count / (early[table] ?? 0)]).toEqual([table, expect.closeTo(1, 1)]);
    }
  });

  it('suppresses a repeat within a window of 200 days, after the purge of everything of its age', () => {
    expect(Object.fromEntries(verdictsOfEvergreen)).toEqual({
      5: 'queued',
      100: 'deduped',
      150: 'deduped',
      205: 'deduped',
      206: 'queued',
    });
  });

  it('counts right how many messages name each blob', async () => {
    expect(await reconcileMedia(service, 'year')).toEqual([]);
    const { used } = await queryRow(
      database.admin,
      z.object({ used: z.coerce.number() }),
      "select count(*) as used from outrider.media_origin where workspace_id = 'year' and ref_count > 0",
    );
    expect(used).toBeLessThan(100);
    expect(used).toBeGreaterThan(80);
  });
});

async function liveThrough(day: number): Promise<void> {
  const now = noon(day);
  await ensureEventPartitions(service, 1, now);
  await post(day, now);
  await send('year', day, now);
  await send('brief', day, now);
  const purged = await purgeAll(service, now);
  dropped.push(purged['event_partitions'] ?? 0);
  dayEnds.push({ day, orphans: await orphans(day, now), ages: day < 300 ? {} : await ages(now) });
  if (day === 200 || day === lastDay) sizes.set(day, await rows());
}

async function post(day: number, now: string): Promise<void> {
  await insertPosts(day, now);
  const items = Array.from({ length: takenADay }, (_, n) => ({
    text: `Post ${n} of day ${day}`,
    tags: [`to-${(day + n * 5) % channels.length}`, `to-${(day * 3 + n) % channels.length}`],
  }));
  await enqueueBatch(service, { workspaceId: 'year', kind: 'pull', items }, now);
  const sha256 = '0'.repeat(64);
  const origin = { originUrl: 'file:photo', sha256, contentType: 'image/png', sizeBytes: 1 };
  const blobRef = `photo-${day}`;
  await keepMediaOrigin(service, { workspaceId: 'year', blobRef, ...origin }, now);
  const media = [{ type: 'image', blob_ref: blobRef }];
  await take(service, 'year', { text: `Photo of day ${day}`, media, tags: ['to-3'] }, now);
  const rawPayload = { text: `Push of day ${day}`, source_ref: `push-${day}`, tags: ['to-4'] };
  const push = { workspaceId: 'year', endpointId: 'push', kind: 'push', rawPayload } as const;
  await enqueueMessagesAndDeliveries(service, push, now);
  await take(service, 'brief', { text: `Post of day ${day}` }, now);
  if ([5, 100, 150, 205, 206].includes(day)) {
    const repeated = await take(service, 'year', { text: 'Evergreen', tags: ['to-0'] }, now);
    verdictsOfEvergreen.set(day, verdicts(repeated)['c00'] ?? '');
  }
}

/** Posts as an enqueue leaves them: messages, deliveries to one, two or three channels each, and their events. */
async function insertPosts(day: number, now: string): Promise<void> {
  await database.admin.query(
    `with posts as (
       select n, gen_random_uuid() as message_id, encode(sha256(format('%s/%s', $1::int, n)::bytea), 'hex') as hash
       from generate_series(1, $3::int) n
     ),
     kept as (
       insert into outrider.messages
         (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
       select 'year', message_id, hash, '{"type": "text", "text": "A post"}', 'trace', $2, $2 from posts
     ),
     made as (
       insert into outrider.deliveries
         (workspace_id, delivery_id, status, attempt_limit, not_before, updated_at, created_at, message_id, channel_id,
          occurrence, hash_version, trace_id, content_hash, rendered_text)
       select 'year', gen_random_uuid(), 'queued', 5, $2, $2, $2, message_id,
         'c' || lpad((($1::int + n * 7 + k * 11) % 40)::text, 2, '0'), 1, 1, 'trace', hash, 'A post'
       from posts cross join lateral generate_series(0, n % 3) k
       returning delivery_id, message_id
     )
     insert into outrider.event_log (workspace_id, id, delivery_ids, message_id, ts, action, attempt, result)
     select 'year', gen_random_uuid(), array_agg(delivery_id), message_id, $2, 'enqueue', 0, 'ok'
     from made group by message_id`,
    [day, now, insertedADay],
  );
}

/** Of a hundred sends four are refused, three come back the next day, the others arrive. */
async function send(workspaceId: string, day: number, now: string): Promise<void> {
  const request = { workspaceId, runId: `day-${day}`, limit: 1000 };
  const held = await claimDeliveries(service, request, now);
  const outcomes = held.map((each, n) => {
    if ((n + day) % 25 === 0) return failed(each, { category: 'PERMANENT', code: '400' });
    return (n + day) % 33 === 1 ? failed(each) : sent(each);
  });
  await commitOutcomes(service, workspaceId, outcomes, now);
}

async function orphans(day: number, now: string): Promise<number> {
  const { admin } = database;
  const found = await Promise.all(
    ['year', 'brief'].map((workspaceId) =>
      reconcileEvents(service, { workspaceId, limit: 1000 }, now),
    ),
  );
  if (day % 30 !== 0) return found.flat().length;
  const { count } = await queryRow(
    admin,
    z.object({ count: z.coerce.number() }),
    `select count(*) from outrider.event_log e
     cross join lateral unnest(coalesce(e.delivery_ids, array[e.delivery_id])) as u (id)
     left join outrider.deliveries d on d.workspace_id = e.workspace_id and d.delivery_id = u.id
     left join outrider.messages m on m.workspace_id = e.workspace_id and m.message_id = e.message_id
     where (u.id is not null and d.delivery_id is null)
       or (e.message_id is not null and m.message_id is null)`,
  );
  return found.flat().length + count;
}

/** How old the oldest of each kind is, in whole days. */
async function ages(now: string): Promise<Record<string, number | null>> {
  const found = await queryRows(
    database.admin,
    z.object({ kind: z.string(), age: z.coerce.number().nullable() }),
    `select x.kind, floor(extract(epoch from $1::timestamptz - x.oldest) / 86400) as age
     from (
       select 'events', (select min(ts) from outrider.event_log where workspace_id = 'year')
       union all select 'events of brief', (select min(ts) from outrider.event_log where workspace_id = 'brief')
       union all select 'runs', (select min(started_at) from outrider.ingest_runs where workspace_id = 'year')
       union all select 'receipts', (select min(received_at) from outrider.ingress_receipts)
       union all select 'messages', (select min(last_seen_at) from outrider.messages where workspace_id = 'year')
       union all select 'failed', (select min(failed_at) from outrider.deliveries where workspace_id = 'year')
       union all select 'sent of brief', (select min(sent_at) from outrider.deliveries where workspace_id = 'brief')
       union all select 'sent with a long window',
         (select min(sent_at) from outrider.deliveries where workspace_id = 'year' and channel_id = 'c00')
       union all select 'sent',
         (select min(sent_at) from outrider.deliveries where workspace_id = 'year' and channel_id <> 'c00')
     ) as x (kind, oldest)`,
    [now],
  );
  return Object.fromEntries(found.map((row) => [row.kind, row.age]));
}

async function rows(): Promise<Record<string, number>> {
  const row = await queryRow(
    database.admin,
    z.record(z.string(), z.coerce.number()),
    `select
       (select count(*) from outrider.deliveries where channel_id <> 'c00') as deliveries,
       (select count(*) from outrider.messages m where not exists (
          select from outrider.deliveries d where d.message_id = m.message_id and d.channel_id = 'c00')) as messages,
       (select count(*) from outrider.event_log) as events,
       (select count(*) from outrider.ingest_runs) as runs,
       (select count(*) from outrider.ingress_receipts) as receipts,
       (select count(*) from outrider.media_origin where ref_count > 0) as blobs,
       (select count(*) from pg_inherits where inhparent = 'outrider.event_log'::regclass) as partitions`,
  );
  return row;
}
