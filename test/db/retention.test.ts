import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import {
  purgeExpired,
  reconcileEvents,
  reconcileMedia,
  restartSweeps,
} from '../../src/db/retention.ts';
import { removeAllWorkspaces } from '../support/database/all-gone.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { addEndpoint, sendAll, take, verdicts } from '../support/posts/intake.ts';
import { failed } from '../support/queue/outcomes.ts';
import { countsOf, purgeAll } from '../support/queue/purging.ts';

// start is the 2nd of March 2026, ten o'clock. Days are those of UTC.

const database = await useDatabase();
const { admin, service } = database;
const sessions = useSessions();
let workspace = '';
let count = 0;

beforeEach(async () => {
  // The longest retention of all counts for partitions: nobody else's may be in the way.
  await removeAllWorkspaces(admin);
  for (const name of await partitions()) {
    if (name !== 'events_default') await admin.query(`drop table outrider.${name}`);
  }
  count += 1;
  workspace = `kept-${count}`;
  await addWorkspace(admin, workspace);
  await addChannel(admin, workspace, 'news');
});

const day = 86_400;
const days = (number: number): string => after(number * day);

async function countOf(table: string, where = 'true'): Promise<number> {
  const row = await queryRow(
    admin,
    z.object({ count: z.coerce.number() }),
    `select count(*) from outrider.${table} where workspace_id = $1 and ${where}`,
    [workspace],
  );
  return row.count;
}

async function set(name: string, value: string): Promise<void> {
  await admin.query(`update outrider.workspace_settings set ${name} = $2 where workspace_id = $1`, [
    workspace,
    value,
  ]);
}

/** A post that was sent at once. */
async function sentPost(text: string, now: string = start): Promise<string> {
  const { messageId } = await take(service, workspace, { text }, now);
  await sendAll(service, workspace, now);
  return messageId;
}

/** A post that was refused at once. */
async function failedPost(text: string, now: string = start): Promise<string> {
  const { messageId } = await take(service, workspace, { text }, now);
  const request = { workspaceId: workspace, runId: 'run', limit: 10 };
  const held = await claimDeliveries(service, request, now);
  const outcomes = held.map((each) => failed(each, { category: 'PERMANENT', code: '400' }));
  await commitOutcomes(service, workspace, outcomes, now);
  return messageId;
}

describe('a delivery that was sent', () => {
  it('goes with its message when deliveries_retention is over, counted from when it was sent, and not before', async () => {
    await take(service, workspace, { text: 'A post' });
    await sendAll(service, workspace, days(5));
    expect(await purgeAll(service, days(95))).not.toHaveProperty('deliveries');
    expect(await countOf('deliveries')).toBe(1);
    expect(await purgeAll(service, days(96))).toMatchObject({ deliveries: 1, messages: 1 });
    expect([await countOf('deliveries'), await countOf('messages')]).toEqual([0, 0]);
  });

  it('stays while the dedup window of its channel is longer, and still suppresses the repeat', async () => {
    await addChannel(admin, workspace, 'long', { dedup_ttl_hours: 200 * 24 });
    await sentPost('A post');
    expect(await purgeAll(service, days(199))).toMatchObject({ deliveries: 1 });
    const repeat = await take(service, workspace, { text: 'A post' }, days(199.5));
    expect(verdicts(repeat)).toEqual({ news: 'queued', long: 'deduped' });
    await sendAll(service, workspace, days(199.5));
    expect(await purgeAll(service, days(201))).toMatchObject({ deliveries: 1 });
    const again = await take(service, workspace, { text: 'A post' }, days(202));
    expect(verdicts(again)).toEqual({ news: 'deduped', long: 'queued' });
  });

  it.each([
    ['null, which means 168 hours', null, 7],
    ['0, which means none', 0, 1],
  ])('stays by a dedup window of %s', async (_title, hours, goesOn) => {
    await admin.query('update outrider.channels set dedup_ttl_hours = $1', [hours]);
    await set('events_retention', '1 day');
    await set('deliveries_retention', '1 day');
    await sentPost('A post');
    for (let n = 0; n < goesOn; n += 1) await purgeAll(service, after(n * day + 3600));
    expect(await countOf('deliveries')).toBe(1);
    await purgeAll(service, after(goesOn * day + 3600));
    await purgeAll(service, after((goesOn + 1) * day + 3600));
    expect(await countOf('deliveries')).toBe(0);
  });
});

