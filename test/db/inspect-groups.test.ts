import { beforeEach, describe, expect, it } from 'vitest';
import type { GivenError } from '../../src/db/commit.ts';
import {
  listChannels,
  type ShownDelivery,
  type ShownWorkspace,
  showDelivery,
  showWorkspace,
} from '../../src/db/inspect.ts';
import { reopenCredential } from '../../src/db/operate.ts';
import { addDelivery, addWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { GroupOutage, ill, known } from '../support/queue/group-outage.ts';

// What is said of a rate group that keeps its channels from sending, wherever somebody asks.

const database = await useDatabase();
let group: GroupOutage;
let workspaceId: string;

beforeEach(async () => {
  workspaceId = database.newWorkspaceId();
  group = await GroupOutage.open(database, workspaceId, ['a', 'b', 'c']);
  await group.addChannel('x', { rate_group: 'other' });
  await database.admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, 'bot', 'telegram', 'env:BOT', $2)`,
    [workspaceId, after(-3600)],
  );
});

const limited = {
  scope: 'platform',
  code: '429',
  retryAfterMs: 60_000,
  message: 'Too Many Requests',
} as const;
const refused = { scope: 'platform', code: 'credential_refused', message: '401' } as const;
const broken = { ...ill, message: 'the provider answered with status 502' };

/** All of them fail, one after the other, at the same time. */
async function failAll(error: Partial<GivenError>, now: string): Promise<void> {
  const held = await group.hold(start);
  await group.fail(
    ['a', 'b', 'c'].map((each) => held.get(each)),
    now,
    error,
  );
}

async function groups(now: string): Promise<ShownWorkspace['groups']> {
  return (await showWorkspace(database.service, workspaceId, now)).groups;
}

/** State, until when and why, of each channel. */
async function channels(now: string): Promise<Record<string, unknown>> {
  const listed = await listChannels(database.service, { workspaceId }, now);
  return Object.fromEntries(
    listed.map(({ channelId, state, stateUntil, stateReason }) => [
      channelId,
      [state, stateUntil?.toISOString() ?? null, stateReason],
    ]),
  );
}

async function nextOf(columns: object, now: string): Promise<ShownDelivery['next']> {
  const id = await addDelivery(database.admin, workspaceId, 'a', { ...columns });
  return (await showDelivery(database.service, workspaceId, id, now)).next;
}

const shared = { platform: 'telegram', rate_group: 'shared', channels: 3 };
const open = ['open', null, null];

describe('nothing is said', () => {
  it('of groups that send, nor of one that no channel is in', async () => {
    await database.admin.query(
      `insert into outrider.platform_limits (workspace_id, platform, rate_group, cooldown_until, updated_at)
       values ($1, 'telegram', 'nobody’s', $2, $3)`,
      [workspaceId, after(3600), start],
    );
    expect(await groups(start)).toEqual([]);
  });

  it('of the groups of another workspace', async () => {
    await failAll(limited, after(1));
    workspaceId = `${workspaceId}-other`;
    await addWorkspace(database.admin, workspaceId);
    expect(await groups(after(2))).toEqual([]);
  });
});

describe('a group that cools down', () => {
  beforeEach(() => failAll(limited, after(1)));
  const why = '429: Too Many Requests';

  it('is shown with until when and why', async () => {
    expect(await groups(after(2))).toEqual([
      {
        ...shared,
        state: 'cooling_down',
        since: null,
        until: new Date(after(61)),
        reason: why,
      },
    ]);
    expect(await groups(after(61))).toEqual([]);
  });

  it('is the state of its channels, and of no others', async () => {
    const cooling = ['cooling_down', after(61), why];
    expect(await channels(after(2))).toEqual({ a: cooling, b: cooling, c: cooling, x: open });
  });

  it('is what a delivery waits for', async () => {
    expect(await nextOf({}, after(2))).toEqual({
      because: 'channel_cooling_down',
      at: new Date(after(61)),
      reason: why,
    });
  });
});

describe('a group whose platform is ill', () => {
  beforeEach(() => failAll(broken, after(1)));
  const why =
    '3 of its channels in a row found the platform ill: outcome_unknown: the provider answered with status 502';
  const outage = { ...shared, since: new Date(after(1)), reason: why };

  it('is shown resting, then probing, each with its reason', async () => {
    expect(await groups(after(2))).toEqual([
      { ...outage, state: 'resting', until: new Date(after(31)) },
    ]);
    expect(await groups(after(31))).toEqual([{ ...outage, state: 'probing', until: null }]);
  });

  it('is the state of its channels, and counted so', async () => {
    const resting = ['resting', after(31), why];
    expect(await channels(after(2))).toEqual({ a: resting, b: resting, c: resting, x: open });
    const probing = ['probing', null, why];
    expect(await channels(after(31))).toEqual({ a: probing, b: probing, c: probing, x: open });
    const shown = await showWorkspace(database.service, workspaceId, after(2));
    expect(shown.channels).toMatchObject({ open: 1, resting: 3, probing: 0 });
  });

  it('is what a delivery waits for, unless its own time is later', async () => {
    expect(await nextOf({}, after(2))).toEqual({
      because: 'channel_resting',
      at: new Date(after(31)),
      reason: why,
    });
    expect(await nextOf({}, after(40))).toEqual({
      because: 'channel_probing',
      at: null,
      reason: why,
    });
    expect(await nextOf({ not_before: after(99) }, after(40))).toEqual({
      because: 'scheduled',
      at: new Date(after(99)),
    });
  });
});

describe('a group whose credential was refused', () => {
  beforeEach(() => failAll(refused, after(1)));
  const why =
    'credential bot (env:BOT) was refused by Telegram: replace the token, then `outrider auth check`';

  it('is shown closed, with what to do about it', async () => {
    const closed = {
      ...shared,
      state: 'credential_refused',
      since: new Date(after(1)),
      until: null,
    };
    expect(await groups(after(86_400))).toEqual([{ ...closed, reason: why }]);
  });

  it('is said of its channels, whatever else keeps them for a while', async () => {
    await database.admin.query(
      "update outrider.channels set paused_until = $2 where workspace_id = $1 and channel_id = 'b'",
      [workspaceId, after(86_400)],
    );
    await database.admin.query(
      "update outrider.channels set enabled = false where workspace_id = $1 and channel_id = 'c'",
      [workspaceId],
    );
    const closed = ['credential_refused', null, why];
    expect(await channels(after(2))).toEqual({
      a: closed,
      b: closed,
      c: ['disabled', null, null],
      x: open,
    });
  });

  it('is what a delivery waits for, whenever it is due', async () => {
    const waits = { because: 'channel_credential_refused', at: null, reason: why };
    expect(await nextOf({}, after(2))).toEqual(waits);
    expect(await nextOf({ not_before: after(99) }, after(2))).toEqual(waits);
  });

  it('is not shown once the credential is open again', async () => {
    const request = { workspaceId, authRef: 'bot', operator: 'ann', reason: 'a new token' };
    await reopenCredential(database.service, request, after(60));
    expect(await groups(after(60))).toEqual([]);
    expect(await channels(after(60))).toMatchObject({ a: open });
  });

  it('names the credential also when it is no longer configured', async () => {
    await database.admin.query('delete from outrider.credential_bindings where workspace_id = $1', [
      workspaceId,
    ]);
    const [closed] = await groups(after(2));
    expect(closed?.reason).toMatch(/^credential bot was refused by Telegram: /);
  });

  it('says so although its platform asks it to wait as well', async () => {
    const held = await group.claim(start, 1);
    expect(held.map((each) => each.channel.channelId)).toEqual(['x']);
    await database.admin.query(
      `update outrider.platform_limits set cooldown_until = $2 where workspace_id = $1 and rate_group = 'shared'`,
      [workspaceId, after(3600)],
    );
    expect(await groups(after(2))).toMatchObject([
      { state: 'credential_refused', until: null, reason: why },
    ]);
  });
});

describe('a delivery that is made to wait', () => {
  it('says for how long it has been', async () => {
    const [held] = await group.claim(start, 1);
    await group.fail([held], after(1), { code: 'unreachable' });
    const shown = await showDelivery(
      database.service,
      workspaceId,
      known(held).deliveryId,
      after(2),
    );
    expect(shown.delivery).toMatchObject({ attempt: 1, attempt_limit: 6, waited_ms: 30_000 });
  });
});
