import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../src/db/commit.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { begin, openSessions } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
const sessions = openSessions();
let workspaceId: string;

afterEach(() => sessions.endAll());

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function claim(now: string, limit: number): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit }, now);
}

async function claimIds(now: string, limit: number): Promise<string[]> {
  return (await claim(now, limit)).map((each) => each.deliveryId);
}

async function addDeliveries(channelId: string, number: number): Promise<string[]> {
  const ids: string[] = [];
  for (let n = 0; n < number; n += 1) {
    ids.push(await addDelivery(database.admin, workspaceId, channelId));
  }
  return ids;
}

/** How many of a batch go to each channel. */
function shares(batch: readonly ClaimedDelivery[]): Record<string, number> {
  const found: Record<string, number> = {};
  for (const { channel } of batch) found[channel.channelId] = (found[channel.channelId] ?? 0) + 1;
  return found;
}

describe('the order within a channel', () => {
  it('is the order of arrival, also among deliveries made at the same instant', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const ids = await addDeliveries('news', 9);
    const handed = [
      ...(await claimIds(start, 1)),
      ...(await claimIds(start, 5)),
      ...(await claimIds(start, 100)),
    ];
    expect(handed).toEqual(ids);
  });

  it('is that of a post that has come due, also where the channel is resumed while a claim waits for it', async () => {
    await addChannel(database.admin, workspaceId, 'slow', { rate_rps: 0.1 });
    const scheduled = await addDelivery(database.admin, workspaceId, 'slow', {
      not_before: after(15),
    });
    const [sent, rests] = await addDeliveries('slow', 2);
    expect(await claimIds(start, 100)).toEqual([sent]);
    const later = await addDelivery(database.admin, workspaceId, 'slow', { created_at: after(1) });
    const pause = 'update outrider.channels set paused_until = $2 where workspace_id = $1';
    await database.admin.query(pause, [workspaceId, after(3600)]);

    const operator = await sessions.open(database.admin);
    await operator.client.query(pause, [workspaceId, null]);
    const sender = await sessions.open(database.service);
    const request = { workspaceId, runId: 'run', limit: 100 };
    const claiming = begin(claimDeliveries(sender.client, request, after(20)));
    await sender.waitsFor(operator, claiming);
    await operator.commit();
    const claimed = (await claiming).map((each) => each.deliveryId);
    await sender.commit();
    expect(claimed).toEqual([rests, scheduled]);
    expect(await claimIds(after(31), 100)).toEqual([later]);
  });

  it('is kept in a large batch over many channels', async () => {
    const channels = Array.from({ length: 12 }, (_, index) => `c${index}`);
    for (const channelId of channels) await addChannel(database.admin, workspaceId, channelId);
    await addBacklog(database.admin, workspaceId, channels, 40);
    const batch = await claim(start, 1000);
    const { rows } = await database.admin.query(
      `select channel_id, array_agg(delivery_id order by seq) as ids
       from outrider.deliveries where workspace_id = $1 group by channel_id`,
      [workspaceId],
    );
    const handed = channels.map((channelId) => ({
      channel_id: channelId,
      ids: batch
        .filter((each) => each.channel.channelId === channelId)
        .map((each) => each.deliveryId),
    }));
    expect(handed).toEqual(expect.arrayContaining(rows));
    expect(batch).toHaveLength(480);
  });

  it('puts a retry that has come due before deliveries that arrived later', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const [first] = await addDeliveries('news', 1);
    const [claimed] = await claim(start, 1);
    if (claimed === undefined) throw new Error('nothing was claimed');
    const failed: Outcome = {
      ...claimed,
      ok: false,
      error: { category: 'TRANSIENT', scope: 'delivery', code: '500' },
    };
    await commitOutcomes(database.service, workspaceId, [failed], start);
    const later = await addDeliveries('news', 2);
    expect(await claimIds(after(60), 1)).toEqual([first]);
    expect(await claimIds(after(60), 2)).toEqual(later);
  });

  it('puts a delivery whose time has come before deliveries that arrived later', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const scheduled = await addDelivery(database.admin, workspaceId, 'news', {
      not_before: after(30),
    });
    const [later] = await addDeliveries('news', 1);
    expect(await claimIds(after(30), 1)).toEqual([scheduled]);
    expect(await claimIds(after(30), 1)).toEqual([later]);
  });
});

