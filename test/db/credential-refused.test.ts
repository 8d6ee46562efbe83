import { beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { applyWorkspace } from '../../src/db/apply.ts';
import type { ClaimedDelivery } from '../../src/db/claim.ts';
import { nextDueAt, nextWorkspaces } from '../../src/db/dispatch.ts';
import { type OpenedGroup, reopenCredential } from '../../src/db/operate.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { removeAllWorkspaces } from '../support/database/all-gone.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { GroupOutage, known } from '../support/queue/group-outage.ts';
import { failed } from '../support/queue/outcomes.ts';

// A platform that refuses a credential: its group closes, and no post is lost.

const database = await useDatabase();
let group: GroupOutage;
const workspaceId = 'w';

// The next due time is that of all workspaces: each test begins with none.
beforeEach(async () => {
  await removeAllWorkspaces(database.admin);
  group = await GroupOutage.open(database, workspaceId, ['a', 'b', 'c']);
  await group.addChannel('x', { rate_group: 'other', auth_ref: 'spare' });
  await database.admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, 'bot', 'telegram', 'env:BOT', $2), ($1, 'spare', 'telegram', 'env:SPARE', $2)`,
    [workspaceId, after(-3600)],
  );
});

const refused = {
  category: 'TRANSIENT',
  scope: 'platform',
  code: 'credential_refused',
  message: 'Telegram refuses credential bot (env:BOT)',
} as const;

async function refuse(delivery: ClaimedDelivery | undefined, now: string): Promise<void> {
  await group.fail([delivery], now, refused);
}

function reopen(now: string, authRef = 'bot'): Promise<OpenedGroup[]> {
  const request = { workspaceId, authRef, operator: 'ann', reason: 'a new token' };
  return reopenCredential(database.service, request, now);
}

async function apply(document: object, now: string): Promise<void> {
  const request = {
    document: { workspace: workspaceId, ...document },
    prune: false,
    dryRun: false,
  };
  await applyWorkspace(database.service, request, now);
}

const Closed = z.object({ rate_group: z.string(), auth_ref: z.string() });

async function closed(): Promise<z.output<typeof Closed>[]> {
  return queryRows(
    database.admin,
    Closed,
    `select rate_group, closed_auth_ref as auth_ref from outrider.platform_limits
     where closed_at is not null order by rate_group`,
  );
}

const shared = { rate_group: 'shared', auth_ref: 'bot' };
const opened = { platform: 'telegram', rateGroup: 'shared' };

describe('a credential that is refused', () => {
  it('closes the group of its channel, and no other', async () => {
    const held = await group.hold(start);
    await refuse(held.get('a'), after(1));
    expect(await closed()).toEqual([shared]);
    expect(new Set(await group.given(after(86_400)))).toEqual(new Set(['x']));
  });

  it('costs its post nothing, and neither pauses nor disables a channel', async () => {
    const held = await group.hold(start);
    await refuse(held.get('a'), after(1));
    expect(await group.delivery(known(held.get('a')))).toEqual({
      status: 'retry',
      attempt: 1,
      left: 5,
    });
    const { rows } = await database.admin.query(
      `select from outrider.channels where not enabled or error_streak > 0 or paused_until is not null
         or cooldown_until is not null`,
    );
    expect(rows).toEqual([]);
  });

  it('is on record once, with its words, however many sends meet it', async () => {
    const held = await group.hold(start);
    for (const each of ['a', 'b', 'c']) await refuse(held.get(each), after(1));
    const { rows } = await database.admin.query(
      `select channel_id, error ->> 'message' as message, meta ->> 'rate_group' as rate_group, meta ->> 'auth_ref' as auth_ref
       from outrider.events where action = 'group_closed'`,
    );
    expect(rows).toEqual([{ channel_id: 'a', message: refused.message, ...shared }]);
  });

  it('closes its group within a commit that records a success of it', async () => {
    const held = await group.hold(start);
    const success = { ...known(held.get('b')), ok: true, providerMessageId: '1' } as const;
    await group.commit([success, failed(known(held.get('a')), refused)], after(1));
    expect(await closed()).toEqual([shared]);
  });

  it('is no matter of time: nothing is due', async () => {
    const held = await group.hold(start);
    await database.admin.query("update outrider.channels set enabled = channel_id <> 'x'");
    await refuse(held.get('a'), after(1));
    expect(await nextDueAt(database.service, after(2))).toBeNull();
    expect(await nextWorkspaces(database.service, 'main', 10, after(86_400))).toEqual([]);
  });

  it('never makes a post dead, however often and long', async () => {
    const first = known((await group.hold(start)).get('a'));
    await refuse(first, after(1));
    for (let day = 1; day <= 10; day += 1) {
      await reopen(after(day * 86_400));
      const again = (await group.hold(after(day * 86_400))).get('a');
      expect(again?.deliveryId).toBe(first.deliveryId);
      await refuse(again, after(day * 86_400 + 1));
    }
    expect(await group.delivery(first)).toEqual({ status: 'retry', attempt: 11, left: 5 });
  });

  it('is the one that the channel was given in place of its own', async () => {
    await database.admin.query(
      `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
       values ($1, 'a', 'spare', $2, $2)`,
      [workspaceId, after(-60)],
    );
    await refuse((await group.hold(start)).get('a'), after(1));
    expect(await closed()).toEqual([{ rate_group: 'shared', auth_ref: 'spare' }]);
  });

  it('that is PERMANENT all the same fails its post, as its sender says', async () => {
    const held = await group.hold(start);
    await group.fail([held.get('a')], after(1), { ...refused, category: 'PERMANENT' });
    expect(await group.delivery(known(held.get('a')))).toMatchObject({
      status: 'failed_permanent',
    });
    expect(await closed()).toEqual([]);
  });
});

describe('reopen_credential', () => {
  it('opens the group: what waits is due at once, in its old order', async () => {
    const held = await group.hold(start);
    await refuse(held.get('a'), after(1));
    expect(await reopen(after(60))).toEqual([opened]);
    expect(await closed()).toEqual([]);
    const again = await group.hold(after(60));
    expect([...again.keys()].toSorted()).toEqual(['a', 'b', 'c', 'x']);
    expect(again.get('a')?.deliveryId).toBe(held.get('a')?.deliveryId);
  });

  it('is on record with who and why', async () => {
    await refuse((await group.hold(start)).get('a'), after(1));
    await reopen(after(60));
    const { rows } = await database.admin.query(
      `select meta ->> 'rate_group' as rate_group, meta ->> 'auth_ref' as auth_ref, meta ->> 'operator' as operator,
         meta ->> 'reason' as reason
       from outrider.events where action = 'group_opened'`,
    );
    expect(rows).toEqual([{ ...shared, operator: 'ann', reason: 'a new token' }]);
  });

  it('opens every group that was closed for the credential, and none that was not', async () => {
    await group.addChannel('y', { rate_group: 'second' });
    const held = await group.hold(start);
    for (const each of ['a', 'x', 'y']) await refuse(held.get(each), after(1));
    expect(await reopen(after(60))).toEqual([{ ...opened, rateGroup: 'second' }, opened]);
    expect(await closed()).toEqual([{ rate_group: 'other', auth_ref: 'spare' }]);
  });

  it('opens nothing where nothing is closed, and does not know what is not there', async () => {
    expect(await reopen(start)).toEqual([]);
    await expect(reopen(start, 'nobody')).rejects.toMatchObject({
      sqlstate: 'OR002',
      message: 'reopen_credential: workspace "w" has no credential "nobody"',
    });
  });

  it('opens a group whose credential is no longer configured', async () => {
    await refuse((await group.hold(start)).get('a'), after(1));
    await database.admin.query('delete from outrider.credential_bindings');
    expect(await reopen(after(60))).toEqual([opened]);
  });

  it('is followed by another closing when the token is still refused, and not for the old one', async () => {
    const held = await group.hold(start);
    await refuse(held.get('a'), after(1));
    await reopen(after(60));
    await refuse(held.get('b'), after(61)); // begun with the old token
    expect(await closed()).toEqual([]);
    await refuse((await group.hold(after(62))).get('a'), after(63));
    expect(await closed()).toEqual([shared]);
  });

  it('leaves a cooldown of the group as it is', async () => {
    const held = await group.hold(start);
    await refuse(held.get('a'), after(1));
    const limited = { scope: 'platform', code: '429', retryAfterMs: 600_000 } as const;
    await group.fail([held.get('b')], after(2), limited);
    await reopen(after(60));
    expect(new Set(await group.given(after(601)))).toEqual(new Set(['x']));
    expect(await group.given(after(602))).toContain('a');
  });

  it('makes slots void that passed while the group was closed', async () => {
    await database.admin.query('update outrider.channels set rate_rps = 1, max_parallel = 4');
    const held = await group.claim(start, 16);
    await refuse(
      held.find((each) => each.channel.channelId === 'a'),
      start,
    );
    await reopen(after(20));
    const sends: number[] = [];
    for (let second = 20; second < 26; second += 1) {
      const given = await group.claim(after(second));
      sends.push(given.filter((each) => each.channel.channelId === 'b').length);
    }
    expect(Math.max(...sends)).toBe(1);
  });
});

describe('an apply', () => {
  const credentials = (secretRef: string): object => ({
    credentials: { bot: { platform: 'telegram', secret_ref: secretRef } },
  });

  beforeEach(async () => {
    await refuse((await group.hold(start)).get('a'), after(1));
  });

  it('that rotates the credential opens its groups, on record', async () => {
    await apply(credentials('env:BOT_2'), after(60));
    expect(await closed()).toEqual([]);
    expect(await group.events()).toEqual(['group_closed', 'group_opened']);
  });

  it('that leaves the credential as it is opens nothing', async () => {
    await apply(credentials('env:BOT'), after(60));
    await apply({ channels: { a: { title: 'News' } } }, after(61));
    expect(await closed()).toEqual([shared]);
  });

  it('that rotates another credential opens nothing', async () => {
    await apply(
      { credentials: { spare: { platform: 'telegram', secret_ref: 'env:SPARE_2' } } },
      after(60),
    );
    expect(await closed()).toEqual([shared]);
  });

  it('that gives all channels of the group another credential opens it', async () => {
    const moved = { auth_ref: 'spare' };
    await apply({ channels: { a: moved, b: moved } }, after(60));
    expect(await closed()).toEqual([shared]);
    await apply({ channels: { c: moved } }, after(61));
    expect(await closed()).toEqual([]);
  });

  it('is not undone by a send that was begun before it', async () => {
    await reopen(after(30));
    const held = await group.hold(after(31));
    await apply(credentials('env:BOT_2'), after(32));
    await refuse(held.get('a'), after(33));
    expect(await closed()).toEqual([]);
  });
});
