import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ClaimedDelivery,
  claimDeliveries,
  extendLeases,
  holdDelivery,
  releaseClaims,
} from '../../src/db/claim.ts';
import { commitOutcomes, markSent } from '../../src/db/commit.ts';
import { recoverLeases, staleWorkspaces } from '../../src/db/recovery.ts';
import {
  addBacklog,
  addChannel,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database, { sending_lease: '300 seconds' });
});

/** A channel with a backlog, and a claim of all that it gives. */
async function claimFrom(backlog: number, columns = {}): Promise<ClaimedDelivery[]> {
  await addChannel(database.admin, workspaceId, 'news', columns);
  await addBacklog(database.admin, workspaceId, ['news'], backlog);
  return claim(start);
}

async function claimTwo(): Promise<[ClaimedDelivery, ClaimedDelivery]> {
  const [first, second] = await claimFrom(2);
  if (!first || !second) throw new Error('too few were claimed');
  return [first, second];
}

async function claim(now: string): Promise<ClaimedDelivery[]> {
  const request = { workspaceId, runId: 'run', limit: 100 };
  return claimDeliveries(database.service, request, now);
}

async function recover(now: string): Promise<{ deliveryId: string; became: string }[]> {
  return recoverLeases(database.service, workspaceId, now);
}

async function rows(table: string, columns: string, rest = ''): Promise<unknown[]> {
  const found: { rows: unknown[] } = await database.admin.query(
    `select ${columns} from outrider.${table} where workspace_id = $1 ${rest}`,
    [workspaceId],
  );
  return found.rows;
}

const withoutSends = "and action <> 'send_attempt' order by action::text";

describe('a send whose lease has ended', () => {
  it('is recovered only after the lease time that the workspace chose', async () => {
    const [held] = await claimFrom(1);
    expect(await recover(after(300))).toEqual([]);
    expect(await recover(after(300.001))).toEqual([
      { deliveryId: held?.deliveryId, became: 'retry' },
    ]);
    expect(await recover(after(301))).toEqual([]);
  });

  it('is recovered after 30 s when the workspace chose nothing', async () => {
    workspaceId = await addNewWorkspace(database);
    await claimFrom(1);
    expect(await recover(after(30))).toEqual([]);
    expect(await recover(after(30.001))).toMatchObject([{ became: 'retry' }]);
  });

  it('goes to retry after 10 to 30 s, unlocked, with no attempt counted and its outcome unknown', async () => {
    await claimFrom(1);
    await recover(after(301));
    const columns = `status, attempt, outcome_unknown, claim_token, claimed_at, sending_started_at,
      next_retry_at between $$2026-03-02 10:05:11Z$$ and $$2026-03-02 10:05:31Z$$ as soon`;
    expect(await rows('deliveries', columns)).toEqual([
      {
        status: 'retry',
        attempt: 1,
        outcome_unknown: true,
        claim_token: null,
        claimed_at: null,
        sending_started_at: null,
        soon: true,
      },
    ]);
    expect(await rows('leases', '*')).toEqual([]);
  });

  it('leaves a sending_lease_expired event', async () => {
    const [held] = await claimFrom(1);
    await recover(after(301));
    expect(await rows('events', 'delivery_id, action, attempt, result, ts', withoutSends)).toEqual([
      {
        delivery_id: held?.deliveryId,
        action: 'sending_lease_expired',
        attempt: 1,
        result: 'error',
        ts: '2026-03-02 10:05:01+00',
      },
    ]);
  });

  it('is sent again with the next attempt, and then counts as any other', async () => {
    await claimFrom(1);
    await recover(after(301));
    expect(await claim(after(305))).toEqual([]);
    expect(await claim(after(331))).toMatchObject([{ attempt: 2, outcomeUnknown: true }]);
  });

  it('leaves the delivery dead when that was its last attempt', async () => {
    await claimFrom(1);
    await database.admin.query(
      'update outrider.deliveries set attempt_limit = 1 where workspace_id = $1',
      [workspaceId],
    );
    expect(await recover(after(301))).toMatchObject([{ became: 'dead' }]);
    const columns = 'status, attempt, claim_token, next_retry_at, failed_at';
    expect(await rows('deliveries', columns)).toEqual([
      {
        status: 'dead',
        attempt: 1,
        claim_token: null,
        next_retry_at: null,
        failed_at: '2026-03-02 10:05:01+00',
      },
    ]);
    expect(await rows('events', 'action', withoutSends)).toEqual([
      { action: 'dead_letter' },
      { action: 'sending_lease_expired' },
    ]);
  });

  it('makes room in its channel', async () => {
    await claimFrom(3, { max_parallel: 1 });
    expect(await claim(after(301))).toEqual([]);
    await recover(after(301));
    expect(await claim(after(301))).toHaveLength(1);
  });

  it('is left alone when its outcome was recorded: only the rest of the claim is recovered', async () => {
    const [first, second] = await claimTwo();
    await markSent(database.service, { workspaceId, ...first }, { providerMessageId: '1' }, start);
    expect(await recover(after(301))).toEqual([{ deliveryId: second.deliveryId, became: 'retry' }]);
  });

  it('is recovered alone: what its claim gave back and another claim holds now stays there', async () => {
    const [first, second] = await claimTwo();
    const again = { workspaceId, claimToken: first.claimToken, deliveryIds: [first.deliveryId] };
    await releaseClaims(database.service, again, after(289));
    const [later] = await claim(after(290));
    expect(later?.deliveryId).toBe(first.deliveryId);
    expect(await recover(after(301))).toEqual([{ deliveryId: second.deliveryId, became: 'retry' }]);
    expect(await rows('deliveries', 'status, claim_token', 'order by seq')).toEqual([
      { status: 'sending', claim_token: later?.claimToken },
      { status: 'retry', claim_token: null },
    ]);
    const left = { claim_token: later?.claimToken, open_count: 1 };
    expect(await rows('leases', 'claim_token, open_count')).toEqual([left]);
  });

  it('is left alone while its commit is in progress, which then succeeds', async () => {
    const [first, second] = await claimTwo();
    const other = await database.service.connect();
    try {
      await other.query('begin');
      await commitOutcomes(
        other,
        workspaceId,
        [{ ...first, ok: true, providerMessageId: '1' }],
        after(301),
      );
      expect(await recover(after(301))).toEqual([]);
      await other.query('commit');
    } finally {
      other.release();
    }
    expect(await recover(after(301))).toEqual([{ deliveryId: second.deliveryId, became: 'retry' }]);
    expect(await rows('deliveries', 'status', 'order by seq')).toEqual([
      { status: 'sent' },
      { status: 'retry' },
    ]);
    expect(await rows('leases', '*')).toEqual([]);
  });
});

