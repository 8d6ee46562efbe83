import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import {
  commitOutcomes,
  failPermanent,
  type GivenError,
  type Verdict,
} from '../../src/db/commit.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import {
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  await addFresh();
});

async function addFresh(settings: Record<string, unknown> = {}): Promise<void> {
  workspaceId = await addNewWorkspace(database, settings);
  await addChannel(database.admin, workspaceId, 'news');
}

const transient = (code: string, retryAfterMs?: number): GivenError => ({
  category: 'TRANSIENT',
  scope: 'delivery',
  code,
  retryAfterMs,
});

async function claimOne(now: string): Promise<ClaimedDelivery & { workspaceId: string }> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [claimed] = await claimDeliveries(database.service, request, now);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return { workspaceId, ...claimed };
}

/** Claims and fails the one delivery of the workspace. */
async function failOnce(now: string, error: GivenError, nextRetryAt?: string): Promise<Verdict> {
  const outcome = { ...(await claimOne(now)), ok: false, error, nextRetryAt } as const;
  const [verdict] = await commitOutcomes(database.service, workspaceId, [outcome], now);
  if (verdict === undefined) throw new Error('no verdict');
  return verdict;
}

/** How long a retry waits, in seconds. */
async function wait(verdict: Verdict, since: string): Promise<number> {
  const found = await queryRow(
    database.admin,
    z.object({ seconds: z.number() }),
    'select extract(epoch from $1::timestamptz - $2::timestamptz)::float8 as seconds',
    [verdict.nextRetryAt, since],
  );
  return found.seconds;
}

describe('a transient failure', () => {
  it('is retried after 2, 4, 8 and 16 s, and the fifth leaves the delivery dead', async () => {
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news');
    let now = start;
    for (const seconds of [2, 4, 8, 16]) {
      const verdict = await failOnce(now, transient('500'));
      expect(verdict.became).toBe('retry');
      const waited = await wait(verdict, now);
      expect(waited).toBeGreaterThanOrEqual(seconds * 0.8);
      expect(waited).toBeLessThanOrEqual(seconds * 1.2);
      now = after(seconds * 1.2 + 0.001, now);
    }
    expect(await failOnce(now, transient('500'))).toEqual({
      deliveryId,
      became: 'dead',
      nextRetryAt: null,
      note: null,
    });
    const { rows } = await database.admin.query(
      `select status, attempt, next_retry_at, claim_token, last_error->>'code' as code,
         failed_at = $2 as failed_now from outrider.deliveries where workspace_id = $1`,
      [workspaceId, now],
    );
    expect(rows).toEqual([
      {
        status: 'dead',
        attempt: 5,
        next_retry_at: null,
        claim_token: null,
        code: '500',
        failed_now: true,
      },
    ]);
    const request = { workspaceId, runId: 'run', limit: 1 };
    expect(await claimDeliveries(database.service, request, after(86_400))).toEqual([]);
  });

  it('leaves retry_scheduled four times and then dead_letter, each with its attempt', async () => {
    await addDelivery(database.admin, workspaceId, 'news');
    for (let n = 0; n < 5; n += 1) await failOnce(after(n * 60), transient('500'));
    const { rows } = await database.admin.query(
      `select action, attempt, result, error->>'code' as code, meta ? 'next_retry_at' as dated
       from outrider.events where workspace_id = $1 and action <> 'send_attempt' order by ts`,
      [workspaceId],
    );
    const scheduled = { action: 'retry_scheduled', result: 'error', code: '500', dated: true };
    expect(rows).toEqual([
      ...[1, 2, 3, 4].map((attempt) => ({ ...scheduled, attempt })),
      { action: 'dead_letter', attempt: 5, result: 'error', code: '500', dated: false },
    ]);
  });

  it('is not tried again before its time', async () => {
    await addDelivery(database.admin, workspaceId, 'news');
    await failOnce(start, transient('429', 30_000));
    const request = { workspaceId, runId: 'run', limit: 1 };
    expect(await claimDeliveries(database.service, request, after(29.999))).toEqual([]);
    expect(await claimDeliveries(database.service, request, after(36))).toHaveLength(1);
  });

  it('waits out the provider’s time whatever the attempt, also over the cap', async () => {
    await addDelivery(database.admin, workspaceId, 'news');
    const waited = await wait(await failOnce(start, transient('429', 3_600_000)), start);
    expect(waited).toBeGreaterThanOrEqual(3600);
    expect(waited).toBeLessThanOrEqual(4320);
  });

  it('takes a given time as a lower bound', async () => {
    await addDelivery(database.admin, workspaceId, 'news');
    expect(await wait(await failOnce(start, transient('500'), after(45)), start)).toBe(45);
    const now = after(60);
    const earlier = await wait(await failOnce(now, transient('500'), after(61)), now);
    expect(earlier).toBeGreaterThanOrEqual(3.2);
  });

  it('ends at the delivery’s own limit', async () => {
    await addDelivery(database.admin, workspaceId, 'news', { attempt_limit: 2 });
    expect(await failOnce(start, transient('500'))).toMatchObject({ became: 'retry' });
    expect(await failOnce(after(60), transient('500'))).toMatchObject({ became: 'dead' });
  });
});

describe('a permanent failure', () => {
  it.each(['validation_failed', '400', 'media_missing_origin'])(
    'with code %s is never retried, at the first attempt',
    async (code) => {
      await addDelivery(database.admin, workspaceId, 'news');
      const error: GivenError = { category: 'PERMANENT', scope: 'delivery', code };
      const verdict = await failPermanent(database.service, await claimOne(start), error, start);
      expect(verdict).toMatchObject({ became: 'failed_permanent', nextRetryAt: null });
      const request = { workspaceId, runId: 'run', limit: 1 };
      expect(await claimDeliveries(database.service, request, after(86_400))).toEqual([]);
      const { rows } = await database.admin.query(
        `select status, attempt, failed_at, last_error->>'code' as code,
           (select jsonb_agg(action) from outrider.events where workspace_id = $1 and action <> 'send_attempt') as actions
         from outrider.deliveries where workspace_id = $1`,
        [workspaceId],
      );
      expect(rows).toEqual([
        {
          status: 'failed_permanent',
          attempt: 1,
          failed_at: '2026-03-02 10:00:00+00',
          code,
          actions: ['failed_permanent'],
        },
      ]);
    },
  );
});
