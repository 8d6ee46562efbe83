import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type GivenError, markSent } from '../../src/db/commit.ts';
import { type Requeued, requeueDeliveries } from '../../src/db/operate.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
});

async function claim(now: string): Promise<ClaimedDelivery[]> {
  const request = { workspaceId, runId: 'run', limit: 10 };
  return claimDeliveries(database.service, request, now);
}

/** Claims what is due and fails it. */
async function fail(error: GivenError, now: string): Promise<void> {
  const held = await claim(now);
  const outcomes = held.map((each) => ({ ...each, ok: false, error }) as const);
  await commitOutcomes(database.service, workspaceId, outcomes, now);
}

const transient: GivenError = { category: 'TRANSIENT', scope: 'delivery', code: '500' };
const refused: GivenError = { category: 'PERMANENT', scope: 'delivery', code: '400' };
const banned: GivenError = { category: 'PERMANENT', scope: 'channel', code: '403' };

async function addDead(columns = {}): Promise<string> {
  const deliveryId = await addDelivery(database.admin, workspaceId, 'news', {
    attempt: 4,
    ...columns,
  });
  await fail(transient, start);
  return deliveryId;
}

async function addFailed(error = refused): Promise<string> {
  const deliveryId = await addDelivery(database.admin, workspaceId, 'news');
  await fail(error, start);
  return deliveryId;
}

async function requeue(ids: readonly string[], now = after(10)): Promise<Requeued[]> {
  const order = { operator: 'anna', reason: 'the chat is back' };
  return requeueDeliveries(database.service, { workspaceId, deliveryIds: ids, ...order }, now);
}

async function look(deliveryId: string): Promise<unknown> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select status, attempt, attempt_limit, next_retry_at, failed_at
     from outrider.deliveries where delivery_id = $1`,
    [deliveryId],
  );
  return rows[0];
}

async function requeueEvents(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select delivery_id, channel_id, ts, attempt, result, error,
       meta->>'operator' as operator, meta->>'reason' as reason, meta->>'from_status' as from_status
     from outrider.events where workspace_id = $1 and action = 'manual_requeue'`,
    [workspaceId],
  );
  return rows;
}

