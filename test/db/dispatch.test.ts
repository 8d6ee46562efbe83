import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { nextDueAt, nextDueIn, nextWorkspaces } from '../../src/db/dispatch.ts';
import { openClient } from '../../src/db/pool.ts';
import { removeAllWorkspaces } from '../support/database/all-gone.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addWorkspace,
  after,
  setGroup,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

// These functions look at all workspaces: each test begins with none.
beforeEach(async () => {
  await removeAllWorkspaces(database.admin, 'dispatcher_state');
});

/** A workspace with one channel and a backlog. */
async function addBusy(workspaceId: string, columns: Record<string, unknown> = {}): Promise<void> {
  await addWorkspace(database.admin, workspaceId);
  await addChannel(database.admin, workspaceId, 'news', columns);
  await addBacklog(database.admin, workspaceId, ['news'], 2);
}

async function next(limit: number, now = start): Promise<string[]> {
  return nextWorkspaces(database.service, 'main', limit, now);
}

async function claim(workspaceId: string, now: string, limit = 100): Promise<ClaimedDelivery[]> {
  return claimDeliveries(database.service, { workspaceId, runId: 'run', limit }, now);
}

/** In seconds after the start; null when nothing waits for a time. */
async function due(now = start): Promise<number | null> {
  const at = await nextDueAt(database.service, now);
  return at === null ? null : (at.getTime() - Date.parse(start)) / 1000;
}

describe('the round over workspaces', () => {
  it('meets every workspace that has something due, and no other', async () => {
    await addWorkspace(database.admin, 'empty');
    await addBusy('a');
    await addBusy('b');
    await addWorkspace(database.admin, 'later');
    await addChannel(database.admin, 'later', 'news');
    await addDelivery(database.admin, 'later', 'news', { not_before: after(60) });
    expect(await next(10)).toEqual(['a', 'b']);
    expect((await next(10, after(60))).toSorted()).toEqual(['a', 'b', 'later']);
  });

  it('goes on after the last one and begins anew at the end', async () => {
    for (const workspaceId of ['a', 'b', 'c', 'd', 'e']) await addBusy(workspaceId);
    expect(await next(2)).toEqual(['a', 'b']);
    expect(await next(2)).toEqual(['c', 'd']);
    expect(await next(2)).toEqual(['e', 'a']);
    expect(await next(2)).toEqual(['b', 'c']);
  });

  it('names each workspace once, however many are asked for', async () => {
    for (const workspaceId of ['a', 'b', 'c']) await addBusy(workspaceId);
    expect(await next(2)).toEqual(['a', 'b']);
    expect(await next(100)).toEqual(['c', 'a', 'b']);
  });

  it('goes on where it stood after a restart', async () => {
    for (const workspaceId of ['a', 'b', 'c']) await addBusy(workspaceId);
    await next(1);
    const restarted = await openClient({ url: database.url, applicationName: 'outrider test' });
    try {
      expect(await nextWorkspaces(restarted, 'main', 1, start)).toEqual(['b']);
    } finally {
      await restarted.end();
    }
    expect(await next(1)).toEqual(['c']);
  });

  it('is kept apart for dispatchers of different names', async () => {
    for (const workspaceId of ['a', 'b']) await addBusy(workspaceId);
    expect(await next(1)).toEqual(['a']);
    expect(await nextWorkspaces(database.service, 'other', 1, start)).toEqual(['a']);
    expect(await next(1)).toEqual(['b']);
  });

  it('stays where it stood when nothing is due', async () => {
    for (const workspaceId of ['a', 'b', 'c']) await addBusy(workspaceId);
    await next(1);
    await database.admin.query("update outrider.workspaces set status = 'paused'");
    expect(await next(10)).toEqual([]);
    await database.admin.query("update outrider.workspaces set status = 'active'");
    expect(await next(1)).toEqual(['b']);
  });
});