describe('a delivery that somebody has locked', () => {
  it('is skipped, and its lease stays for the next round', async () => {
    const [first, second] = await claimFrom(2);
    const other = await database.admin.connect();
    try {
      const lock = 'select from outrider.deliveries where delivery_id = $1 for no key update';
      await other.query('begin');
      await other.query(lock, [first?.deliveryId]);
      expect(await recover(after(301))).toMatchObject([{ deliveryId: second?.deliveryId }]);
      expect(await rows('leases', 'open_count')).toEqual([{ open_count: 1 }]);
    } finally {
      await other.query('rollback');
      other.release();
    }
    expect(await recover(after(301))).toMatchObject([{ deliveryId: first?.deliveryId }]);
    expect(await rows('leases', '*')).toEqual([]);
  });
});

describe('a delivery that was moved out of sending by hand', () => {
  // As a runbook has it: the delivery is set right, and nobody thinks of the lease.
  const release = `update outrider.deliveries set status = 'retry', next_retry_at = updated_at, claim_token = null,
    claimed_at = null, sending_started_at = null where workspace_id = $1 and status = 'sending'`;

  it('holds its place in the channel no longer than its lease', async () => {
    await claimFrom(3, { max_parallel: 1 });
    await database.admin.query(release, [workspaceId]);
    expect(await claim(after(300))).toEqual([]);
    expect(await recover(after(301))).toEqual([]);
    expect(await rows('leases', '*')).toEqual([]);
    expect(await staleWorkspaces(database.service, after(301))).not.toContain(workspaceId);
    expect(await claim(after(301))).toHaveLength(1);
  });

  it('is counted as being sent until that is committed', async () => {
    await claimFrom(3, { max_parallel: 1 });
    const operator = await database.admin.connect();
    try {
      await operator.query('begin');
      await operator.query(release, [workspaceId]);
      expect(await recover(after(301))).toEqual([]);
      expect(await rows('leases', 'open_count')).toEqual([{ open_count: 1 }]);
      await operator.query('commit');
    } finally {
      operator.release();
    }
    await recover(after(301));
    expect(await rows('leases', '*')).toEqual([]);
  });

  it('leaves the rest of its claim to the lease', async () => {
    const [first, second] = await claimTwo();
    await database.admin.query(`${release} and delivery_id = $2`, [workspaceId, first.deliveryId]);
    const outcome = { ...second, ok: true, providerMessageId: '1' } as const;
    await commitOutcomes(database.service, workspaceId, [outcome], after(1));
    expect(await rows('leases', 'open_count')).toEqual([{ open_count: 1 }]);
    await recover(after(301));
    expect(await rows('leases', '*')).toEqual([]);
  });
});

