import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type GivenError } from '../../src/db/commit.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  await addFresh();
});

/** Two channels of one group and one of another, each with a backlog. */
async function addFresh(settings: Record<string, unknown> = {}): Promise<void> {
  workspaceId = await addNewWorkspace(database, { backoff_jitter: 0, ...settings });
  await addChannel(database.admin, workspaceId, 'a', { rate_group: 'shared' });
  await addChannel(database.admin, workspaceId, 'b', { rate_group: 'shared' });
  await addChannel(database.admin, workspaceId, 'c', { rate_group: 'own' });
  await addBacklog(database.admin, workspaceId, ['a', 'b', 'c'], 20);
}

async function claim(now: string, limit = 100): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit }, now);
}

/** Takes one delivery of channel a; gives the others back to nobody. */
async function claimA(now: string): Promise<ClaimedDelivery> {
  const batch = await claim(now, 3);
  const own = batch.find((each) => each.channel.channelId === 'a');
  if (own === undefined) throw new Error('channel a gave nothing');
  return own;
}

async function fail(delivery: ClaimedDelivery, error: GivenError, now: string): Promise<void> {
  const outcome = { ...delivery, ok: false, error } as const;
  await commitOutcomes(database.service, workspaceId, [outcome], now);
}

async function channelA(columns: string): Promise<unknown> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select ${columns} from outrider.channels where workspace_id = $1 and channel_id = 'a'`,
    [workspaceId],
  );
  return rows[0];
}

async function limits(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select rate_group, cooldown_until, next_allowed_at from outrider.platform_limits
     where workspace_id = $1 and cooldown_until is not null`,
    [workspaceId],
  );
  return rows;
}

/** The actions in the log without the sends, by time and name. */
async function actions(): Promise<string[]> {
  const found = await queryRows(
    database.admin,
    z.object({ action: z.string() }),
    `select action::text from outrider.events
     where workspace_id = $1 and action <> 'send_attempt' order by ts, action::text`,
    [workspaceId],
  );
  return found.map((event) => event.action);
}

/** Which channels give something now. */
async function open(now: string): Promise<string[]> {
  const batch = await claim(now, 3);
  return [...new Set(batch.map((each) => each.channel.channelId))].toSorted();
}

const permanent = (scope: GivenError['scope'], code = '403'): GivenError => ({
  category: 'PERMANENT',
  scope,
  code,
});

const transient = (
  scope: GivenError['scope'],
  code: string,
  retryAfterMs?: number,
): GivenError => ({
  category: 'TRANSIENT',
  scope,
  code,
  retryAfterMs,
});

const untouched = { enabled: true, error_streak: 0, paused_until: null, cooldown_until: null };
const state = 'enabled, error_streak, paused_until, cooldown_until';

describe('a permanent failure of delivery scope', () => {
  it('touches nothing but its delivery', async () => {
    await fail(await claimA(start), permanent('delivery', '400'), start);
    expect(await channelA(state)).toEqual(untouched);
    expect(await limits()).toEqual([]);
    expect(await actions()).toEqual(['failed_permanent']);
    expect(await open(start)).toEqual(['a', 'b', 'c']);
  });
});

