import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, releaseClaims } from '../../src/db/claim.ts';
import { nextDueAt, nextWorkspaces } from '../../src/db/dispatch.ts';
import { recoverLeases } from '../../src/db/recovery.ts';
import { removeAllWorkspaces } from '../support/database/all-gone.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { GroupOutage, ill, known } from '../support/queue/group-outage.ts';

// What a group does that rests because its platform is ill: `outage.test.ts` says when that is.

const database = await useDatabase();
let group: GroupOutage;

// The next due time is that of all workspaces: each test begins with none.
beforeEach(async () => {
  await removeAllWorkspaces(database.admin);
  group = await GroupOutage.open(database, 'w', ['a', 'b', 'c', 'd']);
});

/** Rests from 10:00:00 to 10:00:30; nothing is under way. */
async function rest(): Promise<ClaimedDelivery[]> {
  const held = await group.hold(start);
  const failing = ['a', 'b', 'c'].map((each) => known(held.get(each)));
  await group.commit([{ ...known(held.get('d')), ok: false, error: { ...refused } }], start);
  await group.fail(failing, start);
  return failing;
}

const refused = { category: 'PERMANENT', scope: 'delivery', code: '400' } as const;

async function probe(now: string): Promise<ClaimedDelivery> {
  const [first, ...others] = await group.claim(now);
  expect(others).toEqual([]);
  return known(first);
}

/** In seconds after the start; null when nothing waits for a time. */
async function due(now: string): Promise<number | null> {
  const at = await nextDueAt(database.service, now);
  return at === null ? null : (at.getTime() - Date.parse(start)) / 1000;
}

describe('a group that rests', () => {
  it('gives nothing out and is not due before its rest is over', async () => {
    await rest();
    expect(await group.given(after(29.999))).toEqual([]);
    expect(await due(after(1))).toBe(30);
    expect(await nextWorkspaces(database.service, 'main', 10, after(29.999))).toEqual([]);
    expect(await nextWorkspaces(database.service, 'main', 10, after(30))).toEqual(['w']);
  });

  it('gives one delivery out then, and no other of any channel while that is under way', async () => {
    await rest();
    const { channelId } = (await probe(after(30))).channel;
    expect(await group.given(after(30))).toEqual([]);
    await database.admin.query(
      "update outrider.channels set paused_until = 'infinity' where channel_id = $1",
      [channelId],
    );
    expect(await group.given(after(629))).toEqual([]);
  });

  it('gives another one out when its probe has taken ten minutes: the sender may be gone', async () => {
    await rest();
    const { channelId } = (await probe(after(30))).channel;
    expect((await probe(after(630))).channel.channelId).not.toBe(channelId);
  });

  it('is not due while its probe is under way, so that nobody asks in vain', async () => {
    await rest();
    await probe(after(30));
    expect(await due(after(30))).toBe(630);
    expect(await nextWorkspaces(database.service, 'main', 10, after(31))).toEqual([]);
  });

  it('waits for what was under way when its rest began', async () => {
    const held = await group.hold(start);
    await group.fail(
      ['a', 'b', 'c'].map((each) => held.get(each)),
      start,
    );
    expect(await group.given(after(30))).toEqual([]);
    expect(await due(after(30))).toBe(600);
    await group.fail([held.get('d')], after(45), refused);
    expect(await group.given(after(45))).toHaveLength(1);
  });

  it('gives an album out as its probe when there has been quiet enough for it, and at once', async () => {
    await rest();
    await database.admin.query('update outrider.channels set rate_rps = 0.1');
    await database.admin.query('update outrider.channel_pace set next_allowed_at = $1', [
      after(40),
    ]);
    await database.admin.query('update outrider.delivery_queue set weight = 4 where not claimed');
    expect(await group.given(after(49.999))).toEqual([]);
    expect(await due(after(31))).toBe(50);
    expect(await group.given(after(50))).toHaveLength(1);
    const { rows } = await database.admin.query(
      "select from outrider.deliveries where status = 'claimed'",
    );
    expect(rows).toEqual([]);
  });

  it('gives the probe of a channel that is paced in its slot, not ahead of it', async () => {
    await rest();
    await database.admin.query('update outrider.channels set rate_rps = 0.1');
    await database.admin.query('update outrider.channel_pace set next_allowed_at = $1', [
      after(40),
    ]);
    expect(await group.given(after(39.999))).toEqual([]);
    expect(await due(after(31))).toBe(40);
    expect(await group.given(after(40))).toHaveLength(1);
    const { rows } = await database.admin.query(
      "select from outrider.deliveries where status = 'claimed'",
    );
    expect(rows).toEqual([]);
  });
});

