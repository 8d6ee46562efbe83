import type pg from 'pg';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome, type Verdict } from '../../src/db/commit.ts';
import { type OpenedGroup, reopenCredential } from '../../src/db/operate.ts';
import { after, start } from '../support/database/seed.ts';
import { begin, type Session } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';
import { GroupOutage, ill, known } from '../support/queue/group-outage.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// Who waits for whom when a group begins to rest, is probed, is closed, and opens.

const database = await useDatabase();
let group: GroupOutage;
let held: Map<string, ClaimedDelivery>;
const sessions = useSessions();

beforeEach(async () => {
  const workspaceId = database.newWorkspaceId();
  group = await GroupOutage.open(database, workspaceId, ['a', 'b', 'c', 'd', 'e']);
  held = await group.hold(start);
});

function worker(options?: { wait: boolean }): Promise<Session> {
  return sessions.open(database.service, options);
}

function commit(client: pg.PoolClient, outcomes: Outcome[], now: string): Promise<Verdict[]> {
  return commitOutcomes(client, group.workspaceId, outcomes, now);
}

function claim(client: pg.PoolClient, now: string): Promise<ClaimedDelivery[]> {
  return claimDeliveries(client, { workspaceId: group.workspaceId, runId: 'run', limit: 10 }, now);
}

const illOf = (channelId: string): Outcome => failed(known(held.get(channelId)), ill);
const sentOf = (channelId: string): Outcome => sent(known(held.get(channelId)));

/** Two channels have found the platform ill: the third decides. */
async function twoAreIll(): Promise<void> {
  await group.fail([held.get('a'), held.get('b')], after(1));
}

/** Rests until 10:00:31; nothing is under way. */
async function rest(): Promise<void> {
  await twoAreIll();
  await group.commit([illOf('c'), illOf('d'), illOf('e')], after(1));
}

describe('two failures at once that each complete the streak', () => {
  it('begin one rest, on record once, and neither uses up an attempt', async () => {
    await twoAreIll();
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [illOf('c')], after(2));
    const second = begin(commit(b.client, [illOf('d')], after(3)));
    await b.waitsFor(a);
    await a.commit();
    await second;
    await b.commit();
    expect(await group.streak()).toEqual({
      channels: ['a', 'b', 'c', 'd'],
      since: '10:00:02',
      until: '10:00:32',
    });
    expect(await group.events()).toEqual(['group_cooled_down']);
    for (const channelId of ['c', 'd']) {
      expect(await group.delivery(known(held.get(channelId)))).toMatchObject({ left: 5 });
    }
  });

  it('leave the decision to the second when the first is undone', async () => {
    await twoAreIll();
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [illOf('c')], after(2));
    const second = begin(commit(b.client, [illOf('d')], after(3)));
    await b.waitsFor(a);
    await a.rollback();
    await second;
    await b.commit();
    expect(await group.streak()).toMatchObject({ channels: ['a', 'b', 'd'], since: '10:00:03' });
  });
});

describe('a success and the failure that completes the streak', () => {
  it('leave the group open when the failure is first', async () => {
    await twoAreIll();
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [illOf('c')], after(2));
    const success = begin(commit(b.client, [sentOf('d')], after(3)));
    await b.waitsFor(a);
    await a.commit();
    await success;
    await b.commit();
    expect(await group.streak()).toBeUndefined();
    expect(await group.events()).toEqual(['group_cooled_down', 'group_opened']);
  });

  it('leave the group open with a streak of one when the success is first', async () => {
    await twoAreIll();
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [sentOf('d')], after(2));
    const failure = begin(commit(b.client, [illOf('c')], after(3)));
    await b.waitsFor(a);
    await a.commit();
    await failure;
    await b.commit();
    expect(await group.streak()).toEqual({ channels: ['c'], since: null, until: null });
    expect(await group.events()).toEqual([]);
  });

  it('do not wait for each other before there is a streak', async () => {
    const [a, b] = [await worker(), await worker({ wait: false })];
    await commit(a.client, [illOf('a')], after(1));
    expect(await commit(b.client, [sentOf('d')], after(1))).toMatchObject([{ became: 'sent' }]);
    await Promise.all([a.commit(), b.commit()]);
    expect(await group.streak()).toMatchObject({ channels: ['a'] });
  });
});

