import { describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, failPermanent } from '../../src/db/commit.ts';
import { enqueueBatch, enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { countMetrics, type MetricSample, readMetrics } from '../../src/db/metrics.ts';
import { markPublished } from '../../src/db/outbox.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { metrics } from '../../src/metrics/catalogue.ts';
import { fill, sentDeliveries, vacuum } from '../support/database/bulk-rows.ts';
import { addChannel, addNewWorkspace } from '../support/database/seed.ts';
import { meter } from '../support/database/statement-meter.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { emit } from '../support/outbox/outbox-events.ts';
import { post } from '../support/sandbox/sandbox-posts.ts';

// Time is the real one here: what is counted is told from what is still being written by when it was begun.

const database = await useDatabase();
const sessions = useSessions();
const { admin, service } = database;
const limits = { workspaceLimit: 10_000, channelLimit: 10_000 };

async function addNews(channels: readonly string[] = ['news']): Promise<string> {
  const workspaceId = await addNewWorkspace(database);
  for (const each of channels) await addChannel(admin, workspaceId, each);
  return workspaceId;
}

/** Counts until everything is counted that was committed before. */
async function count(): Promise<void> {
  while ((await countMetrics(service)).isBehind);
}

/** The values of a metric in a workspace, by their other labels. */
async function valuesOf(metric: string, workspaceId: string): Promise<Record<string, number>> {
  const samples = await readMetrics(service, limits);
  const own = samples.filter(
    (each) => each.metric === metric && each.labels['workspace'] === workspaceId,
  );
  return Object.fromEntries(
    own.map(({ labels, value }) => {
      const others = Object.entries(labels).filter(([name]) => name !== 'workspace');
      const key = others.map(([, text]) => text).toSorted();
      return [key.join(' '), value];
    }),
  );
}

const valueOf = (samples: readonly MetricSample[], metric: string): number | undefined =>
  samples.find((each) => each.metric === metric)?.value;

async function send(client: Queryable, workspaceId: string): Promise<number> {
  const held = await claimDeliveries(client, { workspaceId, runId: 'run', limit: 1000 });
  const outcomes = held.map(({ deliveryId, claimToken }) => {
    return { deliveryId, claimToken, ok: true as const, providerMessageId: deliveryId };
  });
  await commitOutcomes(client, workspaceId, outcomes);
  return held.length;
}

describe('count_metrics', () => {
  it('counts every event once, however often it is called', async () => {
    const workspaceId = await addNews(['news', 'sport']);
    for (const text of ['one', 'two', 'three']) await post(service, workspaceId, text);
    expect(await send(service, workspaceId)).toBe(6);
    await post(service, workspaceId, 'three');
    for (let times = 0; times < 3; times += 1) await count();
    expect(await valuesOf('outrider_deliveries_queued_total', workspaceId)).toEqual({ '': 6 });
    expect(await valuesOf('outrider_send_attempts_total', workspaceId)).toEqual({ '': 6 });
    expect(await valuesOf('outrider_deliveries_total', workspaceId)).toEqual({
      'sent telegram': 6,
      'deduped telegram': 2,
      'dead telegram': 0,
      'failed_permanent telegram': 0,
      'retry telegram': 0,
      'telegram validation_failed': 0,
    });
    expect(await valuesOf('outrider_channel_deliveries_total', workspaceId)).toEqual({
      'news sent telegram': 3,
      'deduped news telegram': 1,
      'sent sport telegram': 3,
      'deduped sport telegram': 1,
    });
    expect(await valuesOf('outrider_posts_total', workspaceId)).toMatchObject({
      'accepted push': 4,
      'push rejected': 0,
    });
  });

  it('counts by channel what one commit of more than a hundred sends has, with and without an answer of the platform', async () => {
    const workspaceId = await addNews(['news', 'sport', 'city']);
    const items = Array.from({ length: 50 }, (_, n) => ({ text: `post ${n}` }));
    await enqueueBatch(service, { workspaceId, kind: 'push', items });
    const held = await claimDeliveries(service, { workspaceId, runId: 'run', limit: 1000 });
    const outcomes = held.map(({ deliveryId, claimToken }, n) => {
      const sent = { deliveryId, claimToken, ok: true as const, providerMessageId: deliveryId };
      return n % 10 === 0 ? { ...sent, meta: { said: 'ok' } } : sent;
    });
    await commitOutcomes(service, workspaceId, outcomes);
    await count();
    expect(held).toHaveLength(150);
    expect(await valuesOf('outrider_channel_deliveries_total', workspaceId)).toEqual({
      'news sent telegram': 50,
      'sent sport telegram': 50,
      'city sent telegram': 50,
    });
  });

  it('adds to what it has counted before', async () => {
    const workspaceId = await addNews();
    for (const text of ['one', 'two']) {
      await post(service, workspaceId, text);
      await send(service, workspaceId);
      await count();
    }
    expect(await valuesOf('outrider_channel_deliveries_total', workspaceId)).toEqual({
      'news sent telegram': 2,
    });
  });

  it('counts what a transaction has written when it ends, also after later things were counted', async () => {
    const workspaceId = await addNews();
    const open = await sessions.open(service);
    await post(open.client, workspaceId, 'still open');
    await post(service, workspaceId, 'later');
    const { countedTo } = await countMetrics(service);
    expect(countedTo).not.toBeNull();
    await open.commit();
    await count();
    expect(await valuesOf('outrider_deliveries_queued_total', workspaceId)).toEqual({ '': 2 });
  });

  it('is not held up by a transaction that has written nothing of the kind', async () => {
    const workspaceId = await addNews();
    const other = await sessions.open(admin);
    await other.client.query('create temporary table elsewhere on commit drop as select 1');
    await post(service, workspaceId, 'posted meanwhile');
    await count();
    expect(await valuesOf('outrider_deliveries_queued_total', workspaceId)).toEqual({ '': 1 });
  });

  it('leaves the counting to whoever counts already', async () => {
    await count();
    const other = await sessions.open(service);
    await countMetrics(other.client);
    expect(await countMetrics(service)).toEqual({ countedTo: null, isBehind: false });
  });

  it('counts what failed, and events of the outbox that were published', async () => {
    const workspaceId = await addNews();
    await post(service, workspaceId, 'refused by the platform');
    const [held] = await claimDeliveries(service, { workspaceId, runId: 'run', limit: 1 });
    if (held === undefined) throw new Error('nothing was claimed');
    const { deliveryId, claimToken } = held;
    const error = { category: 'PERMANENT', scope: 'delivery', code: '400' } as const;
    await failPermanent(service, { workspaceId, deliveryId, claimToken }, error);
    const id = await emit(service);
    await markPublished(service, [id]);
    const before = await readMetrics(service, limits);
    await count();
    const after = await readMetrics(service, limits);
    expect(await valuesOf('outrider_deliveries_total', workspaceId)).toMatchObject({
      'failed_permanent telegram': 1,
      'sent telegram': 0,
    });
    const published =
      (valueOf(after, 'outrider_outbox_events_total') ?? 0) -
      (valueOf(before, 'outrider_outbox_events_total') ?? 0);
    expect(published).toBe(1);
  });
});

describe('read_metrics', () => {
  it('shows only metrics that the catalogue has, with its labels', async () => {
    const known = new Map(metrics.map((each) => [each.name, each.labels.toSorted()]));
    for (const { metric, labels } of await readMetrics(service, limits)) {
      expect([metric, Object.keys(labels).toSorted()]).toEqual([metric, known.get(metric)]);
    }
  });

  it('tells what waits, what is sent, and since when the oldest is due', async () => {
    const workspaceId = await addNews();
    for (const text of ['one', 'two', 'three']) await post(service, workspaceId, text);
    const later = new Date(Date.now() + 3_600_000).toISOString();
    const rawPayload = { text: 'tomorrow', scheduled_for: later };
    const request = { workspaceId, endpointId: null, kind: 'push', rawPayload } as const;
    await enqueueMessagesAndDeliveries(service, request);
    await claimDeliveries(service, { workspaceId, runId: 'run', limit: 1 });
    expect(await valuesOf('outrider_queue_deliveries', workspaceId)).toEqual({
      'due telegram': 2,
      'scheduled telegram': 1,
      'retry telegram': 0,
      'claimed telegram': 0,
      'sending telegram': 1,
    });
    expect(await valuesOf('outrider_channel_waiting_deliveries', workspaceId)).toEqual({
      'news telegram': 3,
    });
    expect((await valuesOf('outrider_oldest_due_seconds', workspaceId))['']).toBeGreaterThan(0);
    expect(await valuesOf('outrider_channels', workspaceId)).toEqual({ 'open telegram': 1 });
    expect(await valuesOf('outrider_channel_stopped', workspaceId)).toEqual({ 'news telegram': 0 });
  });

  it('calls no channel stopped that somebody has stopped on purpose', async () => {
    const workspaceId = await addNews();
    const stopped = (because: object | null) => ({
      stopped_because: because === null ? null : JSON.stringify(because),
    });
    const channels = {
      'by-hand': { paused_until: 'infinity', ...stopped({ operator: 'ann' }) },
      'by-refusal': { paused_until: 'infinity', ...stopped({ code: '403', message: 'kicked' }) },
      'off-by-file': { enabled: false },
      'off-by-hand': { enabled: false, ...stopped({ operator: 'ann' }) },
      'off-by-refusal': { enabled: false, ...stopped({ code: '403', message: 'kicked' }) },
    };
    for (const [n, [id, columns]] of Object.entries(channels).entries()) {
      await addChannel(database.admin, workspaceId, id, { target_id: `-9${n}`, ...columns });
    }
    expect(await valuesOf('outrider_channel_stopped', workspaceId)).toEqual({
      'news telegram': 0,
      'by-hand telegram': 0,
      'by-refusal telegram': 1,
      'off-by-file telegram': 0,
      'off-by-hand telegram': 0,
      'off-by-refusal telegram': 1,
    });
  });

  it('sums up the counters of workspaces beyond its limit, and leaves out channels beyond theirs', async () => {
    const workspaceId = await addNews(['a', 'b']);
    await post(service, workspaceId, 'one');
    await count();
    const all = await readMetrics(service, limits);
    const few = await readMetrics(service, { workspaceLimit: 1, channelLimit: 1 });
    const queued = (samples: readonly MetricSample[]): number =>
      samples
        .filter((each) => each.metric === 'outrider_deliveries_queued_total')
        .reduce((sum, each) => sum + each.value, 0);
    expect(queued(few)).toBe(queued(all));
    const workspaces = new Set(
      few.map((each) => each.labels['workspace']).filter((each) => each !== undefined),
    );
    expect([...workspaces].toSorted()).toEqual(['_other', 'w1']);
    const channels = few.filter((each) => each.metric === 'outrider_channel_stopped');
    expect(channels).toHaveLength(1);
  });

  it('reads no delivery that is over, however many there are', async () => {
    const workspaceId = await addNews();
    await count();
    const client = await service.connect();
    const text = 'select * from outrider.read_metrics(10000, 10000)';
    try {
      const before = await meter(client, text, []);
      await fill(admin, [sentDeliveries({ workspaceId, channelIds: ['news'], count: 20_000 })]);
      await vacuum(admin);
      const after = await meter(client, text, []);
      expect(after.readWhole).not.toContain('deliveries');
      expect(after.passed).toBeLessThan(before.passed + 100);
    } finally {
      client.release();
    }
  });
});
