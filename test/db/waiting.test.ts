import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries, releaseClaims } from '../../src/db/claim.ts';
import { commitOutcomes, type GivenError, type Verdict } from '../../src/db/commit.ts';
import { requeueDeliveries } from '../../src/db/operate.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import {
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { sent } from '../support/queue/outcomes.ts';

// What only asks to come back later: it moves the delivery's time and uses up none of its attempts.

const database = await useDatabase();
let workspaceId: string;
let deliveryId: string;

beforeEach(async () => {
  await addFresh();
});

/** One channel with one delivery; waits have no jitter. */
async function addFresh(settings: Record<string, unknown> = {}): Promise<void> {
  workspaceId = await addNewWorkspace(database, { backoff_jitter: 0, ...settings });
  await addChannel(database.admin, workspaceId, 'news');
  deliveryId = await addDelivery(database.admin, workspaceId, 'news');
}

function transient(
  scope: GivenError['scope'],
  code: string,
  retryAfterMs?: number,
  message?: string,
): GivenError {
  return { category: 'TRANSIENT', scope, code, retryAfterMs, message };
}

const rateLimit = (retryAfterMs?: number): GivenError => transient('channel', '429', retryAfterMs);

async function claim(now: string): Promise<ClaimedDelivery | undefined> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [claimed] = await claimDeliveries(database.service, request, now);
  return claimed;
}

async function claimOne(now: string): Promise<ClaimedDelivery> {
  const claimed = await claim(now);
  if (claimed === undefined) throw new Error('nothing was claimed');
  return claimed;
}

async function fail(now: string, error: GivenError): Promise<Verdict> {
  const outcome = { ...(await claimOne(now)), ok: false, error } as const;
  const [verdict] = await commitOutcomes(database.service, workspaceId, [outcome], now);
  if (verdict === undefined) throw new Error('no verdict');
  return verdict;
}

/** Fails it again and again, each time as soon as it may be tried; answers how long each wait was, in seconds. */
async function failTimes(times: number, error: GivenError): Promise<number[]> {
  const waits: number[] = [];
  let now = start;
  for (let n = 0; n < times; n += 1) {
    const { became, nextRetryAt } = await fail(now, error);
    if (became !== 'retry' || nextRetryAt === null) break;
    const next = new Date(nextRetryAt).toISOString();
    waits.push((Date.parse(next) - Date.parse(now)) / 1000);
    now = next;
  }
  return waits;
}

const Row = z.object({
  status: z.string(),
  attempt: z.number(),
  attempt_limit: z.number(),
  waited: z.number().nullable(),
  code: z.string().nullable(),
  message: z.string().nullable(),
});

async function delivery(): Promise<z.output<typeof Row>> {
  return queryRow(
    database.admin,
    Row,
    `select status::text, attempt, attempt_limit, extract(epoch from waited)::float8 as waited,
       last_error ->> 'code' as code, last_error ->> 'message' as message
     from outrider.deliveries where delivery_id = $1`,
    [deliveryId],
  );
}

const waits: readonly (readonly [string, GivenError])[] = [
  ['a 429 of its platform', transient('platform', '429', 3000)],
  ['a 429 of its channel', transient('channel', '429', 3000)],
  ['a 429 of its own, without a time', transient('delivery', '429')],
  ['a rate limit by its name', transient('delivery', 'rate_limited')],
  ['a refusal of its platform that names a time', transient('platform', '6', 3000)],
  ['a refusal of its channel that names a time', transient('channel', '214', 3000)],
  ['a platform that cannot be reached', transient('delivery', 'unreachable')],
  ['a stop before a byte left', transient('delivery', 'aborted')],
  ['a media store that is away', transient('delivery', 'media_unreadable')],
];

const failures: readonly (readonly [string, GivenError])[] = [
  ['a 500', transient('delivery', '500')],
  ['a 503 that names a time', transient('platform', '503', 3000)],
  ['an unknown outcome that names a time', transient('channel', 'outcome_unknown', 3000)],
  ['a refusal of its own that names a time', transient('delivery', '219', 3000)],
  ['a link that cannot be read', transient('delivery', 'link_unreadable')],
  ['anything else', transient('platform', 'busy')],
];