describe('the round leaves out a workspace', () => {
  beforeEach(async () => {
    await addBusy('z');
  });

  it.each(['paused', 'disabled'])('that is %s', async (status) => {
    await addBusy('a');
    await database.admin.query(
      "update outrider.workspaces set status = $1 where workspace_id = 'a'",
      [status],
    );
    expect(await next(10)).toEqual(['z']);
  });

  it('whose channels are disabled, paused or cooling down', async () => {
    await addBusy('a', { enabled: false });
    await addBusy('b', { paused_until: after(60) });
    await addBusy('c', { cooldown_until: after(60) });
    await addBusy('d');
    await setGroup(database.admin, 'd', { cooldown_until: after(60) });
    expect(await next(10)).toEqual(['z']);
    expect((await next(10, after(60))).toSorted()).toEqual(['b', 'c', 'd', 'z']);
  });

  it('whose posting windows a claim has found closed', async () => {
    await addBusy('a', {
      window_mode: 'windowed',
      posting_window: JSON.stringify({ mon: [['12:00', '13:00']] }),
      timezone: 'UTC',
    });
    await claim('a', start);
    expect(await next(10)).toEqual(['z']);
    expect((await next(10, '2026-03-02T12:00:00Z')).toSorted()).toEqual(['a', 'z']);
  });

  it('whose max_parallel is used up, until a send ends', async () => {
    await addBusy('a', { max_parallel: 1 });
    const [held] = await claim('a', start);
    if (held === undefined) throw new Error('nothing was claimed');
    expect(await next(10)).toEqual(['z']);
    const sent = { ...held, ok: true, providerMessageId: '1' } as const;
    await commitOutcomes(database.service, 'a', [sent], start);
    expect((await next(10)).toSorted()).toEqual(['a', 'z']);
  });

  it('whose max_parallel was lowered to what is being sent, although slots have come up', async () => {
    await addBusy('a', { rate_rps: 0.1, max_parallel: 2 });
    await claim('a', start);
    await database.admin.query(
      "update outrider.channels set max_parallel = 1 where workspace_id = 'a'",
    );
    expect(await claim('a', after(10))).toEqual([]);
    expect(await next(10, after(10))).toEqual(['z']);
  });

  it('whose next slots lie ahead', async () => {
    await addBusy('a', { rate_rps: 0.1 });
    await claim('a', start);
    expect(await next(10, after(9))).toEqual(['z']);
    expect((await next(10, after(10))).toSorted()).toEqual(['a', 'z']);
  });
});

describe('the next due time is', () => {
  it('null when nothing waits', async () => {
    await addWorkspace(database.admin, 'a');
    expect(await due()).toBeNull();
  });

  it('now when something is due', async () => {
    await addBusy('a');
    expect(await due(after(5))).toBe(5);
  });

  it('the earliest over all workspaces', async () => {
    for (const [workspaceId, seconds] of [
      ['a', 90],
      ['b', 30],
      ['c', 60],
    ] as const) {
      await addWorkspace(database.admin, workspaceId);
      await addChannel(database.admin, workspaceId, 'news');
      await addDelivery(database.admin, workspaceId, 'news', { not_before: after(seconds) });
    }
    expect(await due()).toBe(30);
  });

  it('that of one workspace, when only one is asked for', async () => {
    await addBusy('a');
    await addWorkspace(database.admin, 'later');
    await addChannel(database.admin, 'later', 'news');
    await addDelivery(database.admin, 'later', 'news', { not_before: after(60) });
    await addWorkspace(database.admin, 'empty');
    const dueIn = async (workspaceId: string, now: string) =>
      (await nextDueIn(database.service, workspaceId, now))?.toISOString();
    expect(await dueIn('a', after(1))).toBe(new Date(after(1)).toISOString());
    expect(await dueIn('later', after(1))).toBe(new Date(after(60)).toISOString());
    expect(await dueIn('empty', after(1))).toBeUndefined();
  });

  it('the time of the next retry', async () => {
    await addWorkspace(database.admin, 'a', { backoff_jitter: 0 });
    await addChannel(database.admin, 'a', 'news');
    await addDelivery(database.admin, 'a', 'news');
    const [held] = await claim('a', start);
    if (held === undefined) throw new Error('nothing was claimed');
    const error = { category: 'TRANSIENT', scope: 'delivery', code: '500' } as const;
    await commitOutcomes(database.service, 'a', [{ ...held, ok: false, error }], start);
    expect(await due()).toBe(2);
  });

  it('the next slot', async () => {
    await addBusy('a', { rate_rps: 0.1 });
    await claim('a', start);
    expect(await due()).toBe(10);
  });

  it('the end of a pause', async () => {
    await addBusy('a', { paused_until: after(120) });
    expect(await due()).toBe(120);
  });

  it('the end of a cooldown of the channel or of its group, whichever is later', async () => {
    await addBusy('a', { cooldown_until: after(45) });
    expect(await due()).toBe(45);
    await setGroup(database.admin, 'a', { cooldown_until: after(70) });
    expect(await due()).toBe(70);
  });

  it('the opening of a posting window that a claim has found closed', async () => {
    await addBusy('a', {
      window_mode: 'windowed',
      posting_window: JSON.stringify({ mon: [['12:00', '13:00']] }),
      timezone: 'UTC',
    });
    await claim('a', start);
    expect(await due()).toBe(7200);
  });

  it('null when everything waits for a commit, an operator or a window that never opens', async () => {
    await addBusy('full', { max_parallel: 1 });
    await claim('full', start);
    await addBusy('disabled', { enabled: false });
    await addBusy('never', {
      window_mode: 'windowed',
      posting_window: '{}',
      timezone: 'UTC',
    });
    await claim('never', start);
    await addBusy('paused');
    await database.admin.query(
      "update outrider.workspaces set status = 'paused' where workspace_id = 'paused'",
    );
    expect(await due()).toBeNull();
  });

  it('no earlier for a closed channel with slots given out ahead', async () => {
    await addBusy('a', { rate_rps: 0.1 });
    await claim('a', start);
    await database.admin.query('update outrider.channels set paused_until = $1', [after(300)]);
    expect(await due()).toBe(300);
  });
});