describe('two claims at once of a group that is to be probed', () => {
  it('give out one probe', async () => {
    await rest();
    const [a, b] = [await worker(), await worker()];
    expect(await claim(a.client, after(31))).toHaveLength(1);
    const second = begin(claim(b.client, after(31)));
    await b.waitsFor(a);
    await a.commit();
    expect(await second).toEqual([]);
  });

  it('leave the probe to the second when the first is undone', async () => {
    await rest();
    const [a, b] = [await worker(), await worker()];
    await claim(a.client, after(31));
    const second = begin(claim(b.client, after(31)));
    await b.waitsFor(a);
    await a.rollback();
    expect(await second).toHaveLength(1);
  });
});

describe('a claim and the end of a probe', () => {
  it('that succeeds: the claim takes from all when it is second', async () => {
    await rest();
    const [probe] = await group.claim(after(31));
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [sent(known(probe))], after(32));
    const claimed = begin(claim(b.client, after(32)));
    await b.waitsFor(a, claimed);
    await a.commit();
    await claimed;
    await b.commit();
    expect((await group.claim(after(32))).length + (await claimed).length).toBeGreaterThan(4);
  });

  it('that fails: the claim finds the group at rest when it is second', async () => {
    await rest();
    const [probe] = await group.claim(after(31));
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [failed(known(probe), ill)], after(32));
    const claimed = begin(claim(b.client, after(32)));
    await b.waitsFor(a, claimed);
    await a.commit();
    expect(await claimed).toEqual([]);
  });
});

describe('a refused credential and the operator who opens it', () => {
  const refused = { scope: 'platform', code: 'credential_refused' } as const;
  const refusedOf = (channelId: string): Outcome => failed(known(held.get(channelId)), refused);

  function reopen(client: pg.PoolClient): Promise<OpenedGroup[]> {
    const { workspaceId } = group;
    const request = { workspaceId, authRef: 'bot', operator: 'ann', reason: 'a new token' };
    return reopenCredential(client, request, after(60));
  }

  it('two refusals at once close the group once', async () => {
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [refusedOf('a')], after(1));
    const second = begin(commit(b.client, [refusedOf('b')], after(1)));
    await b.waitsFor(a);
    await a.commit();
    expect(await second).toMatchObject([{ became: 'retry' }]);
    await b.commit();
    expect(await group.events()).toEqual(['group_closed']);
  });

  it('leave the group open when the opening is first: the refusal is of the old token', async () => {
    await group.commit([refusedOf('a')], after(1));
    const [a, b] = [await worker(), await worker()];
    expect(await reopen(a.client)).toHaveLength(1);
    const refusal = begin(commit(b.client, [refusedOf('b')], after(61)));
    await b.waitsFor(a);
    await a.commit();
    await refusal;
    await b.commit();
    expect(await group.given(after(62))).toContain('a');
  });

  it('leave the group open when the refusal is first, too', async () => {
    await group.commit([refusedOf('a')], after(1));
    const [a, b] = [await worker(), await worker()];
    await commit(a.client, [refusedOf('b')], after(59));
    const opening = begin(reopen(b.client));
    await b.waitsFor(a);
    await a.commit();
    expect(await opening).toHaveLength(1);
    await b.commit();
    expect(await group.given(after(62))).toContain('a');
  });
});

describe('two commits with failures of two groups in opposite orders', () => {
  it('take the groups in one order', async () => {
    await group.addChannel('x', { rate_group: 'another' });
    await group.addChannel('y', { rate_group: 'another' });
    const more = await group.claim(start, 20);
    const of = (channelId: string): Outcome =>
      failed(known(more.find((each) => each.channel.channelId === channelId)), ill);
    const [a, b, holder] = [await worker(), await worker(), await sessions.open(database.admin)];
    const lock = `select from outrider.platform_limits
      where workspace_id = $1 and rate_group = 'shared' for no key update`;
    await holder.client.query(lock, [group.workspaceId]);
    const first = begin(commit(a.client, [illOf('a'), of('x')], after(1)));
    await a.waitsFor(holder);
    const second = begin(commit(b.client, [of('y'), illOf('b')], after(1)));
    await b.waitsFor(a, second);
    await holder.commit();
    expect((await first).map((each) => each.became)).toEqual(['retry', 'retry']);
    await a.commit();
    expect((await second).map((each) => each.became)).toEqual(['retry', 'retry']);
    await b.commit();
    expect(await group.streak('another')).toMatchObject({ since: '10:00:01' });
    expect(await group.streak()).toMatchObject({ channels: ['a', 'b'], since: null });
  });
});
