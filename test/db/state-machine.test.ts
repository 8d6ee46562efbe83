import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPool } from '../../src/db/pool.ts';
import {
  addChannel,
  addDelivery,
  addMessage,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const statuses = [
  'queued',
  'claimed',
  'sending',
  'sent',
  'retry',
  'deduped',
  'failed_permanent',
  'dead',
] as const;
type Status = (typeof statuses)[number];

const lawful: Readonly<Record<Status, readonly Status[]>> = {
  queued: ['claimed', 'sending', 'failed_permanent', 'deduped'],
  retry: ['claimed', 'sending', 'failed_permanent', 'deduped', 'dead'],
  claimed: ['sending', 'queued', 'retry', 'dead'],
  sending: ['sent', 'retry', 'failed_permanent', 'dead'],
  dead: ['retry'],
  failed_permanent: ['retry', 'sent'],
  sent: [],
  deduped: [],
};

const pairs = statuses.flatMap((from) =>
  statuses.filter((to) => to !== from).map((to): [Status, Status] => [from, to]),
);
const allowed = pairs.filter(([from, to]) => lawful[from].includes(to));
const forbidden = pairs.filter(([from, to]) => !lawful[from].includes(to));

interface Columns {
  attempt: number;
  claim_token: string | null;
  claimed_at: string | null;
  sending_started_at: string | null;
  sent_at: string | null;
  provider_message_id: string | null;
  next_retry_at: string | null;
  failed_at: string | null;
  outcome_unknown: boolean;
}

/** A row that no CHECK objects to, so that only the change of status can be at fault. */
function columnsOf(status: Status, attempt: number): Columns {
  const held = status === 'claimed' || status === 'sending';
  const failed = status === 'dead' || status === 'failed_permanent';
  return {
    attempt,
    claim_token: held ? randomUUID() : null,
    claimed_at: held ? start : null,
    sending_started_at: status === 'sending' ? start : null,
    sent_at: status === 'sent' ? start : null,
    provider_message_id: status === 'sent' ? '42' : null,
    next_retry_at: status === 'retry' ? start : null,
    failed_at: failed ? start : null,
    outcome_unknown: status === 'failed_permanent',
  };
}

const database = await useDatabase();

/** Fires no triggers: it puts rows into states that they could not start in. */
let placing: pg.Pool;

/** May move deliveries to claimed and sending, as claim_deliveries may. */
let claiming: pg.Pool;

function poolWith(setting: string): pg.Pool {
  const url = new URL(database.url);
  url.searchParams.set('options', `-c ${setting}`);
  return openPool({ url: url.toString(), applicationName: 'outrider test' });
}

beforeAll(async () => {
  placing = poolWith('session_replication_role=replica');
  claiming = poolWith('outrider.claiming=on');
  await addWorkspace(database.admin, 'w');
  await addChannel(database.admin, 'w', 'c');
});

afterAll(() => Promise.all([placing.end(), claiming.end()]));

async function place(status: Status, attempt = 1): Promise<string> {
  return addDelivery(placing, 'w', 'c', { status, ...columnsOf(status, attempt) });
}

/** As superuser, and as a claim does: what the table refuses to this login it refuses to everybody. */
async function move(
  deliveryId: string,
  to: Status,
  columns: Columns,
  client: pg.Pool | pg.PoolClient = claiming,
): Promise<void> {
  const names = Object.keys(columns);
  await client.query(
    `update outrider.deliveries set status = $2, updated_at = $3,
       ${names.map((name, index) => `${name} = $${index + 4}`).join(', ')}
     where delivery_id = $1`,
    [deliveryId, to, after(1), ...Object.values(columns)],
  );
}

async function statusOf(deliveryId: string): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    'select status from outrider.deliveries where delivery_id = $1',
    [deliveryId],
  );
  return rows;
}

const attemptAfter = (to: Status): number => (to === 'sending' ? 2 : 1);