describe('a slot given out ahead that nobody came for', () => {
  it('goes back to the queue after the claimed lease, without an attempt', async () => {
    await claimFrom(2, { rate_rps: 0.1 });
    expect(await recover(after(300))).toEqual([]);
    expect(await recover(after(300.001))).toMatchObject([
      { became: 'retry' },
      { became: 'queued' },
    ]);
    const columns = 'attempt, claim_token, claimed_at';
    expect(await rows('deliveries', columns, "and status = 'queued'")).toEqual([
      { attempt: 0, claim_token: null, claimed_at: null },
    ]);
    const events = "and action = 'claimed_lease_expired'";
    expect(await rows('events', 'attempt, result', events)).toEqual([{ attempt: 0, result: 'ok' }]);
    expect(await claim(after(301))).toHaveLength(1);
  });

  it('stays while it lies ahead, however long ago it was claimed', async () => {
    await claimFrom(3, { rate_rps: 0.001 });
    await recover(after(1400));
    expect(await rows('deliveries', 'status', 'order by seq')).toEqual([
      { status: 'retry' },
      { status: 'queued' },
      { status: 'claimed' },
    ]);
  });
});

describe('a lease that is extended', () => {
  async function extend(held: ClaimedDelivery, now: string): Promise<unknown[]> {
    return extendLeases(database.service, workspaceId, [held.claimToken], now);
  }

  it('lasts the lease time from then on', async () => {
    const [held] = await claimTwo();
    const { claimToken } = held;
    expect(await extend(held, after(200))).toEqual([{ claimToken, leaseMs: 300_000 }]);
    expect(await rows('leases', 'lease_until')).toEqual([
      { lease_until: '2026-03-02 10:08:20+00' },
    ]);
    expect(await recover(after(500))).toEqual([]);
    expect(await recover(after(501))).toHaveLength(2);
  });

  it('never ends earlier than before', async () => {
    const [held] = await claimTwo();
    await extend(held, after(-100));
    expect(await rows('leases', 'lease_until')).toEqual([
      { lease_until: '2026-03-02 10:05:00+00' },
    ]);
  });

  it('is missing from the answer when it was recovered', async () => {
    const [held] = await claimTwo();
    await recover(after(301));
    expect(await extend(held, after(302))).toEqual([]);
  });
});

describe('a claim that asks for a lease of its own', () => {
  async function claimFor(lease: string): Promise<ClaimedDelivery> {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    const request = { workspaceId, runId: 'run', limit: 1, lease };
    const [held] = await claimDeliveries(database.service, request, start);
    if (held === undefined) throw new Error('nothing was claimed');
    return held;
  }

  it('has it, whatever the workspace has chosen', async () => {
    const held = await claimFor('10 minutes');
    expect(held.leaseMs).toBe(600_000);
    expect(await recover(after(600))).toEqual([]);
    expect(await recover(after(600.001))).toHaveLength(1);
  });

  it('is extended by the same', async () => {
    const { claimToken } = await claimFor('10 minutes');
    const extended = await extendLeases(database.service, workspaceId, [claimToken], after(500));
    expect(extended).toEqual([{ claimToken, leaseMs: 600_000 }]);
    expect(await recover(after(1100))).toEqual([]);
    expect(await recover(after(1101))).toHaveLength(1);
  });

  it.each(['1 second', '1 day'])('may ask for %s', async (lease) => {
    expect((await claimFor(lease)).leaseMs).toBe(lease === '1 day' ? 86_400_000 : 1000);
  });

  it.each(['0 seconds', '999 milliseconds', '-1 minutes', '24 hours 1 second', '1 month'])(
    'may not ask for %s',
    async (lease) => {
      await expect(claimFor(lease)).rejects.toThrow(
        /^claim_deliveries: lease is .*; 1 second to 1 day are allowed$/,
      );
    },
  );

  it('outlasts a sender that sends one by one and extends nothing', async () => {
    const channels = Array.from({ length: 40 }, (_, n) => `c${n}`);
    for (const id of channels) await addChannel(database.admin, workspaceId, id);
    await addBacklog(database.admin, workspaceId, channels, 1);
    await database.admin.query(
      "update outrider.workspace_settings set sending_lease = '30 seconds' where workspace_id = $1",
      [workspaceId],
    );
    const request = { workspaceId, runId: 'run', limit: 40, lease: '5 minutes' };
    const held = await claimDeliveries(database.service, request, start);
    expect(held).toHaveLength(40);
    for (const [second, each] of held.entries()) {
      const sent = { ...each, ok: true, providerMessageId: '1' } as const;
      expect(await recover(after(second))).toEqual([]);
      const [verdict] = await commitOutcomes(
        database.service,
        workspaceId,
        [sent],
        after(second + 1),
      );
      expect(verdict?.became).toBe('sent');
    }
    expect(await claim(after(41))).toEqual([]);
  });
});

