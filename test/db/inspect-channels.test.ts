import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { listChannels, listWorkspaces } from '../../src/db/inspect.ts';
import { disableChannels, pauseChannels } from '../../src/db/operate.ts';
import { fill, waitingDeliveries } from '../support/database/bulk-rows.ts';
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
import { sendAll } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

type Columns = Readonly<Record<string, unknown>>;

/** How a channel with these columns does at `start`. */
async function stateOf(columns: Columns): Promise<{ state: string; stateUntil: Date | null }> {
  await addChannel(database.admin, workspaceId, 'news', columns);
  const [channel] = await listChannels(database.service, { workspaceId }, start);
  if (channel === undefined) throw new Error('the channel is not listed');
  return { state: channel.state, stateUntil: channel.stateUntil };
}

// `start` is a Monday, 10:00.
const closedWindow = {
  window_mode: 'windowed',
  timezone: 'UTC',
  posting_window: JSON.stringify({ mon: [['12:00', '18:00']] }),
};

describe('list_channels', () => {
  it('tells what a channel is, and counts nothing where nothing is', async () => {
    await addChannel(database.admin, workspaceId, 'news', {
      title: 'News',
      rate_rps: 0.5,
      max_parallel: 3,
      error_streak: 2,
    });
    expect(await listChannels(database.service, { workspaceId }, start)).toEqual([
      {
        channelId: 'news',
        platform: 'telegram',
        title: 'News',
        targetId: '-100news',
        authRef: 'bot',
        rateGroup: 'bot',
        enabled: true,
        state: 'open',
        stateUntil: null,
        stateReason: null,
        gates: [],
        waiting: 0,
        sending: 0,
        lastSentAt: null,
        errorStreak: 2,
        rateRps: 0.5,
        maxParallel: 3,
      },
    ]);
  });

  it('lists the channels of the workspace by their ids, and no others', async () => {
    await addWorkspace(database.admin, `${workspaceId}-other`);
    await addChannel(database.admin, `${workspaceId}-other`, 'theirs');
    for (const id of ['b', 'c', 'a']) await addChannel(database.admin, workspaceId, id);
    const listed = await listChannels(database.service, { workspaceId }, start);
    expect(listed.map((each) => each.channelId)).toEqual(['a', 'b', 'c']);
  });

  it.each<[string, Columns, string, string | null]>([
    ['open', {}, 'open', null],
    ['open after a pause', { paused_until: start }, 'open', null],
    ['paused', { paused_until: after(60) }, 'paused', after(60)],
    ['paused until somebody ends it', { paused_until: 'infinity' }, 'paused', null],
    ['disabled, whatever else', { enabled: false, paused_until: after(60) }, 'disabled', null],
    ['cooling down', { cooldown_until: after(30) }, 'cooling_down', after(30)],
    ['outside its window', closedWindow, 'closed', after(2 * 3600)],
    [
      'immediate, with a window that counts for nothing',
      { ...closedWindow, window_mode: 'immediate' },
      'open',
      null,
    ],
    ['without any window', { ...closedWindow, posting_window: '{}' }, 'closed', null],
    [
      'paused beyond its window',
      { ...closedWindow, paused_until: after(3 * 3600) },
      'paused',
      after(3 * 3600),
    ],
    [
      'paused within its closed window',
      { ...closedWindow, paused_until: after(60) },
      'closed',
      after(2 * 3600),
    ],
    [
      'paused until after its window, which opens again in a week',
      { ...closedWindow, paused_until: after(9 * 3600) },
      'closed',
      after(2 * 3600 + 7 * 24 * 3600),
    ],
    [
      'paused for good within its closed window',
      { ...closedWindow, paused_until: 'infinity' },
      'paused',
      null,
    ],
  ])('says of a channel that is %s how long', async (_, columns, state, until) => {
    expect(await stateOf(columns)).toEqual({
      state,
      stateUntil: until === null ? null : new Date(until),
    });
  });

  it('tells everything that keeps a channel from sending, what ends last first', async () => {
    await addChannel(database.admin, workspaceId, 'news', {
      ...closedWindow,
      paused_until: after(60),
      stopped_because: JSON.stringify({ operator: 'anna', reason: 'the chat moves' }),
    });
    await setGroup(database.admin, workspaceId, {
      cooldown_until: after(20),
      last_error: JSON.stringify({ code: '429', message: 'Too Many Requests' }),
    });
    const [channel] = await listChannels(database.service, { workspaceId }, start);
    expect(channel?.gates).toEqual([
      { state: 'closed', until: new Date(after(2 * 3600)), of_group: false, reason: null },
      {
        state: 'paused',
        until: new Date(after(60)),
        of_group: false,
        reason: 'by anna: the chat moves',
      },
      {
        state: 'cooling_down',
        until: new Date(after(20)),
        of_group: true,
        reason: '429: Too Many Requests',
      },
    ]);
  });

  it('gives the reason why a channel is disabled for that alone, not for its pause as well', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const order = { workspaceId, channelIds: ['news'], operator: 'anna' };
    const pause = { ...order, reason: 'the chat moves', until: after(60) };
    await pauseChannels(database.service, pause, start);
    await disableChannels(database.service, { ...order, reason: 'the chat is gone' }, start);
    const [channel] = await listChannels(database.service, { workspaceId }, start);
    expect(channel?.gates).toMatchObject([
      { state: 'disabled', reason: 'by anna: the chat is gone' },
      { state: 'paused', reason: null },
    ]);
  });

  it('gives no reason of a closed group for what lies beneath', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await setGroup(database.admin, workspaceId, {
      closed_at: start,
      closed_auth_ref: 'bot',
      cooldown_until: after(20),
    });
    const [channel] = await listChannels(database.service, { workspaceId }, start);
    expect(channel?.gates).toMatchObject([
      { state: 'credential_refused', until: null, reason: expect.stringContaining('refused') },
      { state: 'cooling_down', reason: null },
    ]);
  });

  it('says that a channel cools down when its rate group does', async () => {
    const later = { cooldown_until: after(99) };
    await setGroup(database.admin, workspaceId, { cooldown_until: after(20) });
    await setGroup(database.admin, workspaceId, { platform: 'max', ...later });
    await setGroup(database.admin, workspaceId, { rate_group: 'tob', ...later });
    const state = await stateOf({ cooldown_until: after(10) });
    expect(state).toEqual({ state: 'cooling_down', stateUntil: new Date(after(20)) });
  });

  it('counts what waits in each channel, and what is being sent', async () => {
    await addChannel(database.admin, workspaceId, 'news', { max_parallel: 2 });
    await addChannel(database.admin, workspaceId, 'pets', { max_parallel: 1 });
    await addBacklog(database.admin, workspaceId, ['news', 'pets'], 5);
    await claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 100 }, start);
    const listed = await listChannels(database.service, { workspaceId }, start);
    expect(listed.map((each) => [each.channelId, each.waiting, each.sending])).toEqual([
      ['news', 3, 2],
      ['pets', 4, 1],
    ]);
  });

  it('stops counting what waits at 10,000', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addMessage(database.admin, workspaceId);
    const bulk = { workspaceId, channelIds: ['news'], count: 10_001 };
    await fill(database.admin, waitingDeliveries(bulk));
    expect(await listChannels(database.service, { workspaceId }, start)).toMatchObject([
      { waiting: 10_000 },
    ]);
  });
});

