import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import {
  addBacklog,
  addChannel,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { nextSlots, type PacedTable, slotsGiven } from '../support/queue/slots.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function claim(now = start, limit = 100): Promise<number> {
  const request = { workspaceId, runId: 'run', limit };
  return (await claimDeliveries(database.service, request, now)).length;
}

/** A channel with a backlog. */
async function add(channelId: string, backlog: number, columns = {}): Promise<void> {
  await addChannel(database.admin, workspaceId, channelId, columns);
  await addBacklog(database.admin, workspaceId, [channelId], backlog);
}

async function addGroup(columns: { rate: number | null; next?: string }): Promise<void> {
  const { rate, next = null } = columns;
  await setGroup(database.admin, workspaceId, { rate_rps: rate, next_allowed_at: next });
}

const slotsOf = (channelId: string) => slotsGiven(database.admin, workspaceId, channelId);
const nextOf = (table: PacedTable) => nextSlots(database.admin, workspaceId, table);

describe('the slots of a channel', () => {
  it('begin now and stand 1/rate apart; the next free one follows the last', async () => {
    await add('news', 4, { rate_rps: 2 });
    expect(await claim()).toBe(1);
    expect(await slotsOf('news')).toEqual([0, 0.5, 1, 1.5]);
    expect(await nextOf('channel_pace')).toEqual([2]);
  });

  it('begin at next_allowed_at when that lies ahead', async () => {
    await add('news', 3, { rate_rps: 1, next_allowed_at: after(10) });
    expect(await claim()).toBe(0);
    expect(await slotsOf('news')).toEqual([10, 11, 12]);
    expect(await nextOf('channel_pace')).toEqual([13]);
  });

  it('begin now when next_allowed_at has passed: an idle channel saves nothing up', async () => {
    await add('news', 3, { rate_rps: 1, next_allowed_at: after(-3600) });
    await claim();
    expect(await slotsOf('news')).toEqual([0, 1, 2]);
    expect(await nextOf('channel_pace')).toEqual([3]);
  });

  it('move next_allowed_at on by those given out, not by what waits', async () => {
    await add('news', 9, { rate_rps: 1, max_parallel: 3 });
    await claim();
    expect(await slotsOf('news')).toEqual([0, 1, 2]);
    expect(await nextOf('channel_pace')).toEqual([3]);
  });

  it('go on in the next call where the last one ended', async () => {
    await add('news', 4, { rate_rps: 1 });
    await claim(start, 2);
    await claim(after(0.5), 2);
    expect(await slotsOf('news')).toEqual([0, 1, 2, 3]);
    expect(await nextOf('channel_pace')).toEqual([4]);
  });

  it.each([null, 0])('do not exist at a rate of %s, and next_allowed_at stays', async (rate) => {
    await add('news', 3, { rate_rps: rate, next_allowed_at: after(50) });
    expect(await claim(after(1))).toBe(3);
    expect(await slotsOf('news')).toEqual([1, 1, 1]);
    expect(await nextOf('channel_pace')).toEqual([50]);
  });

  it('are rounded up to the microsecond, never closer than the rate', async () => {
    await add('news', 3, { rate_rps: 3 });
    await claim();
    expect(await slotsOf('news')).toEqual([0, 0.333334, 0.666668]);
  });

  it('may be days apart', async () => {
    await add('news', 2, { rate_rps: '0.00001' });
    await claim();
    expect(await slotsOf('news')).toEqual([0, 100_000]);
  });
});