describe('a probe that finds the platform ill', () => {
  it('uses up no attempt, and the group rests twice as long each time, ten minutes at most', async () => {
    await rest();
    let now = after(30);
    for (const seconds of [60, 120, 240, 480, 600, 600]) {
      const one = await probe(now);
      const { left } = await group.delivery(one); // without this one
      await group.fail([one], now);
      expect((await group.delivery(one)).left).toBe(left + 1);
      expect(await group.given(after(seconds - 0.001, now))).toEqual([]);
      now = after(seconds, now);
    }
    expect(await group.events()).toEqual(Array.from({ length: 7 }, () => 'group_cooled_down'));
  });

  it('is followed by one of a channel that has not, then of the one for which it is longest ago', async () => {
    await rest();
    const order: string[] = [];
    for (let n = 1; n <= 6; n += 1) {
      const one = await probe(after(n * 3600));
      order.push(one.channel.channelId);
      await group.fail([one], after(n * 3600));
    }
    expect(order).toEqual(['d', 'a', 'b', 'c', 'd', 'a']);
  });

  it('is made to wait by it, and given up when it has waited long enough', async () => {
    group = await GroupOutage.open(database, 'short', ['a', 'b', 'c'], {
      backoff_base: '2 seconds',
      give_up_after: '10 seconds',
    });
    const held = await group.hold(start);
    await group.fail([...held.values()], start);
    await database.admin.query(
      "update outrider.channels set paused_until = 'infinity' where channel_id <> 'a'",
    );
    const { deliveryId } = known(held.get('a'));
    const statuses: string[] = [];
    for (let n = 1; n <= 4; n += 1) {
      const one = await probe(after(n * 3600));
      expect(one.deliveryId).toBe(deliveryId);
      await group.fail([one], after(n * 3600));
      statuses.push((await group.delivery(one)).status);
    }
    expect(statuses).toEqual(['retry', 'retry', 'retry', 'dead']);
  });
});

describe('the first success', () => {
  it('opens the group for all, on record', async () => {
    await rest();
    await group.send(await probe(after(30)), after(31));
    expect(await group.streak()).toBeUndefined();
    expect(new Set(await group.given(after(31)))).toEqual(new Set(['a', 'b', 'c', 'd']));
    expect(await group.events()).toEqual(['group_cooled_down', 'group_opened']);
  });

  it('opens it also when it was under way as the rest began', async () => {
    const held = await group.hold(start);
    await group.fail(
      ['a', 'b', 'c'].map((each) => held.get(each)),
      start,
    );
    await group.send(held.get('d'), after(5));
    expect(new Set(await group.given(after(5)))).toEqual(new Set(['a', 'b', 'c', 'd']));
  });

  it('is followed by a streak that begins anew', async () => {
    await rest();
    await group.send(await probe(after(30)), after(31));
    const held = await group.hold(after(32));
    await group.fail([held.get('a'), held.get('b')], after(33));
    expect(await group.streak()).toMatchObject({ channels: ['a', 'b'], since: null });
    await group.fail([held.get('c')], after(33));
    expect(await group.streak()).toMatchObject({ until: '10:01:03' });
  });

  it('is not undone by sends that were begun before it', async () => {
    group = await GroupOutage.open(database, 'more', ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    const held = await group.hold(start);
    await group.fail(
      ['a', 'b', 'c'].map((each) => held.get(each)),
      start,
    );
    await group.send(held.get('d'), after(5));
    const late = ['e', 'f', 'g'].map((each) => known(held.get(each)));
    await group.fail(late, after(6));
    expect(await group.streak()).toBeUndefined();
    expect(await Promise.all(late.map((each) => group.delivery(each)))).toMatchObject(
      late.map(() => ({ status: 'retry', left: 4 })),
    );
  });

  it('makes slots void that passed during the outage', async () => {
    await database.admin.query('update outrider.channels set rate_rps = 1, max_parallel = 4');
    const held = await group.claim(start, 16);
    expect(held).toHaveLength(4);
    await group.fail(
      held.filter((each) => each.channel.channelId !== 'd'),
      start,
    );
    await group.send(
      held.find((each) => each.channel.channelId === 'd'),
      after(20),
    );
    const sends: number[] = [];
    for (let second = 20; second < 26; second += 1) {
      sends.push((await group.claim(after(second))).length);
    }
    expect(Math.max(...sends)).toBe(4);
  });
});

describe('a probe', () => {
  it('that is refused decides nothing: the next one follows at once', async () => {
    await rest();
    await group.fail([await probe(after(30))], after(31), refused);
    expect(await group.streak()).toMatchObject({ until: '10:00:30' });
    await probe(after(31));
  });

  it('that meets a rate limit is followed by the next one when that is over', async () => {
    await rest();
    const limited = { scope: 'platform', code: '429', retryAfterMs: 40_000 } as const;
    await group.fail([await probe(after(30))], after(31), limited);
    expect(await group.given(after(70.999))).toEqual([]);
    await probe(after(71));
  });

  it('whose sender dies is recovered, and the group is probed again', async () => {
    await rest();
    const first = await probe(after(30));
    expect(await recoverLeases(database.service, 'w', after(61))).toEqual([
      { deliveryId: first.deliveryId, became: 'retry' },
    ]);
    const second = await probe(after(61));
    expect(second.deliveryId).not.toBe(first.deliveryId);
    await group.send(second, after(62));
    expect(await group.streak()).toBeUndefined();
  });

  it('that is given back unsent leaves its place to the next one', async () => {
    await rest();
    const { claimToken, deliveryId } = await probe(after(30));
    const claimed = { workspaceId: 'w', claimToken, deliveryIds: [deliveryId] };
    await releaseClaims(database.service, claimed, after(31));
    expect(await group.given(after(31))).toHaveLength(1);
  });

  it('of a late answer is none: it neither prolongs the rest nor uses up an attempt', async () => {
    const held = await group.hold(start);
    await group.fail(
      ['a', 'b', 'c'].map((each) => held.get(each)),
      start,
    );
    const late = known(held.get('d'));
    await group.fail([late], after(60), ill);
    expect(await group.streak()).toEqual({
      channels: ['a', 'b', 'c', 'd'],
      since: '10:00:00',
      until: '10:00:30',
    });
    expect(await group.delivery(late)).toMatchObject({ status: 'retry', left: 5 });
  });
});
