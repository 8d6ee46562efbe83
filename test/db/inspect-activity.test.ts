import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { showActivity } from '../../src/db/inspect.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database, { sending_lease: '10 minutes' });
});

const activity = (given: object = {}, now = after(60)) =>
  showActivity(database.service, { workspaceId, limit: 100, ...given }, now);

const claim = (limit: number, now = start) =>
  claimDeliveries(database.service, { workspaceId, runId: 'run', limit }, now);

describe('show_activity', () => {
  it('counts the queue by status, and says what has been due longest', async () => {
    const { admin, service } = database;
    await addChannel(admin, workspaceId, 'news');
    await addBacklog(admin, workspaceId, ['news'], 5);
    await addDelivery(admin, workspaceId, 'news', { not_before: after(7200) });
    const [first, second] = await claim(2);
    if (first === undefined || second === undefined) throw new Error('two were not claimed');
    await commitOutcomes(
      service,
      workspaceId,
      [failed(first, { retryAfterMs: 900_000 })],
      after(1),
    );
    const seen = await activity();
    expect(seen.queue).toEqual({ due: 3, scheduled: 1, retrying: 1, claimed: 0, sending: 1 });
    expect(seen.at_least).toEqual([]);
    expect(seen.oldest_due).toMatchObject({ channel_id: 'news', due_since: new Date(start) });
    expect(seen.sends).toMatchObject([
      {
        delivery_id: second.deliveryId,
        channel_id: 'news',
        attempt: 1,
        started_at: new Date(start),
      },
    ]);
  });

  it('masks personal data in what is being sent, also where the text is cut', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const text = `${'Lost: a ginger dog. '.repeat(3)}Anna, +7 916 123-45-67, anna@example.org`;
    await take(database.service, workspaceId, { text });
    await claim(1);
    const [sending] = (await activity()).sends;
    expect(sending?.text).toMatch(/^Lost: a ginger dog\. .* Anna, \[phone\], /);
    expect(sending?.text).not.toMatch(/916|anna@/);
  });

  it('says what each channel sent in the last minute, and what else happened', async () => {
    const { admin, service } = database;
    await addChannel(admin, workspaceId, 'news');
    await addChannel(admin, workspaceId, 'pets');
    await addBacklog(admin, workspaceId, ['news', 'pets'], 3);
    const held = await claim(100);
    const refused = held.find((each) => each.channel.channelId === 'pets');
    const outcomes = held.map((each) =>
      each === refused
        ? failed(each, { category: 'PERMANENT', code: '400', message: 'too long' })
        : sent(each),
    );
    await commitOutcomes(service, workspaceId, outcomes, after(30));
    const seen = await activity();
    const counts = seen.channels.map((each) => [each.channel_id, each.sent]);
    expect(Object.fromEntries(counts)).toEqual({ news: 3, pets: 2 });
    expect(seen.lately).toEqual({
      since: new Date(start),
      sent: 5,
      retried: 0,
      failed: 1,
      dead: 0,
      deduped: 0,
    });
    expect(seen.errors).toMatchObject([
      {
        channel_id: 'pets',
        code: '400',
        message: 'too long',
        count: 1,
        last_at: new Date(after(30)),
      },
    ]);
    const later = await activity({}, after(95));
    expect(later.lately).toMatchObject({ sent: 0, failed: 0 });
    expect(later.errors).toHaveLength(1);
    expect((await activity({}, after(3700))).errors).toEqual([]);
  });

  it('counts the end of a busy minute only, and says since when', async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'news');
    await admin.query(
      `insert into outrider.event_log (workspace_id, id, ts, action, attempt, result, channel_id)
       select $1, gen_random_uuid(), $2::timestamptz + n * interval '10 milliseconds', 'dedup_suppressed', 0, 'ok', 'news'
       from generate_series(1, 3000) n`,
      [workspaceId, start],
    );
    const { lately } = await activity({}, after(30));
    expect(lately.deduped).toBeGreaterThan(1990);
    expect(lately.deduped).toBeLessThanOrEqual(2000);
    expect(lately.since).toEqual(new Date(after(10.01)));
  });

  it('says when the next delivery of a channel goes out: at its slot, when it is due, when the channel opens', async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'slow', { rate_rps: 0.1, next_allowed_at: after(65) });
    await addChannel(admin, workspaceId, 'later');
    await addChannel(admin, workspaceId, 'shut', { paused_until: after(600) });
    await addChannel(admin, workspaceId, 'off', { enabled: false });
    await addChannel(admin, workspaceId, 'idle', { rate_rps: 0.1, next_allowed_at: after(65) });
    const due = await addDelivery(admin, workspaceId, 'slow');
    await addDelivery(admin, workspaceId, 'later', { not_before: after(90) });
    await addDelivery(admin, workspaceId, 'shut');
    await addDelivery(admin, workspaceId, 'off');
    const { channels } = await activity();
    const next = Object.fromEntries(channels.map((each) => [each.channel_id, each.next_at]));
    expect(next).toEqual({
      slow: new Date(after(65)),
      later: new Date(after(90)),
      shut: new Date(after(600)),
      off: null,
      idle: null,
    });
    expect(channels.find((each) => each.channel_id === 'slow')).toMatchObject({
      waiting: 1,
      next_delivery_id: due,
      slot_at: new Date(after(65)),
    });
    expect(channels.find((each) => each.channel_id === 'idle')?.slot_at).toEqual(
      new Date(after(65)),
    );
  });

  it('takes a slot that was given out ahead for the next', async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'slow', { rate_rps: 0.1, max_parallel: 3 });
    await addBacklog(admin, workspaceId, ['slow'], 4);
    await claim(100);
    const [channel] = (await activity({}, after(1))).channels;
    expect(channel).toMatchObject({ waiting: 3, sending: 1 });
    expect(channel?.next_at).toEqual(new Date(after(10)));
  });

  it('lists the channels that do not send first, with until when and why, and counts all by state', async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'a-open');
    await addChannel(admin, workspaceId, 'paused', {
      paused_until: after(600),
      stopped_because: JSON.stringify({ code: '403', message: 'kicked' }),
    });
    const { channels, channel_states: states, groups } = await activity();
    expect(channels).toMatchObject([
      { channel_id: 'paused', state: 'paused', until: new Date(after(600)), reason: '403: kicked' },
      { channel_id: 'a-open', state: 'open', until: null, reason: null },
    ]);
    expect(states).toMatchObject({ open: 1, paused: 1, disabled: 0 });
    expect(groups).toMatchObject([
      { platform: 'telegram', rate_group: 'bot', state: 'open', channels: 2 },
    ]);
    const one = await activity({ limit: 1 });
    expect(one.channels.map((each) => each.channel_id)).toEqual(['paused']);
    expect(one.channel_states).toEqual(states);
  });

  it('shows rate groups with their cooldown', async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'news');
    await setGroup(admin, workspaceId, {
      cooldown_until: after(90),
      last_error: { code: '429', message: 'slower' },
      rate_rps: 2,
      next_allowed_at: after(90),
    });
    expect((await activity()).groups).toMatchObject([
      {
        state: 'cooling_down',
        until: new Date(after(90)),
        reason: '429: slower',
        rate_rps: 2,
        slot_at: new Date(after(90)),
      },
    ]);
  });

  it('shows some channels only: by id, by pattern, by platform', async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'tg-1');
    await addChannel(admin, workspaceId, 'tg-2');
    await addChannel(admin, workspaceId, 'wall', { platform: 'vk', rate_group: 'walls' });
    await addBacklog(admin, workspaceId, ['tg-1', 'tg-2', 'wall'], 2);
    const ids = async (given: object) =>
      (await activity(given)).channels.map((each) => each.channel_id);
    expect(await ids({ channelIds: ['tg-*'] })).toEqual(['tg-1', 'tg-2']);
    expect(await ids({ platform: 'vk' })).toEqual(['wall']);
    expect(await ids({ channelIds: ['tg-*'], platform: 'vk' })).toEqual([]);
    const one = await activity({ platform: 'vk' });
    expect([one.queue.due, one.groups.length]).toEqual([2, 1]);
    await expect(activity({ channelIds: ['tg-3'] })).rejects.toThrow('has no channel "tg-3"');
  });

  it('sums up errors of a channel that say the same, with the delivery of the last', async () => {
    const { admin, service } = database;
    await addChannel(admin, workspaceId, 'news');
    await addBacklog(admin, workspaceId, ['news'], 3);
    const held = await claim(3);
    const error = { code: '503', message: 'try later', retryAfterMs: 900_000 };
    for (const [n, each] of held.entries()) {
      await commitOutcomes(service, workspaceId, [failed(each, error)], after(n + 1));
    }
    expect((await activity()).errors).toEqual([
      {
        channel_id: 'news',
        code: '503',
        message: 'try later',
        count: 3,
        last_at: new Date(after(3)),
        delivery_id: held[2]?.deliveryId,
      },
    ]);
  });

  it('counts the processes that send', async () => {
    const { admin } = database;
    await addChannel(admin, workspaceId, 'news');
    const beat = (roles: string[], seenAt: string) =>
      admin.query(
        `insert into outrider.service_heartbeats (service_id, host, pid, version, roles, started_at, seen_at, ready)
         values (gen_random_uuid(), 'a', 1, '1', $1, $2, $3, true)`,
        [roles, start, seenAt],
      );
    await beat(['dispatch', 'upkeep'], after(50));
    await beat(['ingest'], after(50));
    await beat(['dispatch'], after(20));
    expect((await activity()).senders).toBe(1);
  });
});