describe('a delivery', () => {
  it.each(waits)('that meets %s uses up no attempt', async (_, error) => {
    expect(await failTimes(12, error)).toHaveLength(12);
    expect(await delivery()).toMatchObject({ status: 'retry', attempt: 12, attempt_limit: 17 });
  });

  it.each(failures)('that meets %s is dead after five attempts', async (_, error) => {
    expect(await failTimes(12, error)).toHaveLength(4);
    expect(await delivery()).toMatchObject({ status: 'dead', attempt: 5, attempt_limit: 5 });
  });

  it('has all its attempts after it was made to wait, and backs off as at its first', async () => {
    await failTimes(12, rateLimit(3000));
    const waited: (number | null)[] = [];
    for (let n = 1; n <= 5; n += 1) {
      const now = after(n * 3600);
      const { nextRetryAt } = await fail(now, transient('delivery', '500'));
      waited.push(nextRetryAt === null ? null : (Date.parse(nextRetryAt) - Date.parse(now)) / 1000);
    }
    expect(waited).toEqual([2, 4, 8, 16, null]);
    expect(await delivery()).toMatchObject({ status: 'dead', attempt: 17, code: '500' });
  });

  it('is asked for less and less often by a server that always says 0', async () => {
    expect(await failTimes(11, rateLimit(0))).toEqual([
      2, 4, 8, 16, 32, 64, 128, 256, 512, 600, 600,
    ]);
  });

  it('is not tried before the time that it was told', async () => {
    await fail(start, rateLimit(30_000));
    expect(await claim(after(29.999))).toBeUndefined();
    expect(await claim(after(30))).toMatchObject({ attempt: 2 });
  });
});

describe('a delivery that is only made to wait', () => {
  it('is given up after 24 hours of that, and says so', async () => {
    const hourly = { ...rateLimit(3_600_000), message: 'Too Many Requests' };
    expect(await failTimes(40, hourly)).toHaveLength(24);
    expect(await delivery()).toEqual({
      status: 'dead',
      attempt: 25,
      attempt_limit: 29,
      waited: 24 * 3600,
      code: '429',
      message:
        'it was made to wait for 24:00:00 in all, and give_up_after is 24:00:00: Too Many Requests',
    });
    const { rows } = await database.admin.query(
      `select action::text, error ->> 'message' as message from outrider.events
       where delivery_id = $1 and action = 'dead_letter'`,
      [deliveryId],
    );
    expect(rows).toEqual([{ action: 'dead_letter', message: (await delivery()).message }]);
  });

  it('is given up after as long as its workspace says', async () => {
    await addFresh({ give_up_after: '10 seconds' });
    expect(await failTimes(40, transient('delivery', 'unreachable'))).toEqual([2, 4, 8]);
    expect(await delivery()).toMatchObject({ status: 'dead', attempt: 4, code: 'unreachable' });
  });

  it('waits out a time that is longer than that, once', async () => {
    expect(await failTimes(5, rateLimit(48 * 3_600_000))).toEqual([48 * 3600]);
    expect(await delivery()).toMatchObject({ status: 'dead', attempt: 2 });
  });

  it('is not given up for the time that its channel was paused', async () => {
    await fail(start, rateLimit(3000));
    await database.admin.query(
      'update outrider.channels set paused_until = $2 where workspace_id = $1',
      [workspaceId, after(3 * 86_400)],
    );
    const { became } = await fail(after(3 * 86_400), rateLimit(3000));
    expect([became, (await delivery()).waited]).toEqual(['retry', 6]);
  });

  it.each<[string, (now: string) => Promise<unknown>]>([
    ['an attempt that counts', (now) => fail(now, transient('delivery', '500'))],
    [
      'a success',
      async (now) =>
        commitOutcomes(database.service, workspaceId, [sent(await claimOne(now))], now),
    ],
    [
      'the death of its sender',
      async (now) => {
        await claimOne(now);
        await recoverLeases(database.service, workspaceId, after(3600, now));
      },
    ],
    [
      'a refusal for good',
      (now) => fail(now, { category: 'PERMANENT', scope: 'delivery', code: '400' }),
    ],
  ])('begins anew after %s', async (_, end) => {
    await fail(start, rateLimit(3000));
    expect((await delivery()).waited).toBe(3);
    await end(after(60));
    expect((await delivery()).waited).toBeNull();
  });

  it('begins anew when an operator requeues it', async () => {
    await addFresh({ give_up_after: '10 seconds' });
    await failTimes(40, rateLimit(0));
    const request = { workspaceId, deliveryIds: [deliveryId], operator: 'ann', reason: 'again' };
    await requeueDeliveries(database.service, request, after(600));
    expect(await delivery()).toMatchObject({ status: 'retry', waited: null });
    expect(await fail(after(600), rateLimit(0))).toMatchObject({ became: 'retry' });
  });

  it('goes on waiting when its claim is given back', async () => {
    await fail(start, rateLimit(3000));
    const { claimToken } = await claimOne(after(60));
    const claimed = { workspaceId, claimToken, deliveryIds: [deliveryId] };
    await releaseClaims(database.service, claimed, after(61));
    expect(await delivery()).toMatchObject({ waited: 3, attempt: 2, attempt_limit: 7 });
  });
});
