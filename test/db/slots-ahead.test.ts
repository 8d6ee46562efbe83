import { beforeEach, describe, expect, it } from 'vitest';
import { applyWorkspace } from '../../src/db/apply.ts';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
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
import { nextSlots, type PacedTable, slotsGiven } from '../support/queue/slots.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function claim(now = start, limit = 100): Promise<number> {
  const request = { workspaceId, runId: 'run', limit };
  return (await claimDeliveries(database.service, request, now)).length;
}

/** A channel with a backlog. */
async function add(channelId: string, backlog: number, columns = {}): Promise<void> {
  await addChannel(database.admin, workspaceId, channelId, columns);
  await addBacklog(database.admin, workspaceId, [channelId], backlog);
}

async function addGroup(columns: { rate: number | null; next?: string }): Promise<void> {
  const { rate, next = null } = columns;
  await setGroup(database.admin, workspaceId, { rate_rps: rate, next_allowed_at: next });
}

const slotsOf = (channelId: string) => slotsGiven(database.admin, workspaceId, channelId);
const nextOf = (table: PacedTable) => nextSlots(database.admin, workspaceId, table);

describe('an album', () => {
  async function addAlbums(channelId: string, number: number, weight: number): Promise<void> {
    await addBacklog(database.admin, workspaceId, [channelId], number, weight);
  }

  it('takes as many slots of its channel as it counts as messages, and goes out at the second', async () => {
    await add('a', 1, { rate_rps: 1 });
    await addAlbums('a', 1, 4);
    await addBacklog(database.admin, workspaceId, ['a'], 1);
    await claim();
    expect(await slotsOf('a')).toEqual([0, 2, 5]);
    expect(await nextOf('channel_pace')).toEqual([6]);
  });

  it('goes out at once where there is quiet enough before it', async () => {
    await add('a', 0, { rate_rps: 1, next_allowed_at: after(-1) });
    await addAlbums('a', 2, 4);
    await claim();
    expect(await slotsOf('a')).toEqual([0, 4]);
    expect(await nextOf('channel_pace')).toEqual([7]);
  });

  it('takes as many slots of its group, from the time when it goes out', async () => {
    await addGroup({ rate: 1 });
    await add('a', 0);
    await addAlbums('a', 1, 4);
    await add('b', 2);
    await claim();
    expect([await slotsOf('a'), await slotsOf('b')]).toEqual([[0], [4, 5]]);
    expect(await nextOf('platform_limits')).toEqual([6]);
  });
});

describe('the part of a post that is tried next', () => {
  it('is what a delivery counts as: a text, and then the album behind it', async () => {
    await addChannel(database.admin, workspaceId, 'a', { rate_rps: 1 });
    const parts = [
      { kind: 'text' },
      { kind: 'media', media: [0, 1, 2], weight: 3 },
      { kind: 'media', media: [3] },
    ];
    await addDelivery(database.admin, workspaceId, 'a', { render_meta: JSON.stringify({ parts }) });
    for (const [done, next] of [
      [1, 1],
      [2, 32],
      [3, 61],
    ] as const) {
      const now = after((done - 1) * 30);
      const request = { workspaceId, runId: 'run', limit: 1 };
      const [held] = await claimDeliveries(database.service, request, now);
      if (held === undefined) throw new Error('nothing was claimed');
      expect(await nextOf('channel_pace')).toEqual([next]);
      const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' } as const;
      const outcome = { ...held, ok: false, error, parts: partsUntil(done) } as const;
      await commitOutcomes(database.service, workspaceId, [outcome], now);
    }
  });

  function partsUntil(length: number) {
    return Array.from({ length }, (_, item) => ({ item, providerMessageId: `${item}` }));
  }
});

describe('a slot of a channel that lies ahead', () => {
  it('leaves its group free until then, for whatever comes later', async () => {
    await addGroup({ rate: 1 });
    await add('slow', 3, { rate_rps: 0.1 });
    expect(await claim()).toBe(1);
    await add('new', 2);
    expect(await claim(after(1))).toBe(1);
    expect(await slotsOf('new')).toEqual([1, 2]);
    expect(await slotsOf('slow')).toEqual([0, 10, 20]);
  });

  it('waits for a slot of its group when it has come up and the group is busy', async () => {
    await addGroup({ rate: 0.2 });
    await add('slow', 3, { rate_rps: 0.1 });
    await claim();
    await add('busy', 2);
    await claim(after(9));
    expect(await slotsOf('busy')).toEqual([9, 14]);
    expect(await claim(after(10))).toBe(0);
    expect(await slotsOf('slow')).toEqual([0, 19, 20]);
  });

  it('moves on when the one before it in its channel was held up by the group', async () => {
    await addGroup({ rate: 0.2 });
    await add('slow', 3, { rate_rps: 0.1 });
    await claim();
    await add('busy', 2);
    await claim(after(9));
    await claim(after(10));
    expect(await claim(after(20))).toBe(2);
    expect(await slotsOf('slow')).toEqual([0, 19, 29]);
  });
});

describe('slots that were given out ahead', () => {
  const apply = (document: object) =>
    applyWorkspace(
      database.admin,
      { document: { workspace: workspaceId, ...document }, prune: false, dryRun: false },
      after(1),
    );

  beforeEach(async () => {
    await addGroup({ rate: 0.001 });
    await add('a', 3, { rate_rps: 0.001 });
    await claim();
  });

  it('are taken back when the rates are raised, and new ones follow at the new pace', async () => {
    await apply({
      rate_groups: { telegram: { bot: { rate_rps: 10 } } },
      channels: { a: { rate_rps: 5 } },
    });
    await claim(after(2));
    expect(await slotsOf('a')).toEqual([0, 2, 2.2]);
  });

  it('are taken back when the channel goes to another group', async () => {
    await apply({
      rate_groups: { telegram: { other: { rate_rps: 10 } } },
      channels: { a: { rate_group: 'other', rate_rps: 5 } },
    });
    await claim(after(2));
    expect(await slotsOf('a')).toEqual([0, 2, 2.2]);
  });

  it('leave the channel’s own slot where it was when it is paused and resumed', async () => {
    await addChannel(database.admin, workspaceId, 'b', { rate_rps: 0.001, rate_group: 'free' });
    await setGroup(database.admin, workspaceId, { rate_group: 'free', rate_rps: null });
    await addBacklog(database.admin, workspaceId, ['b'], 3);
    await claim();
    for (const [n, until] of [after(10), after(30), after(50)].entries()) {
      await database.admin.query(
        'update outrider.channels set paused_until = $2 where workspace_id = $1',
        [workspaceId, until],
      );
      await claim(after(n * 20 + 1));
      await claim(after(n * 20 + 15));
    }
    expect((await slotsOf('b')).slice(0, 2)).toEqual([0, 1000]);
  });
});