describe('the state machine', () => {
  it('knows 56 changes of status: 20 lawful ones and 36 others', () => {
    expect([pairs.length, allowed.length, forbidden.length]).toEqual([56, 20, 36]);
  });

  it.each(allowed)('lets a delivery go from %s to %s', async (from, to) => {
    const id = await place(from);
    await move(id, to, columnsOf(to, attemptAfter(to)));
    expect(await statusOf(id)).toEqual([{ status: to }]);
  });

  it.each(forbidden)('refuses to let a delivery go from %s to %s', async (from, to) => {
    for (const attempt of [1, 2]) {
      const id = await place(from);
      await expect(move(id, to, columnsOf(to, attempt))).rejects.toMatchObject({
        code: 'OR004',
        message: `delivery ${id} cannot go from "${from}" to "${to}"`,
      });
      expect(await statusOf(id)).toEqual([{ status: from }]);
    }
  });

  it.each(statuses)('lets a delivery that stays %s be updated', async (status) => {
    const id = await place(status);
    await move(id, status, columnsOf(status, 1));
    expect(await statusOf(id)).toEqual([{ status }]);
  });
});

describe('a move by hand', () => {
  const held = allowed.filter(([, to]) => to === 'claimed' || to === 'sending');

  it.each(held)('from %s to %s is refused: it brings no slot and no lease', async (from, to) => {
    const id = await place(from);
    const moved = move(id, to, columnsOf(to, attemptAfter(to)), database.admin);
    await expect(moved).rejects.toMatchObject({
      code: 'OR004',
      message: `delivery ${id} cannot go from "${from}" to "${to}"`,
      hint: expect.stringMatching(/Only claim_deliveries moves a delivery to claimed or sending/),
    });
    expect(await statusOf(id)).toEqual([{ status: from }]);
  });
});

describe('a delivery that failed for good', () => {
  async function placeFailed(outcomeUnknown: boolean): Promise<string> {
    const columns = { ...columnsOf('failed_permanent', 1), outcome_unknown: outcomeUnknown };
    return addDelivery(placing, 'w', 'c', { status: 'failed_permanent', ...columns });
  }

  it('becomes sent only where nobody knows whether it arrived', async () => {
    const id = await placeFailed(false);
    await expect(move(id, 'sent', columnsOf('sent', 1))).rejects.toMatchObject({
      code: 'OR004',
      message: `delivery ${id} cannot go from "failed_permanent" to "sent"`,
    });
  });

  it('is in doubt no longer when it becomes sent', async () => {
    const id = await placeFailed(true);
    const inDoubt = { ...columnsOf('sent', 1), outcome_unknown: true };
    await expect(move(id, 'sent', inDoubt)).rejects.toMatchObject({ code: 'OR004' });
  });
});

describe('a claim that goes straight to sending', () => {
  const direct = ['queued', 'retry', 'claimed'] as const;

  it.each(direct)('must count exactly one attempt, from %s', async (from) => {
    for (const attempt of [0, 1, 3]) {
      const id = await place(from);
      await expect(move(id, 'sending', columnsOf('sending', attempt))).rejects.toMatchObject({
        code: 'OR004',
      });
    }
  });

  const needed = ['claim_token', 'claimed_at', 'sending_started_at'] as const;
  const missing = direct.flatMap((from) =>
    needed.map((column): [Status, string] => [from, column]),
  );

  it.each(missing)('from %s without %s is refused by a constraint', async (from, column) => {
    const id = await place(from);
    const columns = { ...columnsOf('sending', 2), [column]: null };
    await expect(move(id, 'sending', columns)).rejects.toMatchObject({ code: '23514' });
    expect(await statusOf(id)).toEqual([{ status: from }]);
  });

  it.each(missing)('from %s without %s is refused by the trigger too', async (from, column) => {
    const id = await place(from);
    const columns = { ...columnsOf('sending', 2), [column]: null };
    const client = await claiming.connect();
    try {
      await client.query('begin');
      await client.query(`alter table outrider.deliveries
        drop constraint claimed_and_sending_hold_a_token_and_no_other_does,
        drop constraint a_holder_is_dated,
        drop constraint sending_is_dated`);
      const moved = move(id, 'sending', columns, client);
      await expect(moved).rejects.toMatchObject({ code: 'OR004' });
    } finally {
      await client.query('rollback');
      client.release();
    }
  });
});

