import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, commitSent } from '../../src/db/commit.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { allSent, failed } from '../support/queue/outcomes.ts';

// What every delivery goes through is written once for many, in event_log; outrider.events shows it for each.

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  await addChannel(database.admin, workspaceId, 'sports');
});

const claim = (now: string, limit = 10): Promise<ClaimedDelivery[]> =>
  claimDeliveries(database.service, { workspaceId, runId: 'run', limit }, now);

const plain = ({ deliveryId, claimToken }: ClaimedDelivery) =>
  ({ deliveryId, claimToken, providerMessageId: '42' }) as const;

const Row = z.record(z.string(), z.unknown());

function ask(text: string, values: unknown[] = [workspaceId]): Promise<unknown[]> {
  return queryRows(database.admin, Row, text, values);
}

/** Each row of the log: what it says, and of how many deliveries. */
const written = (): Promise<unknown[]> =>
  ask(
    `select action::text, cardinality(delivery_ids) as packed from outrider.event_log
     where workspace_id = $1 order by ts, action, packed`,
  );

const shown = (deliveryId: string): Promise<unknown[]> =>
  ask('select action::text, attempt from outrider.events where delivery_id = $1 order by ts', [
    deliveryId,
  ]);

describe('the event log', () => {
  it('has one row for the deliveries of a post, one for a claim, and one for what a commit records as sent', async () => {
    await take(database.service, workspaceId, { text: 'Lost: a ginger dog' }, start);
    const claimed = await claim(after(1));
    await commitSent(database.service, workspaceId, allSent(claimed), after(2));
    expect(await written()).toEqual([
      { action: 'enqueue', packed: 2 },
      { action: 'send_attempt', packed: 2 },
      { action: 'sent', packed: 2 },
    ]);
  });

  it('has a row of its own for a failure, and for a success of which there is more to say', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 4);
    const [one, two, three, four] = await claim(after(1));
    if (!one || !two || !three || !four) throw new Error('too few were claimed');
    const outcomes = [
      { ...plain(one), ok: true, meta: { raw: 1 } },
      { ...plain(two), ok: true },
      failed(three),
      { ...plain(four), ok: true, sentAt: after(1.5) },
    ] as const;
    await commitOutcomes(database.service, workspaceId, outcomes, after(2));
    expect(await written()).toEqual([
      { action: 'send_attempt', packed: 4 },
      { action: 'retry_scheduled', packed: null },
      { action: 'sent', packed: 1 },
      { action: 'sent', packed: null },
      { action: 'sent', packed: null },
    ]);
  });

  it('names a hundred deliveries in a row at most', async () => {
    await addBacklog(database.admin, workspaceId, ['news', 'sports'], 100);
    await database.admin.query(
      'update outrider.workspace_settings set claim_per_channel = 100 where workspace_id = $1',
      [workspaceId],
    );
    const claimed = await claim(after(1), 200);
    await commitSent(database.service, workspaceId, allSent(claimed), after(2));
    const rows = await ask(
      `select action::text, sum(cardinality(delivery_ids))::integer as of, max(cardinality(delivery_ids)) <= 100 as few
       from outrider.event_log where workspace_id = $1 group by action order by action`,
    );
    expect(rows).toEqual([
      { action: 'send_attempt', of: 200, few: true },
      { action: 'sent', of: 200, few: true },
    ]);
  });

  it('packs nothing but what every delivery goes through', async () => {
    const packed = `insert into outrider.event_log (workspace_id, id, delivery_ids, ts, action, attempt, result)
      values ($1, gen_random_uuid(), array[gen_random_uuid()], $2, 'dead_letter', 0, 'error')`;
    await expect(database.admin.query(packed, [workspaceId, start])).rejects.toMatchObject({
      constraint: 'only_what_every_delivery_goes_through_is_packed',
    });
  });
});

describe('outrider.events', () => {
  it('gives each event an id that stays, and no two the same', async () => {
    await addBacklog(database.admin, workspaceId, ['news', 'sports'], 5);
    await commitSent(database.service, workspaceId, allSent(await claim(after(1))), after(2));
    const ids = 'select id from outrider.events where workspace_id = $1 order by ts, id';
    const first = await ask(ids);
    expect(new Set(first.map((each) => JSON.stringify(each))).size).toBe(20);
    expect(await ask(ids)).toEqual(first);
  });

  it('knows each attempt of a delivery, with its number', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    const retry = { code: '429', scope: 'delivery', retryAfterMs: 1000 } as const;
    const [first] = await claim(after(1));
    if (first === undefined) throw new Error('nothing was claimed');
    await commitOutcomes(database.service, workspaceId, [failed(first, retry)], after(2));
    const [second] = await claim(after(1000));
    if (second === undefined) throw new Error('nothing was claimed');
    await commitSent(database.service, workspaceId, allSent([second]), after(1001));
    expect(await shown(first.deliveryId)).toEqual([
      { action: 'send_attempt', attempt: 1 },
      { action: 'retry_scheduled', attempt: 1 },
      { action: 'send_attempt', attempt: 2 },
      { action: 'sent', attempt: 2 },
    ]);
  });

  it('knows an attempt that was ended by hand', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    const [claimed] = await claim(after(1));
    const byHand = (more: string): Promise<unknown> =>
      database.admin.query(
        `update outrider.deliveries
         set status = 'retry', next_retry_at = $2, updated_at = $2, claim_token = null ${more}
         where delivery_id = $1`,
        [claimed?.deliveryId, after(2)],
      );
    await byHand(', sending_started_at = null');
    await claim(after(3));
    await byHand('');
    await claim(after(4));
    expect(await shown(claimed?.deliveryId ?? '')).toEqual([
      { action: 'send_attempt', attempt: 1 },
      { action: 'send_attempt', attempt: 2 },
      { action: 'send_attempt', attempt: 3 },
    ]);
  });

  it('knows an attempt whose time was changed by hand, more than once', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    const [claimed] = await claim(after(1));
    for (const time of [after(2), after(3)]) {
      await database.admin.query(
        'update outrider.deliveries set sending_started_at = $2 where delivery_id = $1',
        [claimed?.deliveryId, time],
      );
    }
    expect(await shown(claimed?.deliveryId ?? '')).toEqual([
      { action: 'send_attempt', attempt: 1 },
    ]);
  });

  it('shows no packed event of a delivery that was deleted, and the others as they were', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    const [gone, kept] = await claim(after(1));
    if (gone === undefined || kept === undefined) throw new Error('too few were claimed');
    const outcomes = [gone, kept].map((each) => failed(each));
    await commitOutcomes(database.service, workspaceId, outcomes, after(2));
    await database.admin.query('delete from outrider.deliveries where delivery_id = $1', [
      gone.deliveryId,
    ]);
    expect(
      await ask(
        `select action::text, delivery_id from outrider.events where workspace_id = $1
         order by ts, delivery_id nulls last`,
      ),
    ).toEqual([
      { action: 'send_attempt', delivery_id: kept.deliveryId },
      { action: 'retry_scheduled', delivery_id: kept.deliveryId },
      { action: 'retry_scheduled', delivery_id: null },
    ]);
  });
});
