import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import {
  addBacklog,
  addChannel,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function claim(now: string, limit = 100): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit }, now);
}

async function setChannel(column: string, value: unknown): Promise<void> {
  await database.admin.query(
    `update outrider.channels set ${column} = $2 where workspace_id = $1`,
    [workspaceId, value],
  );
}

/** A channel at one post in ten seconds: after the first claim one is being sent, the rest rests. */
async function addSlowChannel(backlog: number, columns = {}): Promise<void> {
  await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.1, ...columns });
  await addBacklog(database.admin, workspaceId, ['news'], backlog);
}

const Place = z.object({ id: z.string(), status: z.string(), slot: z.number() });

/** In order of arrival, with the slot in seconds after the start. */
async function places(): Promise<z.output<typeof Place>[]> {
  return queryRows(
    database.admin,
    Place,
    `select delivery_id as id, status, extract(epoch from not_before - $2)::float8 as slot
     from outrider.deliveries where workspace_id = $1 order by seq`,
    [workspaceId, start],
  );
}

async function statuses(): Promise<string[]> {
  return (await places()).map((place) => place.status);
}

/** The actions in the log, without the sends. */
async function actions(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select e.action, e.attempt, e.result, e.ts from outrider.events e
     where e.workspace_id = $1 and e.action <> 'send_attempt'`,
    [workspaceId],
  );
  return rows;
}

describe('a delivery whose slot lies ahead', () => {
  it('rests in claimed with its slot as not_before: no attempt, no lease, no send_attempt', async () => {
    await addSlowChannel(3);
    const [sending] = await claim(start);
    const { rows } = await database.admin.query(
      `select d.status, d.attempt, d.claim_token, d.sending_started_at, d.not_before,
         (select count(*)::integer from outrider.events e where e.delivery_id = d.delivery_id) as events,
         (select count(*)::integer from outrider.leases l where d.delivery_id = any (l.delivery_ids)) as leases
       from outrider.deliveries d where d.workspace_id = $1 and d.delivery_id <> $2 order by d.seq`,
      [workspaceId, sending?.deliveryId],
    );
    const resting = {
      status: 'claimed',
      attempt: 0,
      claim_token: sending?.claimToken,
      sending_started_at: null,
      events: 0,
      leases: 0,
    };
    expect(rows).toEqual([
      { ...resting, not_before: '2026-03-02 10:00:10+00' },
      { ...resting, not_before: '2026-03-02 10:00:20+00' },
    ]);
  });

  it('is taken up by whoever claims when the slot has come, under a new token', async () => {
    await addSlowChannel(3);
    const [first] = await claim(start);
    expect(await claim(after(9.999))).toEqual([]);
    const [second] = await claim(after(10));
    expect(second).toMatchObject({ attempt: 1, notBefore: '2026-03-02 10:00:10+00' });
    expect(second?.claimToken).not.toBe(first?.claimToken);
    expect(await statuses()).toEqual(['sending', 'sending', 'claimed']);
  });

  it('keeps its slot however late somebody comes for it', async () => {
    await addSlowChannel(2);
    await claim(start);
    expect(await claim(after(3600))).toMatchObject([{ notBefore: '2026-03-02 10:00:10+00' }]);
  });
});

describe('slots that came up while nobody asked', () => {
  it('are sent at once, in order, but never more than max_parallel of a channel', async () => {
    await addSlowChannel(9, { max_parallel: 3 });
    const first = await claim(start);
    const sent = first.map((each) => ({ ...each, ok: true, providerMessageId: '1' }) as const);
    await commitOutcomes(database.service, workspaceId, sent, start);
    await claim(after(1));
    const back = await claim(after(3600));
    expect(back.map((each) => each.notBefore)).toEqual([
      '2026-03-02 10:00:10+00',
      '2026-03-02 10:00:20+00',
      '2026-03-02 10:00:30+00',
    ]);
    expect(await claim(after(3600))).toEqual([]);
  });

  it('are sent before what arrived later', async () => {
    await addSlowChannel(3);
    await claim(start);
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    await claim(after(3600));
    expect((await places()).map((place) => place.slot)).toEqual([0, 10, 20, 3600, 3610]);
  });
});

describe('slots that passed during a ban of the group', () => {
  it('are void: what had them gets new ones, at the pace, from the end of the ban on', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 1, max_parallel: 4 });
    await addChannel(database.admin, workspaceId, 'pets', { rate_rps: 1, max_parallel: 4 });
    await addBacklog(database.admin, workspaceId, ['news', 'pets'], 8);
    const held = await claim(start);
    const error = {
      category: 'TRANSIENT',
      scope: 'platform',
      code: '429',
      retryAfterMs: 60_000,
    } as const;
    const refused = held.map((each) => ({ ...each, ok: false, error }) as const);
    await commitOutcomes(database.service, workspaceId, refused, start);
    expect((await statuses()).filter((status) => status === 'claimed')).toHaveLength(6);

    // Nobody asks during the ban.
    const sends: number[] = [];
    for (let second = 73; second < 100; second += 1) {
      sends.push((await claim(after(second))).length);
    }
    expect(Math.max(...sends)).toBe(2);
    expect(sends.reduce((sum, each) => sum + each)).toBe(8);
  });
});

describe('slots of a channel that is being claimed from', () => {
  it('are left alone by recovery, which does not wait: somebody is coming for them', async () => {
    await addSlowChannel(2, { max_parallel: 2 });
    const [held] = await claim(start);
    if (held === undefined) throw new Error('nothing was claimed');
    const sent = { ...held, ok: true, providerMessageId: '1' } as const;
    await commitOutcomes(database.service, workspaceId, [sent], start);
    const claiming = await database.service.connect();
    try {
      await claiming.query('begin');
      const request = { workspaceId, runId: 'run', limit: 1 };
      expect(await claimDeliveries(claiming, request, after(400))).toHaveLength(1);
      expect(await recoverLeases(database.service, workspaceId, after(400))).toEqual([]);
      await claiming.query('commit');
    } finally {
      claiming.release();
    }
    expect(await statuses()).toEqual(['sent', 'sending']);
  });
});

describe('a dispatcher that comes late every time', () => {
  const slow = 0.01; // one post in 100 s, asked for every 59 s

  async function sendsWithin(seconds: number): Promise<number> {
    let sends = 0;
    for (let second = 0; second <= seconds; second += 59) {
      const batch = await claim(after(second));
      sends += batch.length;
      const sent = batch.map((each) => ({ ...each, ok: true, providerMessageId: '1' }) as const);
      if (sent.length > 0) await commitOutcomes(database.service, workspaceId, sent, after(second));
    }
    return sends;
  }

  it('gets through the backlog of a slow channel all the same', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: slow, max_parallel: 2 });
    await addBacklog(database.admin, workspaceId, ['news'], 60);
    const sends = await sendsWithin(3600);
    expect(sends).toBeGreaterThanOrEqual(18);
    expect(sends).toBeLessThanOrEqual(37);
  });

  it('gets through the backlog of a slow group all the same', async () => {
    await addChannel(database.admin, workspaceId, 'news', { max_parallel: 2 });
    await addBacklog(database.admin, workspaceId, ['news'], 60);
    await setGroup(database.admin, workspaceId, { rate_rps: slow });
    const sends = await sendsWithin(3600);
    expect(sends).toBeGreaterThanOrEqual(18);
    expect(sends).toBeLessThanOrEqual(37);
  });
});

describe('a channel that closes while deliveries rest in it', () => {
  const closings: readonly [string, () => Promise<void>][] = [
    ['is paused', () => setChannel('paused_until', after(60))],
    ['is disabled', () => setChannel('enabled', false)],
    ['cools down', () => setChannel('cooldown_until', after(60))],
    [
      'sees its group cool down',
      async () => {
        await database.admin.query(
          'update outrider.platform_limits set cooldown_until = $2 where workspace_id = $1',
          [workspaceId, after(60)],
        );
      },
    ],
    [
      'leaves its posting window',
      async () => {
        await database.admin.query(
          `update outrider.channels set window_mode = 'windowed', timezone = 'UTC',
             posting_window = '{"mon": [["12:00", "13:00"]]}' where workspace_id = $1`,
          [workspaceId],
        );
      },
    ],
  ];

  it.each(closings)('because it %s gives them back to the queue', async (_, close) => {
    await addSlowChannel(3);
    await claim(start);
    await close();
    expect(await claim(after(10))).toEqual([]);
    expect(await statuses()).toEqual(['sending', 'queued', 'queued']);
    const { rows } = await database.admin.query(
      `select claim_token, claimed_at, attempt from outrider.deliveries
       where workspace_id = $1 and status = 'queued'`,
      [workspaceId],
    );
    const waiting = { claim_token: null, claimed_at: null, attempt: 0 };
    expect(rows).toEqual([waiting, waiting]);
    const event = {
      action: 'claim_returned',
      attempt: 0,
      result: 'ok',
      ts: '2026-03-02 10:00:10+00',
    };
    expect(await actions()).toEqual([event, event]);
  });

  it('gives them back before their slots have come, too', async () => {
    await addSlowChannel(3);
    await claim(start);
    await setChannel('enabled', false);
    await claim(after(1));
    expect(await statuses()).toEqual(['sending', 'queued', 'queued']);
  });

  it('sends them in order of arrival when it opens again, before what arrived later', async () => {
    await addSlowChannel(4);
    await claim(start);
    await setChannel('paused_until', after(2));
    await claim(after(1));
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    await setChannel('paused_until', null);
    const arrived = (await places()).map((place) => place.id);
    const sent: string[] = [];
    for (let second = 2; second <= 120; second += 1) {
      sent.push(...(await claim(after(second))).map((each) => each.deliveryId));
    }
    expect(sent).toEqual(arrived.slice(1));
  });
});

describe('max_parallel that is lowered while deliveries rest', () => {
  it('holds for them too', async () => {
    await addSlowChannel(4, { max_parallel: 4 });
    await claim(start);
    await setChannel('max_parallel', 2);
    expect(await claim(after(10))).toHaveLength(1);
    expect(await claim(after(20))).toEqual([]);
    expect(await statuses()).toEqual(['sending', 'sending', 'claimed', 'claimed']);
  });
});