describe('a permanent failure of channel scope', () => {
  it('adds to the streak and pauses the channel for an hour', async () => {
    await fail(await claimA(start), permanent('channel'), start);
    expect(await channelA(state)).toEqual({
      enabled: true,
      error_streak: 1,
      paused_until: '2026-03-02 11:00:00+00',
      cooldown_until: null,
    });
    expect(await actions()).toEqual(['channel_paused', 'failed_permanent']);
    expect(await open(after(3599))).toEqual(['b', 'c']);
    expect(await open(after(3600))).toContain('a');
  });

  it('is on the record of the channel, not of the delivery, which it names', async () => {
    const held = await claimA(start);
    await fail(held, permanent('channel'), start);
    const { rows } = await database.admin.query(
      `select channel_id, delivery_id, message_id = $2 as of_message, attempt, result, error ->> 'code' as code,
         meta ->> 'delivery_id' as "deliveryId", (meta ->> 'attempt')::int as tried
       from outrider.events where workspace_id = $1 and action = 'channel_paused'`,
      [workspaceId, held.messageId],
    );
    const { deliveryId } = held;
    const own = { channel_id: 'a', delivery_id: null, of_message: true, attempt: 0 };
    expect(rows).toEqual([{ ...own, result: 'error', code: '403', deliveryId, tried: 1 }]);
  });

  it('pauses no other channel of the group', async () => {
    await fail(await claimA(start), permanent('channel'), start);
    expect(await limits()).toEqual([]);
    expect(await open(start)).toEqual(['b', 'c']);
  });

  it('never shortens a longer pause', async () => {
    const held = await claimA(start);
    await database.admin.query(
      "update outrider.channels set paused_until = $2 where workspace_id = $1 and channel_id = 'a'",
      [workspaceId, after(86_400)],
    );
    await fail(held, permanent('channel'), start);
    expect(await channelA('paused_until')).toEqual({ paused_until: '2026-03-03 10:00:00+00' });
  });

  it('disables the channel at the third in a row', async () => {
    await fail(await claimA(start), permanent('channel'), start);
    await fail(await claimA(after(3600)), permanent('channel'), after(3600));
    expect(await channelA('enabled, error_streak')).toEqual({ enabled: true, error_streak: 2 });
    await fail(await claimA(after(7200)), permanent('channel'), after(7200));
    expect(await channelA('enabled, error_streak')).toEqual({ enabled: false, error_streak: 3 });
    expect((await actions()).slice(-3)).toEqual([
      'channel_disabled',
      'channel_paused',
      'failed_permanent',
    ]);
    expect(await open(after(86_400))).not.toContain('a');
  });

  it('does not disable a channel that delivered in between', async () => {
    await fail(await claimA(start), permanent('channel'), start);
    await fail(await claimA(after(3600)), permanent('channel'), after(3600));
    const sent = { ...(await claimA(after(7200))), ok: true, providerMessageId: '1' } as const;
    await commitOutcomes(database.service, workspaceId, [sent], after(7200));
    expect(await channelA('error_streak')).toEqual({ error_streak: 0 });
    await fail(await claimA(after(7201)), permanent('channel'), after(7201));
    expect(await channelA('enabled, error_streak')).toEqual({ enabled: true, error_streak: 1 });
  });

  it('counts each failure of a batch, and says once that the channel is disabled', async () => {
    const held = (await claim(start, 15)).filter((each) => each.channel.channelId === 'a');
    expect(held).toHaveLength(5);
    const outcomes = held.map(
      (each) => ({ ...each, ok: false, error: permanent('channel') }) as const,
    );
    await commitOutcomes(database.service, workspaceId, outcomes, start);
    expect(await channelA('enabled, error_streak')).toEqual({ enabled: false, error_streak: 5 });
    const told = (await actions()).filter((action) => action === 'channel_disabled');
    expect(told).toHaveLength(1);
  });

  it('says that the channel is disabled also when the streak was already past the limit', async () => {
    const held = await claimA(start);
    await database.admin.query(
      "update outrider.channels set error_streak = 7 where workspace_id = $1 and channel_id = 'a'",
      [workspaceId],
    );
    await fail(held, permanent('channel'), start);
    expect(await channelA('enabled')).toEqual({ enabled: false });
    expect(await actions()).toContain('channel_disabled');
  });

  it('follows the workspace’s own pause and limit', async () => {
    await addFresh({ pause_on_permanent_for: '6 hours', disable_after_permanent_streak: 1 });
    await fail(await claimA(start), permanent('channel'), start);
    expect(await channelA('enabled, paused_until')).toEqual({
      enabled: false,
      paused_until: '2026-03-02 16:00:00+00',
    });
  });
});