describe('the attempt', () => {
  const uncounted = allowed.filter(([, to]) => to !== 'sending');

  it.each(uncounted)('does not change on the way from %s to %s', async (from, to) => {
    for (const attempt of [0, 2]) {
      const id = await place(from);
      await expect(move(id, to, columnsOf(to, attempt))).rejects.toMatchObject({ code: 'OR004' });
    }
  });

  it.each(statuses)('does not change while a delivery stays %s', async (status) => {
    const id = await place(status);
    for (const attempt of [0, 2]) {
      await expect(move(id, status, columnsOf(status, attempt))).rejects.toMatchObject({
        code: 'OR004',
      });
    }
  });

  it('never exceeds its limit', async () => {
    const id = await place('queued', 5);
    await expect(move(id, 'sending', columnsOf('sending', 6))).rejects.toMatchObject({
      constraint: 'attempts_stay_within_their_limit',
    });
  });
});

describe('when a delivery was sent', () => {
  it('never changes', async () => {
    const id = await place('sent');
    const change = 'update outrider.deliveries set sent_at = $2 where delivery_id = $1';
    await expect(database.admin.query(change, [id, after(9)])).rejects.toMatchObject({
      code: 'OR004',
      message: `delivery ${id} cannot change when it was sent`,
    });
  });
});

describe('a new delivery', () => {
  const starting: readonly Status[] = ['queued', 'deduped', 'failed_permanent'];

  it.each(starting)('may start as %s', async (status) => {
    const id = await addDelivery(database.admin, 'w', 'c', { status, ...columnsOf(status, 0) });
    expect(await statusOf(id)).toEqual([{ status }]);
  });

  it.each(statuses.filter((status) => !starting.includes(status)))(
    'cannot start as %s',
    async (status) => {
      for (const attempt of [0, 1]) {
        const messageId = await addMessage(database.admin, 'w');
        const columns = { status, message_id: messageId, ...columnsOf(status, attempt) };
        await expect(addDelivery(database.admin, 'w', 'c', columns)).rejects.toMatchObject({
          code: 'OR004',
          message: expect.stringMatching(new RegExp(`cannot start as "${status}"$`)),
        });
        const left = await database.admin.query(
          'select from outrider.deliveries where message_id = $1',
          [messageId],
        );
        expect(left.rowCount).toBe(0);
      }
    },
  );

  it('that is being sent keeps others of the same statement out', async () => {
    const ids = [await addMessage(database.admin, 'w'), await addMessage(database.admin, 'w')];
    const inserted = database.admin.query(
      `insert into outrider.deliveries
         (workspace_id, delivery_id, status, attempt, attempt_limit, not_before, updated_at, created_at, claimed_at,
          sending_started_at, claim_token, message_id, channel_id, occurrence, hash_version, trace_id, content_hash,
          rendered_text)
       select 'w', gen_random_uuid(), s, is_sending::integer, 5, t, t, t, case when is_sending then t end,
         case when is_sending then t end, case when is_sending then gen_random_uuid() end, m, 'c', 1, 1, 'trace', 'hash',
         'Lost'
       from unnest($1::uuid[], '{queued,sending}'::outrider.delivery_status[]) as u (m, s)
       cross join lateral (select s = 'sending' as is_sending, $2::timestamptz as t) i`,
      [ids, start],
    );
    await expect(inserted).rejects.toMatchObject({
      code: 'OR004',
      message: expect.stringMatching(/cannot start as "sending"$/),
    });
    const left = 'select from outrider.deliveries where message_id = any ($1)';
    expect((await database.admin.query(left, [ids])).rowCount).toBe(0);
  });

  const notByEnqueue = [
    ['claimed', 1],
    ['sent', 1],
    ['retry', 1],
    ['dead', 1],
    ['sending', 0],
    ['sending', 2],
  ] as const;

  it.each(notByEnqueue)(
    'cannot start as %s with attempt %i where an enqueue claims',
    async (...on) => {
      const [status, attempt] = on;
      const columns = { status, ...columnsOf(status, attempt) };
      await expect(addDelivery(claiming, 'w', 'c', columns)).rejects.toMatchObject({
        code: 'OR004',
        message: expect.stringMatching(new RegExp(`cannot start as "${status}"$`)),
      });
    },
  );

  it('starts as sending with its first attempt where an enqueue claims', async () => {
    const columns = { status: 'sending', ...columnsOf('sending', 1) };
    const id = await addDelivery(claiming, 'w', 'c', columns);
    expect(await statusOf(id)).toEqual([{ status: 'sending' }]);
  });
});
