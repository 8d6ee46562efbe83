import { beforeEach, describe, expect, it } from 'vitest';
import type { GivenError } from '../../src/db/commit.ts';
import { after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { GroupOutage, ill, known } from '../support/queue/group-outage.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// When does a group rest? What it does then is in outage-probes.test.ts.

const database = await useDatabase();
let group: GroupOutage;

beforeEach(async () => {
  group = await open(['a', 'b', 'c', 'd']);
});

function open(channels: string[], settings: Record<string, unknown> = {}): Promise<GroupOutage> {
  return GroupOutage.open(database, database.newWorkspaceId(), channels, settings);
}

async function disable(channelId: string): Promise<void> {
  await database.admin.query(
    'update outrider.channels set enabled = false where workspace_id = $1 and channel_id = $2',
    [group.workspaceId, channelId],
  );
}

const resting = { channels: ['a', 'b', 'c'], since: '10:00:01', until: '10:00:31' };

describe('three channels in a row that find their platform ill', () => {
  it.each(['unreachable', 'outcome_unknown', 'timeout', '500', '503'])(
    'by %s make their group rest for as long as a first retry waits',
    async (code) => {
      const held = await group.hold(start);
      await group.fail(
        ['a', 'b', 'c'].map((each) => held.get(each)),
        after(1),
        { code },
      );
      expect(await group.streak()).toEqual(resting);
      expect(await group.events()).toEqual(['group_cooled_down']);
      expect(await group.given(after(30.999))).toEqual([]);
    },
  );

  it('make it rest for a moment first, however long a rate limit without a time holds it up', async () => {
    const settings = { backoff_base: '2 seconds', group_cooldown: '1 hour' };
    group = await open(['a', 'b', 'c'], settings);
    const held = await group.hold(start);
    await group.fail([...held.values()], after(1));
    expect(await group.streak()).toEqual({ ...resting, until: '10:00:03' });
    expect(await group.given(after(2.999))).toEqual([]);
    const [first] = await group.claim(after(3));
    await group.fail([first], after(5)); // as long as it is ill already, and the first rest
    expect(await group.streak()).toMatchObject({ since: '10:00:01', until: '10:00:11' });
  });

  it('do so within one commit, too', async () => {
    const held = await group.hold(start);
    const outcomes = ['a', 'b', 'c'].map((each) => failed(known(held.get(each)), ill));
    await group.commit(outcomes, after(1));
    expect(await group.streak()).toMatchObject({ since: '10:00:01', until: '10:00:31' });
  });

  it('leave every other group alone', async () => {
    await group.addChannel('x', { rate_group: 'own' });
    const held = await group.hold(start);
    await group.fail(
      ['a', 'b', 'c'].map((each) => held.get(each)),
      after(1),
    );
    expect(new Set(await group.given(after(2)))).toEqual(new Set(['x']));
  });

  it('use up two attempts, and what is under way in the group none', async () => {
    const held = await group.hold(start);
    const all = ['a', 'b', 'c', 'd'].map((each) => known(held.get(each)));
    await group.fail(all, after(1));
    const left = await Promise.all(all.map(async (each) => (await group.delivery(each)).left));
    expect(left).toEqual([4, 4, 5, 5]);
  });

  it('are on record with the channels and the error', async () => {
    const held = await group.hold(start);
    const error = { ...ill, message: 'the provider answered with status 502' };
    await group.fail(
      ['a', 'b', 'c'].map((each) => held.get(each)),
      after(1),
      error,
    );
    const { rows } = await database.admin.query(
      `select channel_id, delivery_id, error ->> 'message' as message, meta ->> 'rate_group' as rate_group,
         meta -> 'outage_channels' as channels
       from outrider.events where workspace_id = $1 and action = 'group_cooled_down'`,
      [group.workspaceId],
    );
    expect(rows).toEqual([
      {
        channel_id: 'c',
        delivery_id: null,
        message: error.message,
        rate_group: 'shared',
        channels: ['a', 'b', 'c'],
      },
    ]);
  });

  it('take as many as the workspace says', async () => {
    group = await open(['a', 'b', 'c', 'd'], { outage_after_channels: 4 });
    const held = await group.hold(start);
    await group.fail(
      ['a', 'b', 'c'].map((each) => held.get(each)),
      after(1),
    );
    expect(await group.streak()).toMatchObject({ since: null });
    await group.fail([held.get('d')], after(2));
    expect(await group.streak()).toMatchObject({ since: '10:00:02' });
  });

  it('are two in a group that has no more', async () => {
    await disable('c');
    await disable('d');
    const held = await group.hold(start);
    await group.fail([held.get('a'), held.get('b')], after(1));
    expect(await group.streak()).toMatchObject({ since: '10:00:01' });
  });
});

describe('a group goes on', () => {
  it('when one channel alone is broken, however often and even if it is the only one', async () => {
    group = await open(['a']);
    const held = await group.claim(start, 5);
    await group.fail(held, after(1));
    expect(await group.streak()).toEqual({ channels: ['a'], since: null, until: null });
    expect(await group.given(after(60))).toContain('a');
  });

  it('when one of them sends something in between', async () => {
    const held = await group.hold(start);
    await group.fail([held.get('a'), held.get('b')], after(1));
    await group.send(held.get('d'), after(2));
    expect(await group.streak()).toBeUndefined();
    await group.fail([held.get('c')], after(3));
    expect(await group.streak()).toEqual({ channels: ['c'], since: null, until: null });
    expect(await group.events()).toEqual([]);
  });

  it('when the same commit records that one of them has sent something', async () => {
    const held = await group.hold(start);
    const outcomes = ['a', 'b', 'c'].map((each) => failed(known(held.get(each)), ill));
    await group.commit([...outcomes, sent(known(held.get('d')))], after(1));
    expect(await group.streak()).toBeUndefined();
  });

  it.each<[string, Partial<GivenError>]>([
    ['refuse their posts', { category: 'PERMANENT', code: '400' }],
    ['have their own trouble', { scope: 'channel', code: '503' }],
    ['are not ready', { code: 'media_not_ready' }],
    ['cannot read their media', { code: 'media_unreadable' }],
  ])('when its channels only %s', async (_, error) => {
    const held = await group.hold(start);
    await group.fail([...held.values()], after(1), error);
    expect(await group.streak()).toBeUndefined();
  });
});

describe('a streak is ended', () => {
  it('neither by a success in another group', async () => {
    await group.addChannel('x', { rate_group: 'own' });
    const held = await group.hold(start);
    await group.fail([held.get('a'), held.get('b')], after(1));
    await group.send(held.get('x'), after(1));
    await group.fail([held.get('c')], after(1));
    expect(await group.streak()).toEqual(resting);
  });

  it('nor by a refusal', async () => {
    const held = await group.hold(start);
    await group.fail([held.get('a'), held.get('b')], after(1));
    await group.fail([held.get('d')], after(1), { category: 'PERMANENT', code: '400' });
    await group.fail([held.get('c')], after(1));
    expect(await group.streak()).toEqual(resting);
  });

  it('nor by a success that is stale', async () => {
    const held = await group.hold(start);
    await group.fail([held.get('a'), held.get('b')], after(1));
    const stale = { ...known(held.get('d')), claimToken: known(held.get('a')).deliveryId };
    await group.send(stale, after(2));
    await group.fail([held.get('c')], after(3));
    expect(await group.streak()).toMatchObject({ since: '10:00:03' });
  });
});