describe('a delivery that failed', () => {
  it('goes when deliveries_retention is over, whatever the dedup window of its channel', async () => {
    await admin.query('update outrider.channels set dedup_ttl_hours = 200 * 24');
    await failedPost('A post');
    expect(await purgeAll(service, days(90))).not.toHaveProperty('deliveries');
    expect(await purgeAll(service, days(91))).toMatchObject({ deliveries: 1, messages: 1 });
  });
});

describe('a delivery that is on its way', () => {
  it('stays, however old, and keeps none behind it', async () => {
    const { admin: client } = database;
    for (let n = 0; n < 20; n += 1) await addDelivery(client, workspace, 'news');
    await addChannel(client, workspace, 'open');
    await addDelivery(client, workspace, 'open');
    await admin.query("update outrider.channels set enabled = false where channel_id = 'news'");
    await sendAll(service, workspace);
    await addDelivery(client, workspace, 'news', {
      status: 'deduped',
      occurrence: null,
      created_at: after(60),
    });
    expect(await purgeAll(service, days(95), 7)).toMatchObject({ deliveries: 2 });
    expect(await countOf('deliveries', "status = 'queued'")).toBe(20);
    expect(await countOf('deliveries')).toBe(20);
  });

  it('is looked at once a day, not with every batch', async () => {
    for (let n = 0; n < 20; n += 1) await addDelivery(admin, workspace, 'news');
    await purgeAll(service, days(95), 7);
    const found = await purgeExpired(service, { limit: 7, dryRun: false }, after(95 * day + 3600));
    expect(found).toEqual([]);
    const next = await purgeExpired(service, { limit: 7, dryRun: false }, days(96));
    expect(next.map(({ what, more }) => [what, more])).toEqual([['deliveries', true]]);
  });
});

