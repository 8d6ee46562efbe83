import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { type RotatedChannel, type RotateOrder, rotateAuth } from '../../src/db/operate.ts';
import { recorded } from '../support/database/configuration.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await database.admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     select $1, c, 'telegram', 'env:BOT', $2::timestamptz from unnest(array['bot', 'spare']) c
     union all select $1, 'wall', 'vk', 'env:WALL', $2`,
    [workspaceId, after(-3600)],
  );
  for (const id of ['a', 'b']) await addChannel(database.admin, workspaceId, id);
});

const byAnna = { operator: 'anna', reason: 'the token leaked' };

function rotate(given: Partial<RotateOrder> = {}, now = after(10)): Promise<RotatedChannel[]> {
  const request = { workspaceId, channelIds: ['a', 'b'], authRef: 'spare', ...byAnna, ...given };
  return rotateAuth(database.service, request, now);
}

/** One delivery for each channel waits; what is due is claimed. */
async function claim(now: string): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 10 }, now);
}

async function beginIn(channelId: string): Promise<ClaimedDelivery> {
  await addBacklog(database.admin, workspaceId, [channelId], 1);
  const [held] = await claim(start);
  if (held === undefined) throw new Error('nothing was claimed');
  return held;
}

async function channels(): Promise<unknown[]> {
  const { rows }: { rows: unknown[] } = await database.admin.query(
    `select c.channel_id, c.auth_ref, c.rate_group, c.paused_until, r.auth_ref as rotated_to
     from outrider.channels c left join outrider.channel_auth r using (workspace_id, channel_id)
     where c.workspace_id = $1 order by c.channel_id`,
    [workspaceId],
  );
  return rows;
}

const old = { auth_ref: 'bot', rate_group: 'bot', paused_until: null, rotated_to: null };
const rotated = { auth_ref: 'spare', rate_group: 'bot', paused_until: null, rotated_to: 'spare' };
const idle = { note: null, sending: 0, sendingUntil: null };

describe('channels of which nothing is being sent', () => {
  it('get the new credential at once, and send with it', async () => {
    expect(await rotate()).toEqual([
      { channelId: 'a', rotated: true, ...idle },
      { channelId: 'b', rotated: true, ...idle },
    ]);
    expect(await channels()).toMatchObject([rotated, rotated]);
    await addBacklog(database.admin, workspaceId, ['a'], 1);
    expect(await claim(after(20))).toMatchObject([{ channel: { authRef: 'spare' } }]);
  });

  it('leave an event with both credentials, who and why', async () => {
    await rotate({ channelIds: ['a'] });
    const meta = { ...byAnna, manual: true, old_auth_ref: 'bot', new_auth_ref: 'spare' };
    expect(await recorded(database.admin, workspaceId)).toEqual([
      { action: 'auth_rotated', channel_id: 'a', meta },
    ]);
  });

  it('move to another rate group, if one is named', async () => {
    await rotate({ rateGroup: 'fresh' });
    expect(await channels()).toMatchObject([
      { ...rotated, rate_group: 'fresh' },
      { ...rotated, rate_group: 'fresh' },
    ]);
    const [event] = await recorded(database.admin, workspaceId);
    expect(event?.meta).toMatchObject({ old_rate_group: 'bot', new_rate_group: 'fresh' });
    await addBacklog(database.admin, workspaceId, ['a'], 1);
    expect(await claim(after(20))).toHaveLength(1);
  });

  it('are the old ones again after another rotation, which channel_auth follows', async () => {
    await rotate();
    await rotate({ authRef: 'bot' }, after(20));
    expect(await channels()).toMatchObject([
      { auth_ref: 'bot', rotated_to: 'bot' },
      { auth_ref: 'bot', rotated_to: 'bot' },
    ]);
  });

  it('keep the pause that somebody has ordered', async () => {
    await database.admin.query(
      "update outrider.channels set paused_until = 'infinity' where workspace_id = $1",
      [workspaceId],
    );
    await rotate();
    expect(await channels()).toMatchObject([
      { ...rotated, paused_until: 'infinity' },
      { ...rotated, paused_until: 'infinity' },
    ]);
  });
});

describe('channels of which something is being sent', () => {
  const busy = {
    channelId: 'a',
    rotated: false,
    note: '1 of its deliveries is being sent',
    sending: 1,
    sendingUntil: new Date(after(30)),
  };
  const waiting = { channelId: 'b', rotated: false, ...idle, note: 'it waits for the others' };

  it('keep the old credential, all of them, and say how many and until when', async () => {
    await beginIn('a');
    expect(await rotate()).toEqual([busy, waiting]);
    expect(await channels()).toMatchObject([{ auth_ref: 'bot' }, { auth_ref: 'bot' }]);
  });

  it('begin nothing new for two minutes, however often it is asked', async () => {
    await beginIn('a');
    await addBacklog(database.admin, workspaceId, ['a', 'b'], 1);
    await rotate();
    await rotate({}, after(60));
    expect(await claim(after(129))).toEqual([]);
    expect(await claim(after(130))).toHaveLength(2);
  });

  it('change when it has ended, and go on at once', async () => {
    const held = await beginIn('a');
    await addBacklog(database.admin, workspaceId, ['a', 'b'], 1);
    await rotate();
    await commitOutcomes(database.service, workspaceId, [sent(held)], after(15));
    expect(await rotate({}, after(16))).toMatchObject([{ rotated: true }, { rotated: true }]);
    expect(await channels()).toMatchObject([rotated, rotated]);
    expect(await claim(after(16))).toMatchObject([
      { channel: { authRef: 'spare' } },
      { channel: { authRef: 'spare' } },
    ]);
    expect((await recorded(database.admin, workspaceId)).map((each) => each.action)).toEqual([
      'channel_paused',
      'channel_paused',
      'auth_rotated',
      'auth_rotated',
      'channel_resumed',
      'channel_resumed',
    ]);
  });

  it('change all the same by force, which is on record', async () => {
    const held = await beginIn('a');
    expect(await rotate({ force: true })).toMatchObject([{ rotated: true }, { rotated: true }]);
    const events = await recorded(database.admin, workspaceId);
    expect(events.map((each) => [each.channel_id, each.meta['forced']])).toEqual([
      ['a', true],
      ['b', undefined],
    ]);
    const [verdict] = await commitOutcomes(database.service, workspaceId, [sent(held)], after(15));
    expect(verdict).toMatchObject({ became: 'sent' });
  });

  it('hold nothing back in a dry run, which says the same', async () => {
    await beginIn('a');
    expect(await rotate({ dryRun: true })).toEqual([busy, waiting]);
    expect(await channels()).toMatchObject([old, old]);
    expect(await recorded(database.admin, workspaceId)).toEqual([]);
  });

  it('are not paused twice: a pause of an operator stays as it is', async () => {
    await beginIn('a');
    await database.admin.query(
      `update outrider.channels set paused_until = $2 where workspace_id = $1`,
      [workspaceId, after(20)],
    );
    await rotate();
    expect(await channels()).toMatchObject([
      { paused_until: '2026-03-02 10:00:20+00' },
      { paused_until: '2026-03-02 10:00:20+00' },
    ]);
  });

  it('wait for a claim that is under way, and see what it has taken', async () => {
    await addBacklog(database.admin, workspaceId, ['a'], 1);
    const other = await database.service.connect();
    try {
      await other.query('begin');
      await claimDeliveries(other, { workspaceId, runId: 'run', limit: 1 }, start);
      const asked = rotate();
      await other.query('commit');
      expect(await asked).toMatchObject([{ rotated: false, sending: 1 }, { rotated: false }]);
    } finally {
      other.release();
    }
  });
});

describe('a rate group that was closed for the old credential', () => {
  async function closedGroups(): Promise<number> {
    const { rowCount } = await database.admin.query(
      'select from outrider.platform_limits where workspace_id = $1 and closed_at is not null',
      [workspaceId],
    );
    return rowCount ?? 0;
  }

  beforeEach(async () => {
    const held = await beginIn('a');
    const refused = { scope: 'platform', code: 'credential_refused', message: 'revoked' } as const;
    await commitOutcomes(database.service, workspaceId, [failed(held, refused)], after(1));
  });

  it('opens when no channel of it uses that credential any more', async () => {
    await rotate({ channelIds: ['a'] });
    expect(await closedGroups()).toBe(1);
    await rotate({ channelIds: ['b'] }, after(20));
    expect(await closedGroups()).toBe(0);
    expect(await claim(after(20))).toHaveLength(1);
    const events = await recorded(database.admin, workspaceId);
    expect(events.find((each) => each.action === 'group_opened')?.meta).toMatchObject(byAnna);
  });

  it('stays closed in a dry run', async () => {
    await rotate({ dryRun: true });
    expect(await closedGroups()).toBe(1);
  });
});

describe('a rotation is refused', () => {
  it.each<[string, Partial<RotateOrder>, string]>([
    [
      'a channel that is not there',
      { channelIds: ['x'] },
      'there is no such channel in this workspace',
    ],
    [
      'a credential of another platform',
      { authRef: 'wall' },
      'it is on telegram, and the credential is for vk',
    ],
    ['the credential it has', { authRef: 'bot' }, 'it sends with this credential already'],
  ])('in words, for %s', async (_, given, note) => {
    for (const each of await rotate(given)) expect(each).toMatchObject({ rotated: false, note });
    expect(await channels()).toMatchObject([old, old]);
    expect(await recorded(database.admin, workspaceId)).toEqual([]);
  });

  it('for a credential that nobody has bound', async () => {
    await expect(rotate({ authRef: 'nowhere' })).rejects.toMatchObject({
      sqlstate: 'OR002',
      message: expect.stringMatching(/has no credential "nowhere"$/),
    });
  });

  it('for a channel alone: the others change', async () => {
    expect(await rotate({ channelIds: ['a', 'x'] })).toMatchObject([
      { channelId: 'a', rotated: true },
      { channelId: 'x', rotated: false },
    ]);
  });
});