describe('the slots of a group', () => {
  it('stand 1/rate apart over all of its channels', async () => {
    await addGroup({ rate: 2 });
    await add('a', 2);
    await add('b', 2);
    expect(await claim()).toBe(1);
    const slots = [...(await slotsOf('a')), ...(await slotsOf('b'))];
    expect(slots.toSorted((x, y) => x - y)).toEqual([0, 0.5, 1, 1.5]);
    expect(await nextOf('platform_limits')).toEqual([2]);
  });

  it('begin at the group’s next_allowed_at when that lies ahead', async () => {
    await addGroup({ rate: 1, next: after(10) });
    await add('a', 2);
    expect(await claim()).toBe(0);
    expect(await slotsOf('a')).toEqual([10, 11]);
  });

  it.each([null, 0])('do not exist at a rate of %s, and next_allowed_at stays', async (rate) => {
    await addGroup({ rate, next: after(-50) });
    await add('a', 3);
    expect(await claim()).toBe(3);
    expect(await slotsOf('a')).toEqual([0, 0, 0]);
    expect(await nextOf('platform_limits')).toEqual([-50]);
  });

  it('wait for next_allowed_at also without a rate', async () => {
    await addGroup({ rate: null, next: after(10) });
    await add('a', 2);
    expect(await claim(after(9))).toBe(0);
    expect(await claim(after(10))).toBe(2);
  });

  it('belong to one platform and one rate group', async () => {
    await addGroup({ rate: 1 });
    await add('a', 2);
    await add('elsewhere', 2, { platform: 'max' });
    await add('apart', 2, { rate_group: 'other' });
    await claim();
    expect(await slotsOf('a')).toEqual([0, 1]);
    expect(await slotsOf('elsewhere')).toEqual([0, 0]);
    expect(await slotsOf('apart')).toEqual([0, 0]);
  });

  it('are kept in a row that is made when it is missing, with the rate of the platform', async () => {
    await add('a', 2);
    await add('b', 2, { platform: 'vk', rate_group: 'wall' });
    await database.admin.query('delete from outrider.platform_limits where workspace_id = $1', [
      workspaceId,
    ]);
    await claim();
    const { rows } = await database.admin.query(
      `select platform, rate_group, rate_rps::float8 from outrider.platform_limits
       where workspace_id = $1 order by platform`,
      [workspaceId],
    );
    expect(rows).toEqual([
      { platform: 'telegram', rate_group: 'bot', rate_rps: 17.5 },
      { platform: 'vk', rate_group: 'wall', rate_rps: 2.5 },
    ]);
    expect(await slotsOf('a')).toEqual([0, 0.057143]);
    expect(await slotsOf('b')).toEqual([0, 0.4]);
  });
});

describe('a slot', () => {
  it.each([
    { channel: 1, group: 0.5, slots: [0, 2, 4] },
    { channel: 0.5, group: 1, slots: [0, 2, 4] },
  ])(
    'is the later of both: channel at $channel/s in a group at $group/s',
    async ({ channel, group, slots }) => {
      await addGroup({ rate: group });
      await add('a', 3, { rate_rps: channel });
      await claim();
      expect(await slotsOf('a')).toEqual(slots);
    },
  );

  it.each([
    { channel: 5, group: 3, slots: [5, 6] },
    { channel: 3, group: 5, slots: [5, 6] },
  ])(
    'is the later of both: channel free at $channel s, group at $group s',
    async ({ channel, group, slots }) => {
      await addGroup({ rate: 1, next: after(group) });
      await add('a', 2, { rate_rps: 1, next_allowed_at: after(channel) });
      await claim();
      expect(await slotsOf('a')).toEqual(slots);
    },
  );

  it('moves both its channel and its group on from where it really lies', async () => {
    await addGroup({ rate: 1, next: after(5) });
    await add('a', 1, { rate_rps: 0.1 });
    await claim();
    expect(await nextOf('channel_pace')).toEqual([15]);
    expect(await nextOf('platform_limits')).toEqual([6]);
  });

  it('of a slow channel does not hold up its group', async () => {
    await addGroup({ rate: 1 });
    await add('a slow one', 3, { rate_rps: 0.1 });
    await add('fast', 5);
    await claim();
    expect(await slotsOf('fast')).toEqual([1, 2, 3, 4, 5]);
    expect(await slotsOf('a slow one')).toEqual([0, 10, 20]);
  });

  it('goes to each channel of a group in turn when none has a rate of its own', async () => {
    await addGroup({ rate: 1 });
    await add('a', 3);
    await add('b', 3);
    await claim();
    expect([await slotsOf('a'), await slotsOf('b')]).toEqual([
      [0, 2, 4],
      [1, 3, 5],
    ]);
  });
});

describe('max_parallel', () => {
  it('limits what is being sent', async () => {
    await add('news', 5, { max_parallel: 2 });
    expect(await claim()).toBe(2);
    expect(await claim()).toBe(0);
  });

  it('counts what rests with a slot ahead together with what is being sent', async () => {
    await add('news', 9, { rate_rps: 1, max_parallel: 3 });
    await claim();
    await claim(after(2));
    expect(await slotsOf('news')).toEqual([0, 1, 2]);
  });
});
