import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../src/db/commit.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;
let messageId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'news');
  messageId = await addMessage(database.admin, workspaceId);
});

async function add(occurrence: number | null, columns = {}): Promise<string> {
  return addDelivery(database.admin, workspaceId, 'news', {
    message_id: messageId,
    occurrence,
    ...columns,
  });
}

/** The same as `add`, on a connection that is in a transaction. */
async function insert(client: pg.PoolClient, occurrence: number): Promise<void> {
  await client.query(
    `insert into outrider.deliveries
       (workspace_id, delivery_id, status, attempt_limit, not_before, updated_at, created_at, message_id,
        channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text)
     select $1, $2, 'queued', 5, $3, $3, $3, m.message_id, 'news', $4, 1, 'trace', m.content_hash, 'Lost'
     from outrider.messages m where m.workspace_id = $1 and m.message_id = $5`,
    [workspaceId, randomUUID(), start, occurrence, messageId],
  );
}

async function requeue(client: pg.Pool | pg.PoolClient, deliveryId: string): Promise<unknown> {
  const order = { operator: 'anna', reason: 'again' };
  const request = { workspaceId, deliveryIds: [deliveryId], ...order };
  return requeueDeliveries(client, request, after(10));
}

async function statuses(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select occurrence, status from outrider.deliveries
     where workspace_id = $1 and occurrence is not null order by occurrence`,
    [workspaceId],
  );
  return rows;
}

type Ending = 'sent' | 'failed_permanent' | 'dead';

/** Sends the one delivery that is due, with that end. */
async function end(ending: Ending): Promise<void> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(database.service, request, start);
  if (held === undefined) throw new Error('nothing was claimed');
  await database.admin.query(
    'update outrider.deliveries set attempt_limit = 1 where delivery_id = $1',
    [held.deliveryId],
  );
  const category = ending === 'dead' ? 'TRANSIENT' : 'PERMANENT';
  const outcome: Outcome =
    ending === 'sent'
      ? { ...held, ok: true, providerMessageId: '1' }
      : { ...held, ok: false, error: { category, scope: 'delivery', code: '400' } };
  await commitOutcomes(database.service, workspaceId, [outcome], start);
}

/** Resolves when that backend waits for a lock. */
async function waiting(pid: number): Promise<void> {
  for (;;) {
    const { rowCount } = await database.admin.query(
      "select from pg_stat_activity where pid = $1 and wait_event_type = 'Lock'",
      [pid],
    );
    if (rowCount === 1) return;
  }
}

/**
 * Two transactions at once: `first` has done its work and is open when `second` begins; it commits
 * once `second` waits for it.
 */
async function race(
  first: (client: pg.PoolClient) => Promise<unknown>,
  second: (client: pg.PoolClient) => Promise<unknown>,
): Promise<unknown> {
  const [one, two] = [await database.admin.connect(), await database.admin.connect()];
  try {
    await one.query('begin');
    await first(one);
    await two.query('begin');
    const { rows } = await two.query<{ pid: number }>('select pg_backend_pid() as pid');
    const outcome = second(two).then(
      async (value) => {
        await two.query('commit');
        return value;
      },
      async (error: unknown) => {
        await two.query('rollback');
        return error;
      },
    );
    await waiting(rows[0]?.pid ?? 0);
    await one.query('commit');
    return await outcome;
  } finally {
    one.release();
    two.release();
  }
}

describe('the same occurrence of a message for a channel', () => {
  it('is accepted once', async () => {
    await add(1);
    await expect(add(1)).rejects.toMatchObject({
      code: '23505',
      constraint: 'a_message_meets_a_channel_once_per_occurrence',
    });
  });

  it('is accepted once of two that are inserted at the same instant', async () => {
    const loser = await race(
      (one) => insert(one, 1),
      (two) => insert(two, 1),
    );
    expect(loser).toMatchObject({ code: '23505' });
    expect(await statuses()).toEqual([{ occurrence: 1, status: 'queued' }]);
  });

  it('is accepted when the other one is rolled back', async () => {
    const client = await database.admin.connect();
    await client.query('begin');
    await insert(client, 1);
    await client.query('rollback');
    client.release();
    await add(1);
    expect(await statuses()).toHaveLength(1);
  });

  it('may go to another channel', async () => {
    await add(1);
    await addChannel(database.admin, workspaceId, 'other');
    await addDelivery(database.admin, workspaceId, 'other', { message_id: messageId });
    expect(await statuses()).toHaveLength(2);
  });

  it('is not taken up by a suppressed repeat, of which there may be many', async () => {
    await add(1);
    await add(null, { status: 'deduped' });
    await add(null, { status: 'deduped' });
    await expect(add(null)).rejects.toMatchObject({
      constraint: 'occurrences_count_from_one_and_only_deduped_has_none',
    });
  });
});

describe('a repeat', () => {
  it('is refused while the one before it is queued', async () => {
    await add(1);
    await expect(add(2)).rejects.toMatchObject({ code: 'OR005' });
  });

  it('is refused while the one before it rests with a slot ahead', async () => {
    await database.admin.query(
      'update outrider.channels set rate_rps = 1 where workspace_id = $1',
      [workspaceId],
    );
    await database.admin.query(
      'update outrider.channel_pace set next_allowed_at = $2 where workspace_id = $1',
      [workspaceId, after(60)],
    );
    await add(1);
    await claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 1 }, start);
    expect(await statuses()).toEqual([{ occurrence: 1, status: 'claimed' }]);
    await expect(add(2)).rejects.toMatchObject({ code: 'OR005' });
  });

  it('is refused while the one before it is being sent, and while it waits for a retry', async () => {
    await add(1);
    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, start);
    if (held === undefined) throw new Error('nothing was claimed');
    await expect(add(2)).rejects.toMatchObject({
      code: 'OR005',
      message: expect.stringMatching(
        `repeats delivery ${held.deliveryId}, which is still "sending"`,
      ),
    });
    const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' } as const;
    await commitOutcomes(database.service, workspaceId, [{ ...held, ok: false, error }], start);
    await expect(add(2)).rejects.toMatchObject({ code: 'OR005' });
    expect(await statuses()).toEqual([{ occurrence: 1, status: 'retry' }]);
  });

  it.each(['sent', 'failed_permanent', 'dead'] as const)(
    'is accepted once the one before it is %s',
    async (ending) => {
      await add(1);
      await end(ending);
      await add(2);
      expect(await statuses()).toEqual([
        { occurrence: 1, status: ending },
        { occurrence: 2, status: 'queued' },
      ]);
      await expect(add(3)).rejects.toMatchObject({ code: 'OR005' });
    },
  );
});

describe('a requeue of an old occurrence', () => {
  it('is refused after a repeat was accepted, also by the table itself', async () => {
    const old = await add(1);
    await end('dead');
    await add(2);
    expect(await requeue(database.service, old)).toMatchObject([{ requeued: false }]);
    const direct = database.admin.query(
      `update outrider.deliveries set status = 'retry', next_retry_at = $2, failed_at = null
       where delivery_id = $1`,
      [old, start],
    );
    await expect(direct).rejects.toMatchObject({ code: 'OR005' });
  });

  it('is refused when the repeat was first by a moment', async () => {
    const old = await add(1);
    await end('dead');
    const answer = await race(
      (one) => insert(one, 2),
      (two) => requeue(two, old),
    );
    expect(answer).toMatchObject([{ requeued: false }]);
    expect(await statuses()).toEqual([
      { occurrence: 1, status: 'dead' },
      { occurrence: 2, status: 'queued' },
    ]);
  });

  it('goes through when it was first by a moment, and the repeat is refused', async () => {
    const old = await add(1);
    await end('dead');
    const answer = await race(
      (one) => requeue(one, old),
      (two) => insert(two, 2),
    );
    expect(answer).toMatchObject({ code: 'OR005' });
    expect(await statuses()).toEqual([{ occurrence: 1, status: 'retry' }]);
  });
});