describe('claims that are released', () => {
  it('are due again at once, and the attempt does not weigh', async () => {
    const [first] = await claimTwo();
    const released = await releaseClaims(
      database.service,
      { workspaceId, claimToken: first.claimToken, deliveryIds: [first.deliveryId] },
      after(1),
    );
    expect(released).toEqual([first.deliveryId]);
    const left = 'status, attempt_limit - attempt as left, claim_token, outcome_unknown';
    expect(await rows('deliveries', left, "and status = 'retry'")).toEqual([
      { status: 'retry', left: 5, claim_token: null, outcome_unknown: false },
    ]);
    expect(await rows('leases', 'open_count')).toEqual([{ open_count: 1 }]);
    expect(await rows('events', 'delivery_id, action', withoutSends)).toEqual([
      { delivery_id: first.deliveryId, action: 'claim_released' },
    ]);
    expect(await claim(after(1))).toMatchObject([{ deliveryId: first.deliveryId }]);
  });

  it('are only those still held under the token', async () => {
    const [first, second] = await claimTwo();
    await markSent(database.service, { workspaceId, ...first }, { providerMessageId: '1' }, start);
    const deliveryIds = [first.deliveryId, second.deliveryId];
    const claimed = { workspaceId, claimToken: first.claimToken, deliveryIds };
    const release = (): Promise<string[]> => releaseClaims(database.service, claimed, after(1));
    expect(await release()).toEqual([second.deliveryId]);
    expect(await release()).toEqual([]);
    expect(await rows('leases', '*')).toEqual([]);
  });
});

describe('the workspaces in which something is stale', () => {
  it('are those with an ended lease or a slot that nobody came for', async () => {
    await claimFrom(1);
    const sending = workspaceId;
    const resting = `${workspaceId}-resting`;
    await addWorkspace(database.admin, resting);
    workspaceId = resting;
    const [first] = await claimFrom(2, { rate_rps: 0.1 });
    if (first === undefined) throw new Error('nothing was claimed');
    await markSent(database.service, { workspaceId, ...first }, { providerMessageId: '1' }, start);
    const own = async (now: string): Promise<string[]> =>
      (await staleWorkspaces(database.service, now))
        .filter((id) => id.startsWith(sending))
        .toSorted();
    expect(await own(after(300))).toEqual([]);
    expect(await own(after(301))).toEqual([sending, resting]);
    await recover(after(301));
    expect(await own(after(301))).toEqual([sending]);
  });
});

describe('a delivery that somebody else has claimed', () => {
  it('is held, with its lease extended by the length that it was claimed with', async () => {
    const [first] = await claimTwo();
    expect(await holdDelivery(database.service, { workspaceId, ...first }, after(299))).toBe(
      300_000,
    );
    expect(await recover(after(599))).toEqual([]);
    expect(await recover(after(599.001))).toHaveLength(2);
  });

  it('is not held once it is committed, although the others of its claim are', async () => {
    const [first, second] = await claimTwo();
    await markSent(
      database.service,
      { workspaceId, ...first },
      { providerMessageId: '41' },
      after(1),
    );
    expect(await holdDelivery(database.service, { workspaceId, ...first }, after(2))).toBeNull();
    expect(await holdDelivery(database.service, { workspaceId, ...second }, after(2))).toBe(
      300_000,
    );
  });

  it('is not held once its lease was recovered, nor under the token of another claim', async () => {
    const [first] = await claimTwo();
    const stranger = { workspaceId, ...first, claimToken: first.deliveryId };
    expect(await holdDelivery(database.service, stranger, after(1))).toBeNull();
    await recover(after(301));
    expect(await holdDelivery(database.service, { workspaceId, ...first }, after(302))).toBeNull();
    const [again] = await claim(after(400));
    expect(again).toBeDefined();
    expect(await holdDelivery(database.service, { workspaceId, ...first }, after(401))).toBeNull();
  });

  it('keeps what is known of its outcome', async () => {
    const [first] = await claimTwo();
    await database.admin.query('update outrider.deliveries set outcome_unknown = true');
    await holdDelivery(database.service, { workspaceId, ...first }, after(1));
    expect(await rows('deliveries', 'distinct outcome_unknown')).toEqual([
      { outcome_unknown: true },
    ]);
  });
});