describe('a requeued delivery', () => {
  it('is due at once, with its attempts before it anew and none counted', async () => {
    const dead = await addDead();
    expect(await look(dead)).toMatchObject({ status: 'dead', attempt: 5, attempt_limit: 5 });
    expect(await requeue([dead])).toEqual([{ deliveryId: dead, requeued: true, note: null }]);
    expect(await look(dead)).toEqual({
      status: 'retry',
      attempt: 5,
      attempt_limit: 10,
      next_retry_at: '2026-03-02 10:00:10+00',
      failed_at: null,
    });
    expect(await claim(after(10))).toMatchObject([{ deliveryId: dead, attempt: 6 }]);
  });

  it('may be one that failed for good', async () => {
    const failed = await addFailed();
    expect(await requeue([failed])).toMatchObject([{ requeued: true }]);
    expect(await look(failed)).toMatchObject({ status: 'retry', attempt: 1, attempt_limit: 6 });
  });

  it('may not be one that the preflight refused', async () => {
    const failed = await addDelivery(database.admin, workspaceId, 'news', {
      status: 'failed_permanent',
      failed_at: start,
      last_error: JSON.stringify({ code: 'validation_failed' }),
    });
    expect(await requeue([failed])).toMatchObject([
      { requeued: false, note: expect.stringMatching(/never passed its checks/) },
    ]);
  });

  it('that was held because nobody knew whether it arrived goes out as one that did not', async () => {
    const unknown = { ...refused, code: 'outcome_unknown' };
    const heldBack = await addFailed(unknown);
    await requeue([heldBack]);
    expect(await claim(after(10))).toMatchObject([{ deliveryId: heldBack, outcomeUnknown: false }]);
  });

  it('that is dead and may have arrived is looked for first', async () => {
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news', { attempt: 4 });
    await fail({ ...transient, code: 'outcome_unknown' }, start);
    await requeue([deliveryId]);
    expect(await claim(after(10))).toMatchObject([{ deliveryId, outcomeUnknown: true }]);
  });

  it('leaves an event with who ordered it, why, and what it was', async () => {
    const dead = await addDead();
    const failed = await addFailed();
    await requeue([dead, failed]);
    const event = {
      channel_id: 'news',
      ts: '2026-03-02 10:00:10+00',
      result: 'ok',
      error: null,
      operator: 'anna',
      reason: 'the chat is back',
    };
    const events = await requeueEvents();
    expect(events).toHaveLength(2);
    expect(events).toContainEqual({ ...event, delivery_id: dead, attempt: 5, from_status: 'dead' });
    expect(events).toContainEqual({
      ...event,
      delivery_id: failed,
      attempt: 1,
      from_status: 'failed_permanent',
    });
  });

  it('goes the whole way from dead to sent', async () => {
    const dead = await addDead();
    await requeue([dead]);
    const [held] = await claim(after(10));
    if (held === undefined) throw new Error('nothing was claimed');
    await markSent(
      database.service,
      { workspaceId, ...held },
      { providerMessageId: '1' },
      after(11),
    );
    expect(await look(dead)).toMatchObject({ status: 'sent', attempt: 6 });
  });

  it('has as many attempts as a new one before it is dead again', async () => {
    const dead = await addDead();
    await requeue([dead]);
    for (let attempt = 6; attempt <= 10; attempt += 1) {
      expect(await look(dead)).toMatchObject({ status: 'retry' });
      await fail(transient, after(attempt * 3600));
    }
    expect(await look(dead)).toMatchObject({ status: 'dead', attempt: 10 });
    expect(await requeue([dead], after(40_000))).toMatchObject([{ requeued: true }]);
  });

  it('keeps its place in the order of arrival', async () => {
    const dead = await addDead();
    const later = await addDelivery(database.admin, workspaceId, 'news');
    await requeue([dead]);
    const order = (await claim(after(10))).map((each) => each.deliveryId);
    expect(order).toEqual([dead, later]);
  });
});

describe('a requeue that is spread over a time', () => {
  async function dueTimes(ids: readonly string[], over: string): Promise<unknown[]> {
    const order = { operator: 'anna', reason: 'outage over', over };
    const request = { workspaceId, deliveryIds: ids, ...order };
    await requeueDeliveries(database.service, request, after(10));
    const { rows }: { rows: { due: string }[] } = await database.admin.query(
      `select extract(epoch from next_retry_at - $2::timestamptz)::integer as due
       from outrider.deliveries where workspace_id = $1 and status = 'retry' order by seq`,
      [workspaceId, after(10)],
    );
    return rows.map((row) => row.due);
  }

  it('makes them due one after the other, evenly, in the order of their arrival', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 4; n += 1) ids.push(await addDead());
    expect(await dueTimes(ids.toReversed(), '10 minutes')).toEqual([0, 150, 300, 450]);
    expect(await claim(after(10))).toMatchObject([{ deliveryId: ids[0] }]);
    expect(await claim(after(159))).toEqual([]);
    expect(await claim(after(160))).toMatchObject([{ deliveryId: ids[1] }]);
  });

  it('leaves no gap for those that are refused', async () => {
    const [first, second] = [await addDead(), await addDead()];
    const queued = await addDelivery(database.admin, workspaceId, 'news', {
      not_before: after(3600),
    });
    expect(await dueTimes([first, queued, second], '1 minute')).toEqual([0, 30]);
  });

  it('says in each event when it is due', async () => {
    const [first, second] = [await addDead(), await addDead()];
    await dueTimes([first, second], '1 minute');
    const { rows }: { rows: unknown[] } = await database.admin.query(
      `select meta ->> 'next_retry_at' as due from outrider.events
       where workspace_id = $1 and action = 'manual_requeue' order by 1`,
      [workspaceId],
    );
    expect(rows).toEqual([
      { due: '2026-03-02T10:00:10+00:00' },
      { due: '2026-03-02T10:00:40+00:00' },
    ]);
  });

  it.each([
    ['-1 second', '-00:00:01'],
    ['8 days', '8 days'],
    ['691200 seconds', '8 days'],
  ])('takes no time such as %s', async (over, words) => {
    await expect(dueTimes([], over)).rejects.toMatchObject({
      sqlstate: 'OR001',
      message: `requeue_deliveries: over is ${words}; 0 s to 7 days are allowed`,
    });
  });
});

