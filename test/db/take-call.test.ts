import { beforeEach, describe, expect, it } from 'vitest';
import {
  type CallRequest,
  type ClaimedDelivery,
  claimDeliveries,
  takeCall,
} from '../../src/db/claim.ts';
import {
  addBacklog,
  addChannel,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { nextSlots, type PacedTable } from '../support/queue/slots.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

/** A delivery that is being sent to the channel, claimed at the start unless told otherwise. */
async function sendTo(
  channelId: string,
  columns: Readonly<Record<string, unknown>> = {},
  now = start,
): Promise<ClaimedDelivery> {
  await addChannel(database.admin, workspaceId, channelId, columns);
  await addBacklog(database.admin, workspaceId, [channelId], 1);
  return claimOne(now);
}

async function claimOne(now: string): Promise<ClaimedDelivery> {
  const request = { workspaceId, runId: 'run', limit: 10 };
  const [delivery] = await claimDeliveries(database.service, request, now);
  if (delivery === undefined) throw new Error('nothing was claimed');
  return delivery;
}

function take(
  { deliveryId, claimToken }: ClaimedDelivery,
  messages: number,
  now: string,
  slots?: CallRequest['slots'],
) {
  const request = { workspaceId, deliveryId, claimToken, messages, slots };
  return takeCall(database.service, request, now);
}

/** How long the call has to wait, in milliseconds. */
async function waitOf(delivery: ClaimedDelivery, messages: number, now = start): Promise<number> {
  const taken = await take(delivery, messages, now);
  if (taken === undefined) throw new Error('the claim is stale');
  return taken.waitMs;
}

const nextOf = (table: PacedTable) => nextSlots(database.admin, workspaceId, table);

describe('a further call of a send', () => {
  it('takes the next slot of its group, behind the one that the claim has taken', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 2 });
    const delivery = await sendTo('a');
    expect(await waitOf(delivery, 0)).toBe(500);
    expect(await waitOf(delivery, 0)).toBe(1000);
    expect(await nextOf('platform_limits')).toEqual([1.5]);
  });

  it('goes at once when the group is free', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 2 });
    const delivery = await sendTo('a');
    expect(await waitOf(delivery, 0, after(5))).toBe(0);
    expect(await nextOf('platform_limits')).toEqual([5.5]);
  });

  it('shares the slots of its group with the calls of others and with claims', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 1 });
    const first = await sendTo('a');
    expect(await waitOf(first, 0)).toBe(1000);
    await addChannel(database.admin, workspaceId, 'b');
    await addBacklog(database.admin, workspaceId, ['b'], 1);
    await claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 10 }, start);
    const second = await claimOne(after(2));
    expect(await waitOf(second, 0, after(2))).toBe(1000);
    expect(await waitOf(first, 0, after(2))).toBe(2000);
  });

  it('takes none of its channel when it shows nothing there', async () => {
    const delivery = await sendTo('a', { rate_rps: 1 });
    expect(await waitOf(delivery, 0)).toBe(0);
    expect(await nextOf('channel_pace')).toEqual([1]);
  });

  it('takes one of its channel for each message that it shows', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 10 });
    const delivery = await sendTo('a', { rate_rps: 1 });
    expect(await waitOf(delivery, 1)).toBe(1000);
    expect(await nextOf('channel_pace')).toEqual([2]);
  });

  it('counts as so many messages as it shows, and leaves a slot free before them', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 10 });
    const delivery = await sendTo('a', { rate_rps: 1 });
    const first = await take(delivery, 4, start);
    expect(first).toMatchObject({ waitMs: 2000, slots: { groupSlot: null } });
    expect(await nextOf('channel_pace')).toEqual([5]);
    expect(await take(delivery, 4, after(2), first?.slots)).toMatchObject({ waitMs: 0 });
    expect(await nextOf('platform_limits')).toEqual([2.4]);
  });

  it('takes no slot of its group before that of its channel has come', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 1 });
    const slow = await sendTo('slow', { rate_rps: 0.1 });
    const fast = await sendTo('fast', {}, after(1));
    expect(await waitOf(slow, 1, after(1))).toBe(9000);
    expect(await waitOf(fast, 0, after(1))).toBe(1000);
  });

  it('takes that of its group at once when the group has none before it', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 0.1 });
    const delivery = await sendTo('a', { rate_rps: 1 });
    const taken = await take(delivery, 1, start);
    expect(taken?.waitMs).toBe(10_000);
    expect(taken?.slots.groupSlot).not.toBeNull();
    expect(await nextOf('channel_pace')).toEqual([11]);
  });

  it('takes none of its group before a post that its channel has promised a slot', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 10 });
    await addChannel(database.admin, workspaceId, 'a', { rate_rps: 1, max_parallel: 2 });
    await addBacklog(database.admin, workspaceId, ['a'], 2); // the second one has the slot of its channel alone
    const delivery = await claimOne(start);
    // Others have taken the slots of the group until then, and so has the channel.
    await setGroup(database.admin, workspaceId, { next_allowed_at: after(20) });
    await database.admin.query(
      `update outrider.channel_pace set next_allowed_at = $2, quiet_until = $2 where workspace_id = $1`,
      [workspaceId, after(10)],
    );
    expect(await take(delivery, 1, start)).toMatchObject({
      waitMs: 10_000,
      slots: { groupSlot: null },
    });
    expect(await nextOf('platform_limits')).toEqual([20]);
  });

  it('may be made when it is asked for again after the wait, and moves nothing on then', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 1 });
    const delivery = await sendTo('a', { rate_rps: 1 });
    const taken = await take(delivery, 1, start);
    expect(taken?.waitMs).toBe(1000);
    expect(await take(delivery, 1, after(0.4), taken?.slots)).toEqual({ ...taken, waitMs: 600 });
    expect(await take(delivery, 1, after(1.2), taken?.slots)).toEqual({ ...taken, waitMs: 0 });
    expect(await nextOf('platform_limits')).toEqual([2]);
    expect(await nextOf('channel_pace')).toEqual([2]);
  });

  it.each([null, 0])('has no wait at a rate of %s', async (rate) => {
    await setGroup(database.admin, workspaceId, { rate_rps: rate });
    const delivery = await sendTo('a', { rate_rps: rate });
    expect(await waitOf(delivery, 10)).toBe(0);
    expect(await waitOf(delivery, 1)).toBe(0);
    expect(await nextOf('channel_pace')).toEqual([null]);
    expect(await nextOf('platform_limits')).toEqual([null]);
  });

  it('gets a slot of its own in place of one that was never given', async () => {
    const delivery = await sendTo('a', { rate_rps: 1 });
    const slots = { channelSlot: after(1_000_000), groupSlot: null };
    expect((await take(delivery, 1, start, slots))?.waitMs).toBe(1000);
    expect(await nextOf('channel_pace')).toEqual([2]);
  });

  it.each([
    ['before the send began', after(-1)],
    ['at the beginning of the calendar', '0001-01-01'],
    ['behind the last of the group', after(1_000_000)],
  ])('gets one of its own in place of a slot of its group %s', async (_, groupSlot) => {
    await setGroup(database.admin, workspaceId, { rate_rps: 1 });
    const delivery = await sendTo('a');
    const taken = await take(delivery, 1, after(0.1), { channelSlot: null, groupSlot });
    expect(taken?.waitMs).toBe(900);
    expect(await nextOf('platform_limits')).toEqual([2]);
  });

  it('gets one of its own in place of a slot of its channel before the send began', async () => {
    const delivery = await sendTo('a', { rate_rps: 1 });
    await take(delivery, 1, start);
    await database.admin.query(
      'update outrider.channel_pace set quiet_until = $2 where workspace_id = $1',
      [workspaceId, start],
    );
    const slots = { channelSlot: '0001-01-01', groupSlot: null };
    expect((await take(delivery, 1, start, slots))?.waitMs).toBe(2000);
  });

  it('keeps a slot of a group that has no rate any more', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 0.1 });
    const delivery = await sendTo('a');
    const taken = await take(delivery, 1, start);
    await setGroup(database.admin, workspaceId, { rate_rps: null });
    expect(await take(delivery, 1, after(10), taken?.slots)).toEqual({ ...taken, waitMs: 0 });
  });

  it('is not made under a claim that is stale', async () => {
    const delivery = await sendTo('a');
    await database.admin.query('select * from outrider.recover_leases($1, $2)', [
      workspaceId,
      after(600),
    ]);
    expect(await take(delivery, 1, after(600))).toBeUndefined();
  });
});