describe('a batch', () => {
  it('never exceeds the limit', async () => {
    for (const channelId of ['a', 'b', 'c'])
      await addChannel(database.admin, workspaceId, channelId);
    await addBacklog(database.admin, workspaceId, ['a', 'b', 'c'], 10);
    for (const limit of [1, 2, 3, 7]) {
      const batch = await claim(start, limit);
      expect(batch.length).toBeGreaterThan(0);
      expect(batch.length).toBeLessThanOrEqual(limit);
    }
  });

  it('takes at most claim_per_channel of one channel', async () => {
    await database.admin.query(
      'update outrider.workspace_settings set claim_per_channel = 4 where workspace_id = $1',
      [workspaceId],
    );
    for (const channelId of ['a', 'b']) await addChannel(database.admin, workspaceId, channelId);
    await addBacklog(database.admin, workspaceId, ['a'], 20);
    await addBacklog(database.admin, workspaceId, ['b'], 2);
    expect(shares(await claim(start, 100))).toEqual({ a: 4, b: 2 });
    expect(shares(await claim(start, 100))).toEqual({ a: 4 });
  });

  it('is shared fairly, so that one backlog does not fill it', async () => {
    for (const channelId of ['a', 'b', 'c'])
      await addChannel(database.admin, workspaceId, channelId);
    await addBacklog(database.admin, workspaceId, ['a'], 80);
    await addBacklog(database.admin, workspaceId, ['b', 'c'], 10);
    expect(shares(await claim(start, 12))).toEqual({ a: 4, b: 4, c: 4 });
  });

  it('gives a paced channel its share of slots beside a backlog without pace', async () => {
    await addChannel(database.admin, workspaceId, 'a');
    await addChannel(database.admin, workspaceId, 'paced', { rate_rps: 1 });
    await addBacklog(database.admin, workspaceId, ['a'], 80);
    await addBacklog(database.admin, workspaceId, ['paced'], 10);
    await claim(start, 10);
    const { rows } = await database.admin.query(
      `select channel_id, status, count(*)::integer as deliveries from outrider.deliveries
       where workspace_id = $1 and status <> 'queued' group by 1, 2 order by 1, 2`,
      [workspaceId],
    );
    expect(rows).toEqual([
      { channel_id: 'a', status: 'sending', deliveries: 5 },
      { channel_id: 'paced', status: 'claimed', deliveries: 4 },
      { channel_id: 'paced', status: 'sending', deliveries: 1 },
    ]);
  });

  it('reaches the channels in the order in which their deliveries arrived, when not all fit', async () => {
    const channels = ['a', 'b', 'c', 'd', 'e'];
    for (const channelId of channels) await addChannel(database.admin, workspaceId, channelId);
    for (let n = 0; n < 4; n += 1) await addBacklog(database.admin, workspaceId, channels, 1);
    const met = new Set<string>();
    for (let call = 0; call < 3; call += 1) {
      for (const each of await claim(start, 2)) met.add(each.channel.channelId);
    }
    expect([...met].toSorted()).toEqual(channels);
  });

  it('takes a slot that has come up before the backlogs of more channels than fit', async () => {
    await addChannel(database.admin, workspaceId, 'paced', { rate_rps: 1, max_parallel: 5 });
    await addDeliveries('paced', 2);
    await claim(start, 2); // the first is sent, the second rests until its slot
    const backlogs = ['a', 'b', 'c', 'd'];
    for (const channelId of backlogs) {
      await addChannel(database.admin, workspaceId, channelId, { max_parallel: 1000 });
    }
    await addBacklog(database.admin, workspaceId, backlogs, 20);
    const batch = await claim(after(2), 4);
    expect(batch.map(({ channel }) => channel.channelId)).toContain('paced');
  });

  it('is not filled by channels that have no room left', async () => {
    await addChannel(database.admin, workspaceId, 'busy', { max_parallel: 1 });
    await addChannel(database.admin, workspaceId, 'free', { max_parallel: 1 });
    await addBacklog(database.admin, workspaceId, ['busy', 'free'], 2);
    const handed = [...(await claim(start, 1)), ...(await claim(start, 1))];
    expect(shares(handed)).toEqual({ busy: 1, free: 1 });
  });

  it('is not filled by slots that have come up where max_parallel was lowered', async () => {
    await addChannel(database.admin, workspaceId, 'busy', { rate_rps: 0.1, max_parallel: 2 });
    await addChannel(database.admin, workspaceId, 'free');
    await addBacklog(database.admin, workspaceId, ['busy'], 3);
    await claim(start, 3);
    await database.admin.query(
      "update outrider.channels set max_parallel = 1 where workspace_id = $1 and channel_id = 'busy'",
      [workspaceId],
    );
    await addBacklog(database.admin, workspaceId, ['free'], 1);
    expect(shares(await claim(after(10), 1))).toEqual({ free: 1 });
  });

  it('is not filled by channels of a group that is cooling down', async () => {
    await addChannel(database.admin, workspaceId, 'cooling', { rate_group: 'cold' });
    await addChannel(database.admin, workspaceId, 'open', { rate_group: 'warm' });
    await addBacklog(database.admin, workspaceId, ['cooling'], 2);
    await addBacklog(database.admin, workspaceId, ['open'], 2);
    const cold = { rate_group: 'cold', next_allowed_at: after(60), cooldown_until: after(60) };
    await setGroup(database.admin, workspaceId, cold);
    expect(shares(await claim(start, 1))).toEqual({ open: 1 });
  });

  it('is not filled by channels whose posting window is closed', async () => {
    for (const channelId of ['closed', 'also closed']) {
      await addChannel(database.admin, workspaceId, channelId, {
        window_mode: 'windowed',
        posting_window: JSON.stringify({ tue: [['09:00', '18:00']] }),
        timezone: 'UTC',
      });
    }
    await addChannel(database.admin, workspaceId, 'open');
    await addBacklog(database.admin, workspaceId, ['closed', 'also closed'], 2);
    await addBacklog(database.admin, workspaceId, ['open'], 2);
    const handed: ClaimedDelivery[] = [];
    for (let call = 0; call < 3; call += 1) handed.push(...(await claim(start, 1)));
    expect(shares(handed)).toEqual({ open: 1 });
  });
});