describe('a sweep', () => {
  it.each([1, 2, 3, 500])('gets through whatever there is, %i rows at a time', async (limit) => {
    await addChannel(admin, workspace, 'more');
    await addChannel(admin, workspace, 'none');
    for (let n = 0; n < 5; n += 1) await sentPost(`Post ${n}`, after(n));
    await failedPost('Refused', after(9));
    expect(await purgeAll(service, days(95), limit)).toMatchObject({ deliveries: 18, messages: 6 });
    expect(await countOf('event_log')).toBe(0);
  });

  it('begins anew at an operator’s word', async () => {
    await sentPost('A post');
    await purgeAll(service, days(89.99));
    expect(await purgeAll(service, days(90.5))).toEqual({});
    expect(await restartSweeps(service, days(90.5))).toBe(1);
    expect(await purgeAll(service, days(90.5))).toMatchObject({ deliveries: 1 });
  });

  it('finds the next delivery of a channel by its index, however many are young', async () => {
    await admin.query(
      `insert into outrider.deliveries
         (workspace_id, delivery_id, status, attempt_limit, not_before, updated_at, created_at, message_id,
          channel_id, hash_version, trace_id, content_hash, rendered_text)
       select $1, gen_random_uuid(), 'deduped', 5, $3, $3, $3, $2, 'news', 1, 'trace', 'hash', ''
       from generate_series(1, 5000)`,
      [workspace, await addMessage(admin, workspace), days(50)],
    );
    await admin.query('analyze outrider.deliveries');
    const client = await admin.connect();
    const reads = z.object({ reads: z.coerce.number() });
    const text = `select pg_stat_get_xact_tuples_fetched('outrider.deliveries'::regclass)
                  + pg_stat_get_xact_tuples_returned('outrider.deliveries'::regclass) as reads`;
    try {
      await client.query('begin');
      await purgeExpired(client, { limit: 500, dryRun: false }, days(95));
      expect((await queryRow(client, reads, text)).reads).toBeLessThan(200);
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('a message', () => {
  it('that never had a delivery goes when it was not seen for deliveries_retention', async () => {
    await admin.query('update outrider.channels set route_filter = \'{"include_any": ["sport"]}\'');
    await take(service, workspace, { text: 'A post' });
    await take(service, workspace, { text: 'A post' }, days(10));
    expect(await purgeAll(service, days(100))).not.toHaveProperty('messages');
    expect(await purgeAll(service, days(101))).toMatchObject({ messages: 1 });
  });

  it('lowers the count of the blobs that it named as it goes, each once', async () => {
    await admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
       select $1, b, 'file:' || b, $2, $2 from unnest(array['one', 'two']) b`,
      [workspace, start],
    );
    const photo = (blobRef: string) => ({ type: 'image', blob_ref: blobRef });
    const both = { text: 'Both', media: [photo('one'), photo('one'), photo('two')] };
    await take(service, workspace, both);
    await sendAll(service, workspace);
    await take(service, workspace, { text: 'One', media: [photo('one')] }, days(30));
    await sendAll(service, workspace, days(30));
    const counts = (): Promise<unknown> =>
      queryRows(
        admin,
        z.object({ blob_ref: z.string(), ref_count: z.string() }),
        'select blob_ref, ref_count from outrider.media_origin where workspace_id = $1 order by 1',
        [workspace],
      );
    expect(await counts()).toEqual([
      { blob_ref: 'one', ref_count: '2' },
      { blob_ref: 'two', ref_count: '1' },
    ]);
    await purgeAll(service, days(91));
    expect(await counts()).toEqual([
      { blob_ref: 'one', ref_count: '1' },
      { blob_ref: 'two', ref_count: '0' },
    ]);
    expect(await reconcileMedia(service, workspace)).toEqual([]);
    await admin.query('update outrider.media_origin set ref_count = 7');
    expect(await reconcileMedia(service, workspace)).toEqual(
      expect.arrayContaining([
        { blobRef: 'one', counted: 7, refCount: 1 },
        { blobRef: 'two', counted: 7, refCount: 0 },
      ]),
    );
  });
});

describe('events', () => {
  it('go with the partition of their day when no workspace keeps them any longer', async () => {
    await ensureEventPartitions(service, 2, start);
    await addWorkspace(admin, 'longer', { events_retention: '40 days' });
    await sentPost('A post');
    await purgeAll(service, after(40 * day));
    expect(await partitions()).toContain('events_20260302');
    expect(await purgeAll(service, '2026-04-12T00:00:00Z')).toMatchObject({ event_partitions: 1 });
    expect(await partitions()).not.toContain('events_20260302');
    expect(await purgeAll(service, '2026-06-01T00:00:00Z')).toMatchObject({ event_partitions: 2 });
    expect(await partitions()).toEqual(['events_default']);
  });

  it('of a workspace with a shorter retention go one by one, and the others stay', async () => {
    await ensureEventPartitions(service, 2, start);
    await sentPost('A post');
    const mine = await countOf('event_log');
    await addWorkspace(admin, 'short', { events_retention: '5 days' });
    await addChannel(admin, 'short', 'news');
    await take(service, 'short', { text: 'A post' });
    expect(await purgeAll(service, days(5))).toEqual({});
    expect(await purgeAll(service, days(6))).toMatchObject({ events: 1 });
    expect(await countOf('event_log')).toBe(mine);
  });

  it('that strayed into the default partition go one by one', async () => {
    await sentPost('A post');
    const strays = await countOf('event_log');
    expect(strays).toBeGreaterThan(0);
    expect(await purgeAll(service, days(31))).toMatchObject({ events: strays });
    expect(await partitions()).toEqual(['events_default']);
  });

  it('keep their delivery for as long as they are there', async () => {
    await ensureEventPartitions(service, 2, start);
    await set('deliveries_retention', '30 days');
    await sentPost('A post');
    // Its time is over, and the partition of its day is not.
    expect(await purgeAll(service, after(30 * day + 3600))).not.toHaveProperty('deliveries');
    const end = after(31 * day + 3600);
    expect(await purgeAll(service, end)).toMatchObject({ event_partitions: 1 });
    expect(await purgeAll(service, after(32 * day + 3600))).toMatchObject({
      deliveries: 1,
      messages: 1,
    });
  });

  it('are kept no longer than deliveries, by a constraint', async () => {
    await expect(set('deliveries_retention', '29 days')).rejects.toThrow(
      'no_event_outlives_its_delivery',
    );
  });

  it('of a partition that somebody reads stay for now; nobody waits behind the purge for long', async () => {
    await ensureEventPartitions(service, 0, start);
    const reader = await sessions.open(admin);
    await reader.client.query('select from outrider.events');
    const found = await purgeExpired(service, { limit: 10, dryRun: false }, days(40));
    expect(found).toContainEqual({
      what: 'event_partitions',
      workspaceId: null,
      removed: 0,
      more: false,
      note: 'events_20260302 is left for the next minute: somebody uses the event log',
    });
    await reader.commit();
    expect(await purgeAll(service, days(40))).toEqual({ event_partitions: 1 });
  });
});

describe('receipts and runs', () => {
  it('go when their time is over', async () => {
    await addEndpoint(admin, workspace, 'secret');
    const rawPayload = { text: 'A post', source_ref: 'post-1' };
    const push = { workspaceId: workspace, endpointId: 'push', kind: 'push', rawPayload } as const;
    await enqueueMessagesAndDeliveries(service, push, start);
    expect(await purgeAll(service, after(2 * day - 1))).toEqual({});
    expect(await purgeAll(service, days(2))).toEqual({ ingress_receipts: 1 });
    expect(await purgeAll(service, days(30))).toEqual({});
    expect(await purgeAll(service, days(31))).toMatchObject({ ingest_runs: 1 });
  });
});

describe('a dry run', () => {
  it('counts what would go, deletes nothing and waits for nobody', async () => {
    await ensureEventPartitions(service, 0, start);
    await sentPost('A post');
    await failedPost('Refused');
    const holder = await sessions.open(admin);
    await holder.client.query(
      'select from outrider.deliveries, outrider.messages for update of deliveries, messages',
    );
    const found = await purgeExpired(service, { limit: 1, dryRun: true }, days(91));
    expect(countsOf(found)).toMatchObject({ deliveries: 2, messages: 2, event_partitions: 1 });
    expect([await countOf('deliveries'), await countOf('messages')]).toEqual([2, 2]);
    await holder.rollback();
    expect(await purgeAll(service, days(91))).toMatchObject({
      event_partitions: 1,
      ingest_runs: 2,
    });
    expect(await purgeAll(service, days(92))).toMatchObject({ deliveries: 2, messages: 2 });
  });
});

describe('a dry run where events are kept as long as deliveries', () => {
  it('leaves out what the purge leaves, because its events are still there', async () => {
    await ensureEventPartitions(service, 2, start);
    await set('deliveries_retention', '30 days');
    await sentPost('A post');
    await failedPost('Refused');
    const counted = async (now: string): Promise<unknown> =>
      countsOf(await purgeExpired(service, { limit: 1, dryRun: true }, now));
    expect(await counted(after(30 * day + 3600))).not.toHaveProperty('deliveries');
    expect(await counted(after(30 * day + 3600))).not.toHaveProperty('messages');
    expect(await counted(after(31 * day + 3600))).toMatchObject({ deliveries: 2, messages: 2 });
  });
});

describe('a clock that was a year ahead for a while', () => {
  it('keeps nothing that came before or afterwards', async () => {
    await sentPost('Before');
    await sentPost('From the future', days(365));
    await admin.query('update outrider.channel_pace set next_allowed_at = null');
    await admin.query('update outrider.platform_limits set next_allowed_at = null');
    await sentPost('Afterwards', days(1));
    await purgeAll(service, days(365));
    expect(await purgeAll(service, days(95))).toMatchObject({ deliveries: 1, messages: 1 });
    expect(await countOf('deliveries')).toBe(1);
  });
});

describe('reconcile_events', () => {
  const request = () => ({ workspaceId: workspace, limit: 10 });

  it('finds nothing where nothing is missing', async () => {
    await sentPost('A post');
    expect(await reconcileEvents(service, request(), after(60))).toEqual([]);
  });

  it('finds events whose delivery or message was deleted, packed ones too', async () => {
    const messageId = await sentPost('A post');
    await failedPost('Refused');
    const gone = await queryRows(
      admin,
      z.object({ delivery_id: z.string() }),
      'delete from outrider.deliveries where message_id = $1 returning delivery_id',
      [messageId],
    );
    const found = await reconcileEvents(service, request(), after(60));
    expect(
      found.map((each) => `${each.action} ${each.missing} ${each.missingId}`).toSorted(),
    ).toEqual(
      ['enqueue', 'send_attempt', 'sent'].map((each) => `${each} delivery ${gone[0]?.delivery_id}`),
    );
    await admin.query('delete from outrider.messages where message_id = $1', [messageId]);
    const more = await reconcileEvents(service, request(), after(60));
    expect(more.filter((each) => each.missing === 'message')).toMatchObject([
      { action: 'enqueue', missingId: messageId },
    ]);
  });

  it('reads the two latest and the two oldest days, and nothing in between', async () => {
    for (const at of [1, 2, 3, 6, 8, 9, 10]) {
      await admin.query(
        `insert into outrider.event_log (workspace_id, id, channel_id, ts, action, attempt, result)
         values ($1, gen_random_uuid(), 'gone', $2, 'channel_paused', 0, 'ok')`,
        [workspace, days(at)],
      );
    }
    const found = await reconcileEvents(service, request(), days(10.5));
    expect(found.map((each) => each.ts.toISOString())).toEqual([10, 9, 2, 1].map((at) => days(at)));
  });
});

async function partitions(): Promise<string[]> {
  const found = await queryRows(
    admin,
    z.object({ name: z.string() }),
    `select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where i.inhparent = 'outrider.event_log'::regclass order by 1`,
  );
  return found.map((row) => row.name);
}