describe('last_sent_at', () => {
  beforeEach(() => addChannel(database.admin, workspaceId, 'news'));

  async function lastSent(): Promise<string | undefined> {
    const [channel] = await listChannels(database.service, { workspaceId }, start);
    return channel?.lastSentAt?.toISOString();
  }

  it('is the time of the last send, not of the last delivery', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    const held = await claimDeliveries(
      database.service,
      { workspaceId, runId: 'run', limit: 10 },
      start,
    );
    const [first, second] = held;
    if (first === undefined || second === undefined) throw new Error('two were not claimed');
    await commitOutcomes(database.service, workspaceId, [sent(first)], after(9));
    await commitOutcomes(database.service, workspaceId, [sent(second)], after(5));
    await addDelivery(database.admin, workspaceId, 'news');
    expect(await lastSent()).toBe(after(9));
  });

  it('is found behind a backlog', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    await sendAll(database.service, workspaceId, after(3));
    await addBacklog(database.admin, workspaceId, ['news'], 100);
    expect(await lastSent()).toBe(after(3));
  });

  it('is found behind a backlog although an older delivery is still to be sent', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 30);
    const request = { workspaceId, runId: 'run', limit: 30 };
    const held = await claimDeliveries(database.service, request, start);
    const oldest = held[0];
    if (oldest === undefined) throw new Error('nothing was claimed');
    const outcomes = held.map((each) => (each === oldest ? failed(each) : sent(each)));
    await commitOutcomes(database.service, workspaceId, outcomes, after(4));
    // It is due again, in its old place.
    await database.admin.query(
      `update outrider.deliveries set next_retry_at = $2, updated_at = $3
       where workspace_id = $1 and status = 'retry'`,
      [workspaceId, after(5), after(6)],
    );
    await addBacklog(database.admin, workspaceId, ['news'], 100);
    expect(await lastSent()).toBe(after(4));
  });

  it("is the channel's own", async () => {
    await addChannel(database.admin, workspaceId, 'other');
    await addBacklog(database.admin, workspaceId, ['other'], 1);
    await sendAll(database.service, workspaceId, after(3));
    expect(await lastSent()).toBeUndefined();
  });
});

describe('list_workspaces', () => {
  it('lists every workspace with its name and status, by id', async () => {
    await database.admin.query(
      "update outrider.workspaces set name = 'Second', status = 'paused' where workspace_id = $1",
      [workspaceId],
    );
    const listed = await listWorkspaces(database.service);
    expect(listed).toContainEqual({ workspaceId, name: 'Second', status: 'paused' });
    const ids = listed.map((each) => each.workspaceId);
    expect(ids.length).toBeGreaterThan(10);
    expect(ids).toEqual(ids.toSorted());
  });
});
