import { beforeEach, describe, expect, it } from 'vitest';
import { listRateGroups } from '../../src/db/inspect.ts';
import {
  disableRateGroup,
  enableRateGroup,
  type GroupOrder,
  type OrderedChannel,
} from '../../src/db/operate.ts';
import { recorded } from '../support/database/configuration.ts';
import {
  addChannel,
  addNewWorkspace,
  addWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(database.admin, workspaceId, 'a', { rate_group: 'slow' });
  await addChannel(database.admin, workspaceId, 'b', { rate_group: 'slow' });
  await addChannel(database.admin, workspaceId, 'c', { rate_group: 'fast' });
  await addChannel(database.admin, workspaceId, 'd', { rate_group: 'slow', platform: 'max' });
});

const byAnna = { operator: 'anna', reason: 'a new bot' };

function order(
  call: typeof disableRateGroup,
  given: Partial<GroupOrder> = {},
): Promise<OrderedChannel[]> {
  const request = { workspaceId, platform: 'telegram', rateGroup: 'slow', ...byAnna, ...given };
  return call(database.service, request, after(10));
}

async function states(): Promise<string[]> {
  const { rows } = await database.admin.query<{ state: string }>(
    `select channel_id || case when enabled then '' else ' off' end
       || case when paused_until > $2 then ' paused' else '' end
       || case when error_streak > 0 then ' failing' else '' end as state
     from outrider.channels where workspace_id = $1 order by channel_id`,
    [workspaceId, after(10)],
  );
  return rows.map((row) => row.state);
}

const done = (channelId: string) => ({ channelId, changed: true, note: null });

describe('a rate group that is disabled', () => {
  it('has its channels disabled, and no others', async () => {
    expect(await order(disableRateGroup)).toEqual([done('a'), done('b')]);
    expect(await states()).toEqual(['a off', 'b off', 'c', 'd']);
  });

  it('leaves an event for each channel, with the group, who and why', async () => {
    await order(disableRateGroup);
    const meta = { ...byAnna, manual: true, rate_group: 'slow' };
    expect(await recorded(database.admin, workspaceId)).toEqual([
      { action: 'channel_disabled', channel_id: 'a', meta },
      { action: 'channel_disabled', channel_id: 'b', meta },
    ]);
  });

  it('says which of its channels are disabled already', async () => {
    await order(disableRateGroup);
    expect(await order(disableRateGroup)).toMatchObject([
      { changed: false, note: 'it is disabled already' },
      { changed: false, note: 'it is disabled already' },
    ]);
  });
});

describe('a rate group that is enabled', () => {
  it('has channels without pause and without errors in a row, whoever stopped them', async () => {
    await database.admin.query(
      `update outrider.channels
       set enabled = channel_id <> 'a', error_streak = 3, paused_until = $2
       where workspace_id = $1`,
      [workspaceId, after(3600)],
    );
    expect(await order(enableRateGroup)).toEqual([done('a'), done('b')]);
    expect(await states()).toEqual(['a', 'b', 'c paused failing', 'd paused failing']);
    const meta = { ...byAnna, manual: true, rate_group: 'slow' };
    expect(await recorded(database.admin, workspaceId)).toEqual([
      { action: 'channel_enabled', channel_id: 'a', meta },
      { action: 'channel_enabled', channel_id: 'b', meta },
    ]);
  });

  it('says which of its channels send already', async () => {
    expect(await order(enableRateGroup)).toMatchObject([
      { changed: false, note: 'it is enabled already' },
      { changed: false, note: 'it is enabled already' },
    ]);
  });
});

describe('an order to a rate group', () => {
  it('of a dry run changes nothing and says the same', async () => {
    const foretold = await order(disableRateGroup, { dryRun: true });
    expect(await states()).toEqual(['a', 'b', 'c', 'd']);
    expect(await recorded(database.admin, workspaceId)).toEqual([]);
    expect(await order(disableRateGroup)).toEqual(foretold);
  });

  it.each([{ rateGroup: 'none' }, { platform: 'vk' }, { platform: 'telepathy' }])(
    'is refused where there is no such group: %j',
    async (given) => {
      await expect(order(disableRateGroup, given)).rejects.toMatchObject({
        sqlstate: 'OR002',
        message: expect.stringMatching(
          /^disable_rate_group: workspace "w\d+" has no rate group "\w+" on platform "\w+"$/,
        ),
      });
    },
  );

  it('does not reach the group of that name in another workspace', async () => {
    const other = `${workspaceId}-other`;
    await addWorkspace(database.admin, other);
    await expect(order(disableRateGroup, { workspaceId: other })).rejects.toMatchObject({
      sqlstate: 'OR002',
    });
    expect(await states()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('needs who and why', async () => {
    for (const given of [{ operator: '' }, { reason: '' }]) {
      await expect(order(disableRateGroup, given)).rejects.toMatchObject({ sqlstate: 'OR001' });
    }
  });

  it('has nothing to do in a group without channels', async () => {
    await setGroup(database.admin, workspaceId, { rate_group: 'empty' });
    expect(await order(disableRateGroup, { rateGroup: 'empty' })).toEqual([]);
  });
});

describe('the list of rate groups', () => {
  it('has those that do not send first, with their channels, credentials and limits', async () => {
    await setGroup(database.admin, workspaceId, {
      rate_group: 'slow',
      rate_rps: 2,
      cooldown_until: after(60),
      last_error: JSON.stringify({ code: 'rate_limited', message: 'Too Many Requests' }),
    });
    await order(disableRateGroup, { rateGroup: 'fast' });
    const open = { state: 'open', stateUntil: null, stateReason: null, paused: 0 };
    const groups = await listRateGroups(database.service, workspaceId, after(10));
    expect(groups).toEqual([
      {
        platform: 'telegram',
        rateGroup: 'slow',
        state: 'cooling_down',
        stateSince: null,
        stateUntil: new Date(after(60)),
        stateReason: 'rate_limited: Too Many Requests',
        rateRps: 2,
        authRefs: ['bot'],
        channels: 2,
        disabled: 0,
        paused: 0,
      },
      expect.objectContaining({ ...open, platform: 'max', channels: 1, disabled: 0 }),
      expect.objectContaining({ ...open, rateGroup: 'fast', channels: 1, disabled: 1 }),
    ]);
  });

  it('knows a group by its channels alone, with the rate of its platform', async () => {
    await database.admin.query('delete from outrider.platform_limits where workspace_id = $1', [
      workspaceId,
    ]);
    const groups = await listRateGroups(database.service, workspaceId, start);
    expect(groups.map((each) => each.rateGroup)).toEqual(['slow', 'fast', 'slow']);
    expect(groups.every((each) => (each.rateRps ?? 0) > 0)).toBe(true);
  });
});
