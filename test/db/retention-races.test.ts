import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRow, queryRows } from '../../src/db/query-rows.ts';
import { purgeExpired, reconcileMedia, restartSweeps } from '../../src/db/retention.ts';
import { addBacklog, addChannel, addWorkspace, after, start } from '../support/database/seed.ts';
import { begin } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { sendAll, take, verdicts } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
const { admin, service } = database;
const sessions = useSessions();
const late = after(100 * 86_400);
let workspace = '';
let count = 0;

beforeEach(async () => {
  count += 1;
  workspace = `race-${count}`;
  await addWorkspace(admin, workspace);
  await addChannel(admin, workspace, 'news');
});

async function purged(client: Queryable = service): Promise<Record<string, number>> {
  const found = await purgeExpired(client, { limit: 1000, dryRun: false }, late);
  const mine = found.filter((each) => each.workspaceId === workspace && each.removed > 0);
  return Object.fromEntries(mine.map((each) => [each.what, each.removed]));
}

async function countOf(table: string): Promise<number> {
  const row = await queryRow(
    admin,
    z.object({ count: z.coerce.number() }),
    `select count(*) from outrider.${table} where workspace_id = $1`,
    [workspace],
  );
  return row.count;
}

async function failedPost(text: string): Promise<string> {
  await take(service, workspace, { text });
  const request = { workspaceId: workspace, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(service, request, start);
  if (held === undefined) throw new Error('nothing was claimed');
  const outcome = failed(held, { category: 'PERMANENT', code: '400' });
  await commitOutcomes(service, workspace, [outcome], start);
  return held.deliveryId;
}

describe('a purge beside a post of the same content', () => {
  it('that was first leaves the message and its delivery alone, and waits for nobody', async () => {
    await take(service, workspace, { text: 'A post' });
    await sendAll(service, workspace);
    const [poster, purger] = [
      await sessions.open(service),
      await sessions.open(service, { wait: false }),
    ];
    await take(poster.client, workspace, { text: 'A post' }, late);
    const went = await purged(purger.client);
    expect(went).not.toHaveProperty('deliveries');
    expect(went).not.toHaveProperty('messages');
    await Promise.all([purger.commit(), poster.commit()]);
    expect([await countOf('messages'), await countOf('deliveries')]).toEqual([1, 2]);
    await restartSweeps(service, late);
    expect(await purged()).toEqual({ deliveries: 1 });
  });

  it('that comes second lets it wait for the end of the batch, and take the post in as new', async () => {
    const first = await take(service, workspace, { text: 'A post' });
    await sendAll(service, workspace);
    const [purger, poster] = [await sessions.open(service), await sessions.open(service)];
    expect(await purged(purger.client)).toMatchObject({ deliveries: 1, messages: 1 });
    const posted = begin(take(poster.client, workspace, { text: 'A post' }, late));
    await poster.waitsFor(purger, posted);
    await purger.commit();
    const again = await posted;
    await poster.commit();
    expect(again.seen).toBe('first');
    expect(again.messageId).not.toBe(first.messageId);
    expect(verdicts(again)).toEqual({ news: 'queued' });
  });

  it('leaves a message whose blob somebody counts, takes the others, and takes that one the next day', async () => {
    await admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
       values ($1, 'photo', 'file:photo', $2, $2)`,
      [workspace, start],
    );
    const media = [{ type: 'image', blob_ref: 'photo' }];
    await take(service, workspace, { text: 'Old', media });
    await take(service, workspace, { text: 'Plain' });
    await sendAll(service, workspace);
    const [poster, purger] = [
      await sessions.open(service),
      await sessions.open(service, { wait: false }),
    ];
    await take(poster.client, workspace, { text: 'New', media }, late);
    expect(await purged(purger.client)).toMatchObject({ deliveries: 2, messages: 1 });
    await Promise.all([purger.commit(), poster.commit()]);
    await admin.query('update outrider.retention_sweeps set due_at = $1', [start]);
    expect(await purged()).toMatchObject({ messages: 1 });
    expect(await reconcileMedia(service, workspace)).toEqual([]);
  });
});

describe('a purge beside a requeue', () => {
  it('that was first leaves the delivery to it, and takes the others', async () => {
    const deliveryId = await failedPost('A post');
    await failedPost('Another post');
    const [operator, purger] = [
      await sessions.open(service),
      await sessions.open(service, { wait: false }),
    ];
    const order = { workspaceId: workspace, deliveryIds: [deliveryId], operator: 'a', reason: 'b' };
    await requeueDeliveries(operator.client, { ...order, dryRun: false }, late);
    expect(await purged(purger.client)).toMatchObject({ deliveries: 1, messages: 1 });
    await Promise.all([purger.commit(), operator.commit()]);
    await sendAll(service, workspace, late);
    expect(await countOf('deliveries')).toBe(1);
  });

  it('that comes second tells the operator that there is none any more', async () => {
    const deliveryId = await failedPost('A post');
    const [purger, operator] = [await sessions.open(service), await sessions.open(service)];
    expect(await purged(purger.client)).toMatchObject({ deliveries: 1 });
    const order = { workspaceId: workspace, deliveryIds: [deliveryId], operator: 'a', reason: 'b' };
    const requeued = begin(requeueDeliveries(operator.client, { ...order, dryRun: false }, late));
    await operator.waitsFor(purger, requeued);
    await purger.commit();
    expect(await requeued).toMatchObject([{ requeued: false }]);
    await operator.commit();
  });
});

describe('a purge beside claims and commits', () => {
  it('waits for none of them, and none of them waits for it', async () => {
    await take(service, workspace, { text: 'An old post' });
    await sendAll(service, workspace);
    await addBacklog(admin, workspace, ['news'], 4);
    const request = { workspaceId: workspace, runId: 'run', limit: 2 };
    const held = await claimDeliveries(service, request, late);
    const sender = await sessions.open(service, { wait: false });
    await claimDeliveries(sender.client, request, late);
    await commitOutcomes(sender.client, workspace, held.map(sent), late);
    const purger = await sessions.open(service, { wait: false });
    expect(await purged(purger.client)).toMatchObject({ deliveries: 1 });
    const other = await sessions.open(service, { wait: false });
    await take(other.client, workspace, { text: 'A new post' }, late);
    await Promise.all([sender.commit(), purger.commit(), other.commit()]);
  });
});

describe('two purges at once', () => {
  it('share the workspaces, and neither waits', async () => {
    await take(service, workspace, { text: 'A post' });
    await sendAll(service, workspace);
    const [one, other] = [
      await sessions.open(service),
      await sessions.open(service, { wait: false }),
    ];
    expect(await purged(one.client)).toMatchObject({ deliveries: 1 });
    expect(await purged(other.client)).toEqual({});
    await Promise.all([one.commit(), other.commit()]);
  });
});

describe('purges, posts, sends and requeues in a heap', () => {
  it('never deadlock, lose no post and count every blob right', async () => {
    const blobs = ['one', 'two', 'three'];
    await admin.query(
      `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
       select $1, b, 'file:' || b, $2, $2 from unnest($3::text[]) b`,
      [workspace, start, blobs],
    );
    await addChannel(admin, workspace, 'more', { dedup_ttl_hours: 0 });
    const post = (n: number) => ({
      text: `Post ${n % 7}`,
      media: [blobs[n % 3], blobs[(n + 1) % 3]].map((blob_ref) => ({ type: 'image', blob_ref })),
    });
    for (let round = 0; round < 25; round += 1) {
      // Every round is a hundred days later than the one before: all that ended there has expired.
      const now = after(round * 100 * 86_400);
      const request = { workspaceId: workspace, runId: `run-${round}`, limit: 4 };
      const outcomes = async (): Promise<void> => {
        const held = await claimDeliveries(service, request, now);
        const done = held.map((each, n) =>
          n % 3 === 0 ? failed(each, { category: 'PERMANENT', code: '400' }) : sent(each),
        );
        if (done.length > 0) await commitOutcomes(service, workspace, done, now);
      };
      const requeue = async (): Promise<void> => {
        const ids = await queryRows(
          admin,
          z.object({ id: z.string() }),
          `select delivery_id as id from outrider.deliveries where workspace_id = $1 and failed_at is not null`,
          [workspace],
        );
        if (ids.length === 0) return;
        const deliveryIds = ids.map((each) => each.id);
        const order = { workspaceId: workspace, deliveryIds, operator: 'a', reason: 'b' };
        await requeueDeliveries(service, { ...order, dryRun: false }, now);
      };
      const purge = async (): Promise<void> => {
        await restartSweeps(service, now);
        await purgeExpired(service, { limit: 50, dryRun: false }, now);
      };
      await Promise.all([
        ...[0, 1, 2].map((n) => take(service, workspace, post(round + n), now)),
        outcomes(),
        purge(),
        requeue(),
        outcomes(),
        purge(),
        ...[2, 1, 0].map((n) => take(service, workspace, post(round + n), now)),
      ]);
    }
    expect(await reconcileMedia(service, workspace)).toEqual([]);
    const lost = await queryRow(
      admin,
      z.object({ count: z.coerce.number() }),
      `select count(*) from outrider.delivery_queue q
       left join outrider.deliveries d using (workspace_id, delivery_id)
       where q.workspace_id = $1 and d.delivery_id is null`,
      [workspace],
    );
    expect(lost.count).toBe(0);
  });
});

describe('a purge beside somebody who holds an old silence or alert', () => {
  it('waits for neither, takes the others, and says how many', async () => {
    await admin.query(
      `insert into outrider.alert_silences (workspace_id, matches, until, operator, reason, created_at)
       select $1, m, $2::timestamptz + interval '1 second', 'ann', 'known', $2 from unnest('{dead_letters,oldest_due}'::text[]) m`,
      [workspace, start],
    );
    await admin.query(
      `insert into outrider.alerts (workspace_id, alert_id, kind, fingerprint, severity, summary, opened_at, seen_at, resolved_at)
       select $1, gen_random_uuid(), k, k, 'info', 'x', $2, $2, $2 from unnest('{dead_letters,oldest_due}'::text[]) k`,
      [workspace, start],
    );
    const holder = await sessions.open(admin);
    for (const [table, name] of [
      ['alert_silences', 'matches'],
      ['alerts', 'fingerprint'],
    ] as const) {
      await holder.client.query(
        `select from outrider.${table} where workspace_id = $1 and ${name} = 'dead_letters' for update`,
        [workspace],
      );
    }
    const found = await purgeExpired(service, { limit: 1000, dryRun: false }, late);
    const counts = Object.fromEntries(found.map(({ what, removed }) => [what, removed]));
    expect(counts).toMatchObject({ alerts: 1, alert_silences: 1 });
    await holder.commit();
    expect([await countOf('alerts'), await countOf('alert_silences')]).toEqual([1, 1]);
  });
});