describe('a cooldown that begins while a call waits', () => {
  async function cool(table: 'channels' | 'platform_limits', until: string): Promise<void> {
    const paced = table === 'channels' ? 'channel_pace' : table;
    await database.admin.query(
      `update outrider.${table} set cooldown_until = $2 where workspace_id = $1`,
      [workspaceId, until],
    );
    await database.admin.query(
      `update outrider.${paced} set next_allowed_at = greatest(next_allowed_at, $2) where workspace_id = $1`,
      [workspaceId, until],
    );
  }

  it('of its group makes its slot void: it gets another behind the end', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 1 });
    const delivery = await sendTo('a');
    const taken = await take(delivery, 1, start);
    await cool('platform_limits', after(30));
    const again = await take(delivery, 1, after(1), taken?.slots);
    expect(again?.waitMs).toBe(29_000);
    expect(await take(delivery, 1, after(30), again?.slots)).toMatchObject({ waitMs: 0 });
  });

  it('of its channel makes that slot void too, if it would show something there', async () => {
    await setGroup(database.admin, workspaceId, { rate_rps: 1 });
    const delivery = await sendTo('a', { rate_rps: 1 });
    const taken = await take(delivery, 1, start);
    expect(taken?.slots.groupSlot).not.toBeNull();
    await cool('channels', after(30));
    const again = await take(delivery, 1, after(1), taken?.slots);
    expect(again?.waitMs).toBe(29_000);
    expect(await take(delivery, 1, after(30), again?.slots)).toMatchObject({ waitMs: 0 });
  });

  it('of a group without a rate is waited out as well', async () => {
    const delivery = await sendTo('a');
    await cool('platform_limits', after(30));
    expect(await waitOf(delivery, 0, after(1))).toBe(29_000);
  });

  it('of its channel holds up what it would show there, and nothing else', async () => {
    const delivery = await sendTo('a', { rate_rps: 1 });
    const taken = await take(delivery, 1, start);
    await cool('channels', after(30));
    expect((await take(delivery, 1, after(1), taken?.slots))?.waitMs).toBe(29_000);
    expect(await waitOf(delivery, 0, after(1))).toBe(0);
  });
});