describe('a dry run of a requeue', () => {
  it('says what would become of each, and changes nothing', async () => {
    const dead = await addDead();
    const queued = await addDelivery(database.admin, workspaceId, 'news', {
      not_before: after(3600),
    });
    const before = [await look(dead), await look(queued)];
    const request = { workspaceId, deliveryIds: [dead, queued], operator: 'anna', reason: 'why' };
    const foretold = await requeueDeliveries(
      database.service,
      { ...request, dryRun: true },
      after(10),
    );
    expect([await look(dead), await look(queued)]).toEqual(before);
    expect(await requeueEvents()).toEqual([]);
    expect(foretold).toEqual(await requeueDeliveries(database.service, request, after(10)));
    expect(foretold).toContainEqual({ deliveryId: dead, requeued: true, note: null });
  });
});

describe('a requeue is refused, with its reason', () => {
  /** The reason, and whether anything changed all the same. */
  async function refusal(deliveryId: string): Promise<unknown> {
    const before = JSON.stringify(await look(deliveryId));
    const [answer] = await requeue([deliveryId]);
    const same = before === JSON.stringify(await look(deliveryId));
    const untouched = same && (await requeueEvents()).length === 0;
    return { requeued: answer?.requeued, note: answer?.note, untouched };
  }

  const because = (note: string): unknown => ({ requeued: false, note, untouched: true });

  it('for a delivery that is neither dead nor failed', async () => {
    const queued = await addDelivery(database.admin, workspaceId, 'news', {
      not_before: after(3600),
    });
    expect(await refusal(queued)).toEqual(because('it is "queued", neither dead nor failed'));
  });

  it('for one that was sent', async () => {
    const sent = await addDelivery(database.admin, workspaceId, 'news');
    const [held] = await claim(start);
    if (held === undefined) throw new Error('nothing was claimed');
    await markSent(database.service, { workspaceId, ...held }, { providerMessageId: '1' }, start);
    expect(await refusal(sent)).toEqual(because('it is "sent", neither dead nor failed'));
  });

  it('for one that this workspace does not have', async () => {
    expect(await refusal(randomUUID())).toEqual(
      because('there is no such delivery in this workspace'),
    );
    await addWorkspace(database.admin, `${workspaceId}-other`);
    await addChannel(database.admin, `${workspaceId}-other`, 'news');
    const foreign = await addDelivery(database.admin, `${workspaceId}-other`, 'news', {
      status: 'failed_permanent',
      failed_at: start,
    });
    expect(await refusal(foreign)).toEqual(because('there is no such delivery in this workspace'));
  });

  it('for one that failed for its channel, while that is paused or disabled', async () => {
    const failed = await addFailed(banned);
    expect(await refusal(failed)).toEqual(
      because(
        'it failed for its channel, which is still paused or disabled; resume or enable that first',
      ),
    );
    expect(await requeue([failed], after(3600))).toMatchObject([{ requeued: true }]);
  });

  it('for one whose message was accepted for the channel again', async () => {
    const messageId = await addMessage(database.admin, workspaceId);
    const old = await addDead({ message_id: messageId });
    await addDelivery(database.admin, workspaceId, 'news', {
      message_id: messageId,
      occurrence: 2,
      not_before: after(3600),
    });
    expect(await refusal(old)).toEqual(
      because('the same message was accepted for this channel again'),
    );
  });

  it('for each by itself: the others go', async () => {
    const dead = await addDead();
    const queued = await addDelivery(database.admin, workspaceId, 'news');
    const answers = await requeue([queued, dead, dead]);
    expect(answers).toHaveLength(2);
    expect(answers).toContainEqual({ deliveryId: dead, requeued: true, note: null });
    expect(answers).toContainEqual({
      deliveryId: queued,
      requeued: false,
      note: 'it is "queued", neither dead nor failed',
    });
  });
});