describe('a permanent failure of platform scope', () => {
  it('cools the whole group down and leaves every channel’s streak alone', async () => {
    await fail(await claimA(start), permanent('platform', '401'), start);
    expect(await channelA(state)).toEqual(untouched);
    expect(await limits()).toEqual([
      {
        rate_group: 'shared',
        cooldown_until: '2026-03-02 10:00:30+00',
        next_allowed_at: '2026-03-02 10:00:30+00',
      },
    ]);
    expect(await actions()).toEqual(['failed_permanent', 'group_cooled_down']);
    expect(await open(after(29))).toEqual(['c']);
    expect(await open(after(30))).toEqual(['a', 'b', 'c']);
  });
});

describe('a 429 of platform scope', () => {
  it('stops all channels of the group for the time asked, and no other group', async () => {
    await fail(await claimA(start), transient('platform', '429', 60_000), start);
    expect(await channelA(state)).toEqual(untouched);
    expect(await limits()).toMatchObject([
      { rate_group: 'shared', cooldown_until: '2026-03-02 10:01:00+00' },
    ]);
    expect(await open(after(59))).toEqual(['c']);
    expect(await open(after(60))).toEqual(['a', 'b', 'c']);
  });

  it('without a time cools the group down for as long as the workspace says', async () => {
    await addFresh({ group_cooldown: '90 seconds' });
    await fail(await claimA(start), transient('platform', '429'), start);
    expect(await limits()).toMatchObject([{ cooldown_until: '2026-03-02 10:01:30+00' }]);
  });

  it.each([0, 1, 500])(
    'that asks for %i ms stops the group for the base all the same',
    async (ms) => {
      await fail(await claimA(start), transient('platform', 'rate_limited', ms), start);
      expect(await limits()).toMatchObject([{ cooldown_until: '2026-03-02 10:00:02+00' }]);
    },
  );

  it('that asks for no time again and again stops the group for longer and longer', async () => {
    let now = start;
    for (const seconds of [2, 4, 8, 16]) {
      await fail(await claimA(now), transient('platform', '429', 0), now);
      expect(await open(after(seconds - 0.001, now))).not.toContain('a');
      now = after(seconds, now);
    }
  });

  it('never shortens a longer cooldown', async () => {
    const held = (await claim(start, 6)).filter((each) => each.channel.channelId === 'a');
    const [first, second] = held;
    if (!first || !second) throw new Error('too few were claimed');
    await fail(first, transient('platform', '429', 60_000), start);
    await fail(second, transient('platform', '429', 5000), after(1));
    expect(await limits()).toMatchObject([{ cooldown_until: '2026-03-02 10:01:00+00' }]);
  });
});

describe('a 429 of channel scope', () => {
  it('stops that channel for the time asked, and no other', async () => {
    await fail(await claimA(start), transient('channel', '429', 60_000), start);
    expect(await channelA(state)).toEqual({
      ...untouched,
      cooldown_until: '2026-03-02 10:01:00+00',
    });
    expect(await open(after(59))).toEqual(['b', 'c']);
    expect(await open(after(60))).toContain('a');
  });

  it.each([undefined, 0])('stops it for the base when it names no time: %s', async (ms) => {
    await fail(await claimA(start), transient('channel', 'rate_limited', ms), start);
    expect(await channelA('cooldown_until')).toEqual({ cooldown_until: '2026-03-02 10:00:02+00' });
    expect(await open(after(1))).toEqual(['b', 'c']);
  });
});

describe('another transient failure', () => {
  it.each([
    ['platform', '500'],
    ['platform', '503'],
    ['platform', 'timeout'],
    ['platform', 'outcome_unknown'],
    ['channel', '500'],
    ['delivery', 'media_not_ready'],
  ] as const)('of scope %s with code %s delays only its delivery', async (scope, code) => {
    await database.admin.query(
      'update outrider.channels set error_streak = 2 where workspace_id = $1',
      [workspaceId],
    );
    await fail(await claimA(start), transient(scope, code), start);
    expect(await channelA(state)).toEqual({ ...untouched, error_streak: 2 });
    expect(await limits()).toEqual([]);
    expect(await open(start)).toEqual(['a', 'b', 'c']);
  });
});
