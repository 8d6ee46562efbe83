import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries, extendLeases } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { type Released, releaseStale } from '../../src/db/operate.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import {
  addBacklog,
  addChannel,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { sent } from '../support/queue/outcomes.ts';
import { countQueue } from '../support/queue/queue-counts.ts';

// What somebody holds and does not get on with, given back by the function and, as the document has it, by hand.

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database, { sending_lease: '30 minutes' });
});

async function claim(now: string): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 10 }, now);
}

/** A channel with room for one, which is taken; two more wait. */
async function stuck(): Promise<ClaimedDelivery> {
  await addChannel(database.admin, workspaceId, 'news', { max_parallel: 1 });
  await addBacklog(database.admin, workspaceId, ['news'], 3);
  const [held] = await claim(start);
  if (held === undefined) throw new Error('nothing was claimed');
  return held;
}

function release(now = after(700), dryRun = false): Promise<Released[]> {
  const order = { olderThan: '10 minutes', operator: 'anna', reason: 'a sender hangs', dryRun };
  return releaseStale(database.service, { workspaceId, ...order }, now);
}

async function rows(table: string, columns: string, rest = ''): Promise<unknown[]> {
  const found: { rows: unknown[] } = await database.admin.query(
    `select ${columns} from outrider.${table} where workspace_id = $1 ${rest}`,
    [workspaceId],
  );
  return found.rows;
}

describe('a delivery that has been sent for longer than that', () => {
  it('goes to retry with its outcome unknown, though its lease is extended', async () => {
    const held = await stuck();
    await extendLeases(database.service, workspaceId, [held.claimToken], after(690));
    expect(await release()).toEqual([
      {
        deliveryId: held.deliveryId,
        channelId: 'news',
        was: 'sending',
        since: new Date(start),
        became: 'retry',
      },
    ]);
    const columns = 'status, attempt, outcome_unknown, claim_token, next_retry_at';
    expect(await rows('deliveries', columns, `and delivery_id = '${held.deliveryId}'`)).toEqual([
      {
        status: 'retry',
        attempt: 1,
        outcome_unknown: true,
        claim_token: null,
        next_retry_at: '2026-03-02 10:11:50+00',
      },
    ]);
  });

  it('keeps no place in its channel', async () => {
    await stuck();
    expect(await claim(after(700))).toEqual([]);
    await release();
    expect(await rows('leases', '*')).toEqual([]);
    expect(await claim(after(700))).toHaveLength(1);
    expect(await countQueue(database.admin, workspaceId)).toMatchObject({ strays: 0 });
  });

  it('leaves the lease to what its claim goes on sending', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    const [first, second] = await claim(start);
    if (!first || !second) throw new Error('too few were claimed');
    await database.admin.query(
      'update outrider.deliveries set sending_started_at = $2 where delivery_id = $1',
      [second.deliveryId, after(600)],
    );
    expect(await release()).toMatchObject([{ deliveryId: first.deliveryId }]);
    expect(await rows('leases', 'open_count')).toEqual([{ open_count: 1 }]);
    await commitOutcomes(database.service, workspaceId, [sent(second)], after(701));
    expect(await rows('leases', '*')).toEqual([]);
  });

  it('is not changed by what its sender commits afterwards', async () => {
    const held = await stuck();
    await release();
    const [verdict] = await commitOutcomes(database.service, workspaceId, [sent(held)], after(701));
    expect(verdict).toMatchObject({ became: null, note: expect.stringMatching(/^stale: /) });
  });

  it('is dead when that was its last attempt', async () => {
    const held = await stuck();
    await database.admin.query(
      'update outrider.deliveries set attempt_limit = 1 where delivery_id = $1',
      [held.deliveryId],
    );
    expect(await release()).toMatchObject([{ became: 'dead' }]);
    expect(await rows('leases', '*')).toEqual([]);
  });

  it('leaves events that say who, why, and that it may have arrived', async () => {
    const held = await stuck();
    await release();
    const columns = "delivery_id, action, attempt, result, meta ->> 'operator' as operator";
    const order = "and action <> 'send_attempt' order by action::text";
    const event = { delivery_id: held.deliveryId, attempt: 1 };
    expect(await rows('events', columns, order)).toEqual([
      { ...event, action: 'manual_requeue', result: 'ok', operator: 'anna' },
      { ...event, action: 'sending_lease_expired', result: 'error', operator: null },
    ]);
  });
});

