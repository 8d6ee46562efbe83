import { randomUUID } from 'node:crypto';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries, saveProgress } from '../../src/db/claim.ts';
import {
  commitOutcomes,
  commitSent,
  failPermanent,
  type GivenError,
  markSent,
  type Outcome,
  scheduleRetry,
  type Verdict,
} from '../../src/db/commit.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import {
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { allSent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  // A streak: what a stale success must not end.
  await addChannel(database.admin, workspaceId, 'news', { error_streak: 2 });
  await addDelivery(database.admin, workspaceId, 'news');
});

interface Held extends ClaimedDelivery {
  readonly workspaceId: string;
}

async function claimOne(now = start): Promise<Held> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [claimed] = await claimDeliveries(database.service, request, now);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return { workspaceId, ...claimed };
}

const transient: GivenError = { category: 'TRANSIENT', scope: 'platform', code: '429' };
const permanent: GivenError = { category: 'PERMANENT', scope: 'channel', code: '403' };

/** Each way to record an outcome. */
const commits: Readonly<Record<string, (held: Held, now: string) => Promise<Verdict>>> = {
  mark_sent: (held, now) => markSent(database.service, held, { providerMessageId: '42' }, now),
  schedule_retry: (held, now) => scheduleRetry(database.service, held, { error: transient }, now),
  fail_permanent: (held, now) => failPermanent(database.service, held, permanent, now),
  commit_sent: async (held, now) => {
    const [stale] = await commitSent(database.service, workspaceId, allSent([held]), now);
    const { deliveryId } = stale ?? held;
    const became = stale === undefined ? 'sent' : null;
    return { deliveryId, became, nextRetryAt: null, note: stale?.note ?? null };
  },
  'commit_outcomes with a success': (held, now) =>
    inBatch({ ...held, ok: true, providerMessageId: '42' }, now),
  'commit_outcomes with a failure': (held, now) =>
    inBatch({ ...held, ok: false, error: permanent }, now),
};
const names = Object.keys(commits);

async function inBatch(outcome: Outcome, now: string): Promise<Verdict> {
  const [verdict] = await commitOutcomes(database.service, workspaceId, [outcome], now);
  if (verdict === undefined) throw new Error('no verdict');
  return verdict;
}

async function commit(name: string, held: Held, now: string): Promise<Verdict> {
  const recorded = await commits[name]?.(held, now);
  if (recorded === undefined) throw new Error(`${name} is unknown`);
  return recorded;
}

/** All that a commit could change in this workspace. */
async function everything(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select
       (select jsonb_agg(to_jsonb(d) order by d.delivery_id) from outrider.deliveries d where d.workspace_id = $1) as deliveries,
       (select jsonb_agg(to_jsonb(c)) from outrider.channels c where c.workspace_id = $1) as channels,
       (select jsonb_agg(to_jsonb(g)) from outrider.platform_limits g where g.workspace_id = $1) as groups,
       (select jsonb_agg(to_jsonb(l)) from outrider.leases l where l.workspace_id = $1) as leases,
       (select jsonb_agg(to_jsonb(q)) from outrider.delivery_queue q where q.workspace_id = $1) as queue,
       (select count(*) from outrider.events e where e.workspace_id = $1) as events`,
    [workspaceId],
  );
  return rows;
}

async function expectNothingChanges(act: () => Promise<unknown>): Promise<void> {
  const before = await everything();
  await act();
  expect(await everything()).toEqual(before);
}

describe('a stale commit changes nothing and is told so', () => {
  it.each(names)('%s under a token that was never given', async (name) => {
    const held = await claimOne();
    await expectNothingChanges(async () => {
      const verdict = await commit(name, { ...held, claimToken: randomUUID() }, after(1));
      expect(verdict).toEqual({
        deliveryId: held.deliveryId,
        became: null,
        nextRetryAt: null,
        note: 'stale: the delivery is "sending" and not held under this token',
      });
    });
  });

  it.each(names)('%s after the lease was recovered', async (name) => {
    const held = await claimOne();
    await recoverLeases(database.service, workspaceId, after(301));
    await expectNothingChanges(async () => {
      const verdict = await commit(name, held, after(302));
      expect(verdict).toMatchObject({
        became: null,
        note: 'stale: the delivery is "retry" and not held under this token',
      });
    });
  });

  it.each(names)('%s after the delivery was given to another sender', async (name) => {
    const held = await claimOne();
    await recoverLeases(database.service, workspaceId, after(301));
    await claimOne(after(400));
    await expectNothingChanges(async () => {
      expect(await commit(name, held, after(401))).toMatchObject({
        became: null,
        note: 'stale: the delivery is "sending" and not held under this token',
      });
    });
  });

  it.each(names)('%s for the second time', async (name) => {
    const held = await claimOne();
    const first = await commit(name, held, after(1));
    expect(first.became).not.toBeNull();
    await expectNothingChanges(async () => {
      expect(await commit(name, held, after(2))).toMatchObject({
        became: null,
        note: `stale: the delivery is "${first.became}" and not held under this token`,
      });
    });
  });

  it.each(names)('%s after another outcome was recorded', async (name) => {
    const held = await claimOne();
    await markSent(database.service, held, { providerMessageId: '41' }, after(1));
    await expectNothingChanges(async () => {
      expect(await commit(name, held, after(2))).toMatchObject({ became: null });
    });
  });

  it('save_progress under a token that holds nothing any more', async () => {
    const held = await claimOne();
    await recoverLeases(database.service, workspaceId, after(301));
    await expectNothingChanges(async () => {
      const parts = [{ item: 0, providerMessageId: '41' }];
      expect(await saveProgress(database.service, held, parts, after(302))).toBe(false);
    });
  });
});

describe('the new holder', () => {
  it('is not disturbed by the old one', async () => {
    const old = await claimOne();
    await recoverLeases(database.service, workspaceId, after(301));
    const held = await claimOne(after(400));
    await commit('mark_sent', old, after(401));
    const verdict = await markSent(database.service, held, { providerMessageId: '42' }, after(402));
    expect(verdict.became).toBe('sent');
  });
});
