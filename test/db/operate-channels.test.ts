import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import {
  disableChannels,
  enableChannels,
  type OrderedChannel,
  pauseChannels,
  requeueDeliveries,
  resumeChannels,
} from '../../src/db/operate.ts';
import { apply, recorded } from '../support/database/configuration.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

const orders = {
  pause: pauseChannels,
  resume: resumeChannels,
  enable: enableChannels,
  disable: disableChannels,
};

type OrderName = keyof typeof orders;
type Columns = Readonly<Record<string, unknown>>;

interface Given {
  readonly until?: string;
  readonly dryRun?: boolean;
}

/** Orders it at ten seconds past the start. */
async function order(
  name: OrderName,
  channelIds: readonly string[],
  given: Given = {},
): Promise<OrderedChannel[]> {
  const request = { workspaceId, channelIds, operator: 'anna', reason: 'the chat moves', ...given };
  return orders[name](database.service, request, after(10));
}

const columns = 'enabled, paused_until, error_streak, stopped_because';

async function look(channelId: string): Promise<unknown> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select ${columns} from outrider.channels where workspace_id = $1 and channel_id = $2`,
    [workspaceId, channelId],
  );
  return rows[0];
}

const done = (channelId: string) => ({ channelId, changed: true, note: null });
const open = { enabled: true, paused_until: null, error_streak: 0, stopped_because: null };
const byAnna = { operator: 'anna', reason: 'the chat moves' };

/** As three refusals in a row leave a channel. */
const penalised = {
  enabled: false,
  paused_until: after(3600),
  error_streak: 3,
  stopped_because: JSON.stringify({ code: '403' }),
};

async function claimable(now: string): Promise<string[]> {
  const held = await claimDeliveries(
    database.service,
    { workspaceId, runId: 'run', limit: 10 },
    now,
  );
  return held.map((each) => each.channel.channelId).toSorted();
}

/** Claims what is due and has the provider refuse it for its channel. */
async function refuse(now: string): Promise<void> {
  const held = await claimDeliveries(
    database.service,
    { workspaceId, runId: 'run', limit: 10 },
    now,
  );
  const error = {
    category: 'PERMANENT',
    scope: 'channel',
    code: '403',
    message: 'kicked',
  } as const;
  const outcomes = held.map((each) => failed(each, error));
  await commitOutcomes(database.service, workspaceId, outcomes, now);
}

describe('a channel that an operator pauses', () => {
  beforeEach(async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 1);
  });

  it('sends nothing until the time that was named, and sends by itself from then on', async () => {
    expect(await order('pause', ['news'], { until: after(7200) })).toEqual([done('news')]);
    expect(await look('news')).toEqual({
      ...open,
      paused_until: '2026-03-02 12:00:00+00',
      stopped_because: byAnna,
    });
    expect(await claimable(after(7199))).toEqual([]);
    expect(await claimable(after(7200))).toEqual(['news']);
  });

  it('sends nothing before somebody resumes it, when no time was named', async () => {
    await order('pause', ['news']);
    expect(await look('news')).toMatchObject({ paused_until: 'infinity' });
    expect(await claimable(after(1e9))).toEqual([]);
    expect(await order('resume', ['news'])).toEqual([done('news')]);
    expect(await look('news')).toEqual(open);
    expect(await claimable(after(10))).toEqual(['news']);
  });

  it('has the pause that was ordered last, be it shorter', async () => {
    await order('pause', ['news'], { until: after(7200) });
    await order('pause', ['news'], { until: after(60) });
    expect(await claimable(after(60))).toEqual(['news']);
  });

  it.each([after(10), after(-1)])('needs a time that lies ahead, not %s', async (until) => {
    await expect(order('pause', ['news'], { until })).rejects.toMatchObject({
      sqlstate: 'OR001',
      message:
        'pause_channels: until must be a time that lies ahead, before the year 2201, or nothing',
    });
  });
});

describe('a channel that refusals have stopped', () => {
  it('is disabled by the third refusal in a row, and says which', async () => {
    await addChannel(database.admin, workspaceId, 'news', { error_streak: 2 });
    await addDelivery(database.admin, workspaceId, 'news');
    await refuse(start);
    expect(await look('news')).toMatchObject({
      enabled: false,
      error_streak: 3,
      stopped_because: { code: '403', message: 'kicked' },
    });
  });

  it('has neither pause nor errors in a row once it is enabled', async () => {
    await addChannel(database.admin, workspaceId, 'news', penalised);
    expect(await order('enable', ['news'])).toEqual([done('news')]);
    expect(await look('news')).toEqual(open);
  });

  it('is only paused by the next refusal after it was enabled', async () => {
    await addChannel(database.admin, workspaceId, 'news', penalised);
    await order('enable', ['news']);
    await addDelivery(database.admin, workspaceId, 'news');
    await refuse(after(20));
    expect(await look('news')).toMatchObject({ enabled: true, error_streak: 1 });
  });

  it('is only paused by the next refusal after an apply enabled it', async () => {
    await addChannel(database.admin, workspaceId, 'news', penalised);
    await apply(database.service, {
      workspace: workspaceId,
      channels: { news: { enabled: true } },
    });
    expect(await look('news')).toEqual(open);
    await addDelivery(database.admin, workspaceId, 'news');
    await refuse(after(20));
    expect(await look('news')).toMatchObject({ enabled: true, error_streak: 1 });
  });

  it('has no errors in a row once it is resumed', async () => {
    await addChannel(database.admin, workspaceId, 'news', { ...penalised, enabled: true });
    expect(await order('resume', ['news'])).toEqual([done('news')]);
    expect(await look('news')).toEqual(open);
  });

  it('lets what failed for it be sent again once it is resumed', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const deliveryId = await addDelivery(database.admin, workspaceId, 'news');
    await refuse(start);
    const request = { workspaceId, deliveryIds: [deliveryId], operator: 'anna', reason: 'back' };
    const requeue = () => requeueDeliveries(database.service, request, after(20));
    expect(await requeue()).toMatchObject([{ requeued: false }]);
    await order('resume', ['news']);
    expect(await requeue()).toMatchObject([{ requeued: true }]);
    expect(await claimable(after(20))).toEqual(['news']);
  });
});

describe('a channel that is disabled', () => {
  it('keeps what waits for it, and says who disabled it', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    expect(await order('disable', ['news'])).toEqual([done('news')]);
    expect(await look('news')).toEqual({ ...open, enabled: false, stopped_because: byAnna });
    expect(await claimable(after(1e9))).toEqual([]);
    await order('enable', ['news']);
    expect(await claimable(after(1e9))).toEqual(['news']);
  });

  it('names the apply that disabled it', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await apply(database.service, {
      workspace: workspaceId,
      channels: { news: { enabled: false } },
    });
    expect(await look('news')).toMatchObject({
      stopped_because: { operator: expect.any(String), reason: 'apply' },
    });
  });

  it('names the apply that pruned it', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news');
    await apply(database.service, { workspace: workspaceId, channels: {} }, { prune: true });
    expect(await look('news')).toMatchObject({
      enabled: false,
      stopped_because: { reason: 'apply' },
    });
  });
});

describe('docs/operations.md', () => {
  it('has SQL that resumes the channels of a credential and requeues what failed in them', async () => {
    workspaceId = 'city';
    await addWorkspace(database.admin, 'city');
    await addChannel(database.admin, 'city', 'max-1', { auth_ref: 'max-main' });
    const deliveryId = await addDelivery(database.admin, 'city', 'max-1');
    const now = new Date().toISOString();
    await refuse(now);
    const page = await readFile(path.join(import.meta.dirname, '../../docs/operations.md'), 'utf8');
    const block = /```sql\n(select \* from outrider\.resume_channels.*?)```/s.exec(page)?.[1] ?? '';
    for (const statement of block.split(';').filter((each) => each.trim() !== '')) {
      await database.service.query(statement);
    }
    expect(await look('max-1')).toEqual(open);
    const { rows }: { rows: unknown[] } = await database.admin.query(
      'select status from outrider.deliveries where delivery_id = $1',
      [deliveryId],
    );
    expect(rows).toEqual([{ status: 'retry' }]);
  });
});

describe('an order to channels', () => {
  const actions: Readonly<Record<OrderName, [Columns, string]>> = {
    pause: [{}, 'channel_paused'],
    resume: [{ paused_until: after(3600) }, 'channel_resumed'],
    enable: [{ enabled: false }, 'channel_enabled'],
    disable: [{}, 'channel_disabled'],
  };
  const names: readonly OrderName[] = ['pause', 'resume', 'enable', 'disable'];

  it.each(names)('leaves an event with who and why: %s', async (name) => {
    const [before, action] = actions[name];
    await addChannel(database.admin, workspaceId, 'news', before);
    await order(name, ['news']);
    expect(await recorded(database.admin, workspaceId)).toEqual([
      { action, channel_id: 'news', meta: { ...byAnna, manual: true } },
    ]);
  });

  it('records until when it pauses', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await order('pause', ['news'], { until: after(60) });
    expect(await recorded(database.admin, workspaceId)).toMatchObject([
      { meta: { paused_until: '2026-03-02T10:01:00+00:00' } },
    ]);
  });

  it('keeps no secret that its reason quotes', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const token = '123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA';
    await disableChannels(
      database.service,
      { workspaceId, channelIds: ['news'], operator: 'anna', reason: `lost ${token}` },
      start,
    );
    const kept = JSON.stringify([await look('news'), await recorded(database.admin, workspaceId)]);
    expect(kept).toContain('lost');
    expect(kept).not.toContain(token);
  });

  it.each(names)('of a dry run changes nothing and says the same: %s', async (name) => {
    await addChannel(database.admin, workspaceId, 'news', actions[name][0]);
    await addChannel(database.admin, workspaceId, 'off', { enabled: name === 'enable' });
    const before = [await look('news'), await look('off')];
    const foretold = await order(name, ['news', 'off', 'nowhere'], { dryRun: true });
    expect([await look('news'), await look('off')]).toEqual(before);
    expect(await recorded(database.admin, workspaceId)).toEqual([]);
    expect(await order(name, ['news', 'off', 'nowhere'])).toEqual(foretold);
  });

  it.each<[OrderName, Columns, string]>([
    ['pause', { enabled: false }, 'it is disabled, which is more than paused'],
    ['resume', {}, 'it is not paused'],
    ['resume', { paused_until: after(9) }, 'it is not paused'],
    ['resume', { enabled: false, paused_until: after(60) }, 'it is disabled; enable it instead'],
    ['enable', {}, 'it is enabled already'],
    ['enable', { paused_until: after(60) }, 'it is enabled, and paused; resume it instead'],
    ['disable', { enabled: false }, 'it is disabled already'],
  ])('to %s is refused, with its reason, by a channel that has %j', async (name, before, note) => {
    await addChannel(database.admin, workspaceId, 'news', before);
    const untouched = await look('news');
    expect(await order(name, ['news'])).toEqual([{ channelId: 'news', changed: false, note }]);
    expect(await look('news')).toEqual(untouched);
    expect(await recorded(database.admin, workspaceId)).toEqual([]);
  });

  it.each(names)('names a channel that this workspace does not have: %s', async (name) => {
    await addWorkspace(database.admin, `${workspaceId}-other`);
    await addChannel(database.admin, `${workspaceId}-other`, 'theirs', actions[name][0]);
    expect(await order(name, ['theirs'])).toEqual([
      {
        channelId: 'theirs',
        changed: false,
        note: 'there is no such channel in this workspace',
      },
    ]);
    expect(await recorded(database.admin, `${workspaceId}-other`)).toEqual([]);
  });

  it('answers once for each channel, in their order', async () => {
    for (const id of ['b', 'a', 'C']) await addChannel(database.admin, workspaceId, id);
    expect(await order('disable', ['b', 'a', 'C', 'b'])).toEqual([done('C'), done('a'), done('b')]);
  });
});