describe('what is not stale', () => {
  it('stays: a send that was begun lately, and a slot that lies ahead', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.001, max_parallel: 5 });
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    await claim(start);
    expect(await release(after(600))).toEqual([]);
    expect(await release(after(700))).toMatchObject([{ was: 'sending' }]);
  });

  it('is what a commit in progress is about', async () => {
    const held = await stuck();
    const other = await database.service.connect();
    try {
      await other.query('begin');
      await commitOutcomes(other, workspaceId, [sent(held)], after(699));
      expect(await release()).toEqual([]);
      await other.query('commit');
    } finally {
      other.release();
    }
    expect(await rows('deliveries', 'status', "and status = 'sent'")).toHaveLength(1);
  });

  it('is what another workspace holds', async () => {
    await stuck();
    workspaceId = `${workspaceId}-other`;
    await addWorkspace(database.admin, workspaceId);
    expect(await release()).toEqual([]);
  });
});

describe('a slot that nobody came for', () => {
  it('goes back to the queue, without an attempt', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.1, max_parallel: 5 });
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    await claim(start);
    expect(await release()).toMatchObject(
      expect.arrayContaining([
        expect.objectContaining({ was: 'claimed', became: 'queued' }),
        expect.objectContaining({ was: 'sending', became: 'retry' }),
      ]),
    );
    expect(await rows('deliveries', 'attempt, claim_token', "and status = 'queued'")).toEqual([
      { attempt: 0, claim_token: null },
    ]);
    expect(await claim(after(700))).toHaveLength(1);
  });
});

describe('a dry run', () => {
  it('says the same and changes nothing', async () => {
    await stuck();
    const before = await rows('deliveries', '*', 'order by seq');
    const foretold = await release(after(700), true);
    expect(await rows('deliveries', '*', 'order by seq')).toEqual(before);
    expect(await rows('leases', 'open_count')).toEqual([{ open_count: 1 }]);
    expect(await release()).toEqual(foretold);
  });
});

describe("the document's SQL of this operation, run by hand", () => {
  const asPrinted = (events: string): string => `
    with moved as (
      update deliveries d
      set status = 'retry',
          next_retry_at = now() + interval '15 seconds',
          claimed_at = null,
          claim_token = null,
          sending_started_at = null,
          updated_at = now()
      where d.workspace_id = $1
        and d.status in ('claimed', 'sending')
        and coalesce(d.sending_started_at, d.claimed_at) < now() - interval '10 minutes'
      returning d.workspace_id, d.delivery_id, d.message_id, d.channel_id, d.attempt
    )
    insert into ${events} (id, workspace_id, delivery_id, message_id, channel_id, ts, action, attempt, result, error, payload_ref, meta)
    select gen_random_uuid(), m.workspace_id, m.delivery_id, m.message_id, m.channel_id, now(),
           'manual_requeue', m.attempt, 'ok', null, null,
           jsonb_build_object('operator', $2::text, 'reason', 'manual_stuck_release')
    from moved m`;

  async function byHand(events: string): Promise<void> {
    const client = await database.admin.connect();
    try {
      await client.query('begin');
      await client.query('set local search_path = outrider, public');
      await client.query(asPrinted(events), [workspaceId, 'anna']);
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    } finally {
      client.release();
    }
  }

  it('is refused as it is printed, because events is a view, and changes nothing', async () => {
    await stuck();
    await expect(byHand('events')).rejects.toThrow('cannot insert into view "events"');
    expect(await rows('deliveries', 'status', "and status = 'sending'")).toHaveLength(1);
    expect(await rows('leases', 'open_count')).toEqual([{ open_count: 1 }]);
  });

  it('blocks nothing when it is written to the log: the channel goes on after the lease', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.1, max_parallel: 1 });
    await addBacklog(database.admin, workspaceId, ['news'], 3);
    await claim(start);
    await byHand('event_log');
    const later = new Date(Date.now() + 60_000).toISOString();
    await recoverLeases(database.service, workspaceId, later);
    expect(await rows('leases', '*')).toEqual([]);
    for (let n = 0; n < 3; n += 1) {
      const now = after(n * 10, later);
      const held = await claim(now);
      expect(held).toHaveLength(1);
      await commitOutcomes(
        database.service,
        workspaceId,
        held.map((each) => sent(each)),
        now,
      );
    }
    expect(await rows('deliveries', 'status', "and status <> 'sent'")).toEqual([]);
  });
});
