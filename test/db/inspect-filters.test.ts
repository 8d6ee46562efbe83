import { beforeEach, describe, expect, it } from 'vitest';
import {
  type ChannelFilter,
  type DeliveryFilter,
  findDeliveries,
  findMessages,
  listChannels,
  listDeliveries,
} from '../../src/db/inspect.ts';
import { findOutboxEvents } from '../../src/db/outbox.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  addWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { emit } from '../support/outbox/outbox-events.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

describe('list_channels', () => {
  type Filter = Omit<ChannelFilter, 'workspaceId'>;

  async function listed(filter: Filter = {}): Promise<string[]> {
    const rows = await listChannels(database.service, { workspaceId, ...filter }, start);
    return rows.map((each) => each.channelId);
  }

  beforeEach(async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'tg-news');
    await addChannel(admin, workspaceId, 'tg-pets', {
      paused_until: after(60),
      rate_group: 'slow',
    });
    await addChannel(admin, workspaceId, 'tg-off', { enabled: false, auth_ref: 'second' });
    await addChannel(admin, workspaceId, 'max_news', { platform: 'max', auth_ref: 'max-main' });
    await addChannel(admin, workspaceId, 'vk-wall', { platform: 'vk', cooldown_until: after(60) });
    await addChannel(admin, workspaceId, 'weak', { error_streak: 1, target_id: '-1' });
  });

  it('has those first that do not send, and then those that failed', async () => {
    expect(await listed()).toEqual(['tg-off', 'tg-pets', 'vk-wall', 'weak', 'max_news', 'tg-news']);
  });

  it.each<[Filter, string[]]>([
    [{ platform: 'max' }, ['max_news']],
    [{ authRef: 'second' }, ['tg-off']],
    [{ rateGroup: 'slow' }, ['tg-pets']],
    [{ state: 'paused' }, ['tg-pets']],
    [{ state: 'disabled' }, ['tg-off']],
    [{ state: 'cooling_down' }, ['vk-wall']],
    [{ state: 'open', platform: 'telegram' }, ['weak', 'tg-news']],
    [{ state: 'closed' }, []],
    [{ authRef: 'nobody' }, []],
    [{ channelIds: ['tg-*'] }, ['tg-off', 'tg-pets', 'tg-news']],
    [{ channelIds: ['*-news', 'weak'] }, ['weak', 'tg-news']],
    [{ channelIds: ['???news'] }, ['tg-news']],
    [{ channelIds: ['*'], state: 'open' }, ['weak', 'max_news', 'tg-news']],
    [{ channelIds: ['tg-*'], platform: 'max' }, []],
  ])('finds those of %j', async (filter, expected) => {
    expect(await listed(filter)).toEqual(expected);
  });

  it('takes the credential that has been put in place of the channel’s own', async () => {
    await database.admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       values ($1, 'tg-news', 'newer', $2, $2)`,
      [workspaceId, start],
    );
    expect(await listed({ authRef: 'newer' })).toEqual(['tg-news']);
    expect(await listed({ channelIds: ['tg-news'], authRef: 'bot' })).toEqual([]);
  });

  it('takes every character but * and ? as it is', async () => {
    for (const id of ['a%b', 'a_b', 'a\\b', 'axb', '*']) {
      await addChannel(database.admin, workspaceId, id);
    }
    expect(await listed({ channelIds: ['a%b'] })).toEqual(['a%b']);
    expect(await listed({ channelIds: ['a_*'] })).toEqual(['a_b']);
    expect(await listed({ channelIds: ['a\\*'] })).toEqual(['a\\b']);
    expect(await listed({ channelIds: ['a?b'] })).toHaveLength(4);
  });

  it('names an id that means no channel', async () => {
    await expect(listed({ channelIds: ['weak', 'tg-nwes'] })).rejects.toMatchObject({
      code: 'not_found',
      message: `list_channels: workspace "${workspaceId}" has no channel "tg-nwes"`,
    });
  });

  it.each(['tg_*', 'TG-*', '?'])('finds nothing for a pattern that means none: %s', async (id) => {
    expect(await listed({ channelIds: [id] })).toEqual([]);
    expect(await listed({ channelIds: ['weak', id] })).toEqual(['weak']);
  });

  it('finds nothing among no ids', async () => {
    expect(await listed({ channelIds: [] })).toEqual([]);
  });

  it('finds a channel by each state that holds for it, not only by the one that ends last', async () => {
    const { admin } = database;
    const night = {
      window_mode: 'windowed',
      timezone: 'UTC',
      posting_window: JSON.stringify({ mon: [['12:00', '18:00']] }),
    };
    await addChannel(admin, workspaceId, 'night', { ...night, paused_until: after(60) });
    await addChannel(admin, workspaceId, 'refused', {
      paused_until: 'infinity',
      rate_group: 'shut',
    });
    await addChannel(admin, workspaceId, 'was-paused', { enabled: false, paused_until: after(60) });
    await setGroup(admin, workspaceId, {
      rate_group: 'shut',
      closed_at: start,
      closed_auth_ref: 'bot',
      cooldown_until: after(60),
    });
    expect(await listed({ state: 'paused' })).toEqual([
      'refused',
      'was-paused',
      'tg-pets',
      'night',
    ]);
    expect(await listed({ state: 'closed' })).toEqual(['night']);
    expect(await listed({ state: 'credential_refused' })).toEqual(['refused']);
    expect(await listed({ state: 'cooling_down' })).toEqual(['refused', 'vk-wall']);
    expect(await listed({ state: 'disabled' })).toEqual(['tg-off', 'was-paused']);
    expect(await listed({ state: 'open' })).toEqual(['weak', 'max_news', 'tg-news']);
  });
});

describe('list_deliveries', () => {
  type Filter = Partial<Omit<DeliveryFilter, 'workspaceId'>>;

  async function listed(filter: Filter = {}): Promise<string[]> {
    const request = { workspaceId, limit: 50, ...filter };
    const rows = await listDeliveries(database.service, request, after(100));
    return rows.map((each) => each.traceId);
  }

  /** A delivery that is called by its trace id. */
  function add(channel: string, name: string, columns: object = {}): Promise<string> {
    return addDelivery(database.admin, workspaceId, channel, { trace_id: name, ...columns });
  }

  const failedAt = (at: string) => ({ status: 'failed_permanent', failed_at: at });

  /** Of a delivery that failed: given up instead, at the same time. */
  async function giveUp(name: string): Promise<void> {
    for (const change of [
      "status = 'retry', next_retry_at = failed_at, failed_at = null",
      "status = 'dead', failed_at = next_retry_at, next_retry_at = null",
    ]) {
      await database.admin.query(
        `update outrider.deliveries set ${change} where workspace_id = $1 and trace_id = $2`,
        [workspaceId, name],
      );
    }
  }

  beforeEach(async () => {
    for (const id of ['tg-a', 'tg-b', 'vk']) await addChannel(database.admin, workspaceId, id);
    await add('tg-a', 'first', failedAt(after(50)));
    await add('vk', 'second', failedAt(after(40)));
    await giveUp('second');
    await add('tg-b', 'third', failedAt(after(60)));
    await add('tg-a', 'fourth', { created_at: after(20) });
    await add('vk', 'fifth', { created_at: after(30), status: 'deduped', occurrence: null });
  });

  it('finds what people call failed, the latest failure first', async () => {
    const statuses = ['failed_permanent', 'dead'] as const;
    expect(await listed({ statuses })).toEqual(['third', 'first', 'second']);
    expect(await listed({ statuses: ['dead'] })).toEqual(['second']);
  });

  it('finds those of states of different kinds, newest first', async () => {
    expect(await listed({ statuses: ['queued', 'dead', 'deduped'] })).toEqual([
      'fifth',
      'fourth',
      'second',
    ]);
    expect(await listed({ statuses: ['queued', 'retry'] })).toEqual(['fourth']);
  });

  it('finds those of channels by what their ids have in common', async () => {
    expect(await listed({ channelIds: ['tg-*'] })).toEqual(['fourth', 'third', 'first']);
    const statuses = ['failed_permanent', 'dead'] as const;
    expect(await listed({ statuses, channelIds: ['tg-a', 'vk'] })).toEqual(['first', 'second']);
    expect(await listed({ channelIds: ['max-*'] })).toEqual([]);
    expect(await listed({ statuses, channelIds: ['max-*'] })).toEqual([]);
    await expect(listed({ channelIds: ['max-1'] })).rejects.toMatchObject({ code: 'not_found' });
  });

  it('finds failures by when they failed, from the first time on and before the second', async () => {
    const statuses = ['failed_permanent', 'dead'] as const;
    const since = after(50);
    expect(await listed({ statuses, since })).toEqual(['third', 'first']);
    expect(await listed({ statuses, until: after(50) })).toEqual(['second']);
    expect(await listed({ statuses, since, until: after(60) })).toEqual(['first']);
  });

  it('finds all others by when they were accepted', async () => {
    expect(await listed({ since: after(20) })).toEqual(['fifth', 'fourth']);
    expect(await listed({ until: after(30) })).toEqual(['fourth', 'third', 'second', 'first']);
    expect(await listed({ statuses: ['queued'], since: after(21) })).toEqual([]);
    expect(await listed({ statuses: ['queued'], until: after(21) })).toEqual(['fourth']);
    expect(await listed({ statuses: ['deduped'], until: after(30) })).toEqual([]);
  });

  it('does not take a span of time that ends before it begins', async () => {
    await expect(listed({ since: after(2), until: after(1) })).rejects.toMatchObject({
      code: 'invalid_input',
      message: expect.stringContaining('since is'),
    });
  });

  it('says of each what it waits for, and why its channel does not send', async () => {
    await database.admin.query(
      `update outrider.channels set paused_until = $2, stopped_because = '{"code": "403"}'
       where workspace_id = $1 and channel_id = 'tg-a'`,
      [workspaceId, after(3600)],
    );
    await add('tg-b', 'sixth', { not_before: after(500) });
    await add('tg-b', 'seventh');
    const request = { workspaceId, limit: 4 };
    const rows = await listDeliveries(database.service, request, after(100));
    const next = rows.map((each) => [each.traceId, each.nextBecause, each.nextAt, each.nextReason]);
    expect(next).toEqual([
      ['seventh', 'in_line', null, null],
      ['sixth', 'scheduled', new Date(after(500)), null],
      ['fifth', null, null, null],
      ['fourth', 'channel_paused', new Date(after(3600)), '403'],
    ]);
  });
});

describe('an id that is written short', () => {
  const id = '0198c0de-7d2a-7e3f-89e2-5535000000a1';
  const other = '0198c0de-7d2a-7e3f-89e2-5535000000b2';

  it.each<[string, string[]]>([
    ['0198c0de', [other, id]],
    ['0198c0de-7d2a-7e3f-89e2-5535000000a', [id]],
    ['0198C0DE7D2A7E3F89E25535000000B', [other]],
    ['00a1', [id]],
    ['5535000000b2', [other]],
    [id, [id]],
    ['c0de', []],
    ['5535', []],
  ])('means the deliveries that begin or end so: %s', async (part, expected) => {
    await addChannel(database.admin, workspaceId, 'news');
    await database.admin.query('delete from outrider.deliveries where delivery_id in ($1, $2)', [
      id,
      other,
    ]);
    await addDelivery(database.admin, workspaceId, 'news', { delivery_id: id });
    await addDelivery(database.admin, workspaceId, 'news', {
      delivery_id: other,
      status: 'failed_permanent',
      failed_at: start,
    });
    const found = await findDeliveries(database.service, workspaceId, part);
    expect(found.map((each) => each.deliveryId)).toEqual(expected);
  });

  it('means nothing of another workspace', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const theirs = await addDelivery(database.admin, workspaceId, 'news');
    await addWorkspace(database.admin, `${workspaceId}-other`);
    const find = (part: string) => findDeliveries(database.service, `${workspaceId}-other`, part);
    expect(await find(theirs.slice(0, 12))).toEqual([]);
    expect(await find(theirs.slice(-12))).toEqual([]);
  });

  it('has ten candidates at most', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    for (let n = 10; n < 22; n += 1) {
      await addDelivery(database.admin, workspaceId, 'news', {
        delivery_id: `0198c0df-7d2a-7e3f-89e2-5535000000${n}`,
      });
    }
    expect(await findDeliveries(database.service, workspaceId, '0198c0df')).toHaveLength(10);
  });

  it('is found by its end among the newest, however many there are', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 900);
    const last = await addDelivery(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 900);
    const found = await findDeliveries(database.service, workspaceId, last.slice(-10));
    expect(found).toMatchObject([{ deliveryId: last, channelId: 'news', status: 'queued' }]);
  });

  it('means the messages that begin so', async () => {
    const messageId = await addMessage(database.admin, workspaceId);
    expect(await findMessages(database.service, workspaceId, messageId.slice(0, 13))).toEqual([
      { messageId, createdAt: new Date(start), text: 'Lost: a ginger dog near the station' },
    ]);
  });

  it('means the events of the outbox that begin so', async () => {
    const eventId = await emit(database.admin);
    expect(await findOutboxEvents(database.service, eventId.slice(0, 30))).toMatchObject([
      { eventId },
    ]);
  });
});
