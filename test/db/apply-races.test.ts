import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { enqueueBatch } from '../../src/db/intake.ts';
import { apply, changeOf, fullDocument, told, valueOf } from '../support/database/configuration.ts';
import { addBacklog, after, start } from '../support/database/seed.ts';
import { begin } from '../support/database/sessions.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { useSessions } from '../support/fixtures/sessions.ts';

const database = await useDatabase();
const { admin, service } = database;
const sessions = useSessions();
let workspace: string;

beforeEach(async () => {
  workspace = database.newWorkspaceId();
  await apply(service, fullDocument(workspace));
});

const title = (text: string) => ({ workspace, channels: { news: { title: text } } });

describe('two applies at once', () => {
  it('of one workspace come one after the other', async () => {
    const first = await sessions.open(service);
    const second = await sessions.open(service);
    await apply(first.client, title('First'));
    const waiting = begin(apply(second.client, title('Second')));
    await second.waitsFor(first, waiting);
    await first.commit();
    expect(changeOf(await waiting, 'channel', 'news').fields).toEqual({
      title: { from: 'First', to: 'Second' },
    });
  });

  it('that both make the workspace make it once', async () => {
    const document = fullDocument('fresh');
    const first = await sessions.open(service);
    const second = await sessions.open(service);
    const changes = await apply(first.client, document);
    expect(told(changes)).toContain('+ workspace fresh');
    const waiting = begin(apply(second.client, document));
    await second.waitsFor(first, waiting);
    await first.commit();
    expect(told(await waiting)).toEqual([]);
  });

  it('of two workspaces do not wait for each other', async () => {
    await apply(service, fullDocument('neighbour'));
    const first = await sessions.open(service);
    const second = await sessions.open(service, { wait: false });
    await apply(first.client, title('First'));
    const changes = await apply(second.client, {
      workspace: 'neighbour',
      channels: { news: { title: 'Second' } },
    });
    expect(told(changes)).toContain('~ channel news');
  });

  it('leave what one of them took back as it was', async () => {
    const first = await sessions.open(service);
    const second = await sessions.open(service);
    await apply(first.client, title('First'));
    const waiting = begin(apply(second.client, title('News')));
    await second.waitsFor(first, waiting);
    await first.rollback();
    expect(changeOf(await waiting, 'channel', 'news').action).toBe('keep');
  });
});

describe('an apply', () => {
  it('waits for a claim of the same channels, and a claim for it', async () => {
    await addBacklog(admin, workspace, ['news', 'wall'], 3);
    const claimer = await sessions.open(service);
    const applier = await sessions.open(service);
    const claim = (limit: number) =>
      claimDeliveries(claimer.client, { workspaceId: workspace, runId: 'r', limit }, start);
    expect(await claim(1)).toHaveLength(1);
    const applying = begin(apply(applier.client, title('Other')));
    await applier.waitsFor(claimer, applying);
    await claimer.commit();
    await applying;
    await claimer.client.query('begin');
    const claiming = begin(claim(10));
    await claimer.waitsFor(applier, claiming);
    await applier.commit();
    expect(await claiming).not.toEqual([]);
  });

  it('sets the limit of a group that a claim is just making', async () => {
    await addBacklog(admin, workspace, ['night'], 1);
    const claimer = await sessions.open(service);
    const applier = await sessions.open(service);
    await admin.query(
      `update outrider.channels set window_mode = 'immediate' where workspace_id = $1`,
      [workspace],
    );
    const request = { workspaceId: workspace, runId: 'r', limit: 10 };
    expect(await claimDeliveries(claimer.client, request, start)).toHaveLength(1);
    const rate_groups = { telegram: { slow: { rate_rps: 0.1 } } };
    const applying = begin(apply(applier.client, { workspace, rate_groups }));
    await applier.waitsFor(claimer, applying);
    await claimer.commit();
    expect(changeOf(await applying, 'rate_group', 'telegram/slow')).toMatchObject({
      action: 'change',
      fields: { rate_rps: { from: 17.5, to: 0.1 } },
    });
  });

  it('disables a channel that it would prune while a post comes in for it', async () => {
    const intake = await sessions.open(service);
    const applier = await sessions.open(service);
    const items = [{ text: 'Lost: a ginger dog' }];
    await enqueueBatch(intake.client, { workspaceId: workspace, kind: 'push', items }, start);
    const pruned = { workspace, channels: {} };
    const applying = begin(apply(applier.client, pruned, { prune: true, now: after(1) }));
    await applier.waitsFor(intake, applying);
    await intake.commit();
    expect(told(await applying)).toContain('- channel news (disabled: it has deliveries)');
    await applier.commit();
    expect(await valueOf(admin, 'channels', workspace, 'news', 'enabled')).toBe(false);
  });

  it.each([
    ['night', 'news'],
    ['news', 'night'],
  ])('moves two channels while posts come in for %s and then for %s', async (first, second) => {
    const intake = await sessions.open(service);
    const applier = await sessions.open(service);
    const enqueue = (tag: string) =>
      enqueueBatch(
        intake.client,
        { workspaceId: workspace, kind: 'push', items: [{ text: `For ${tag}`, tags: [tag] }] },
        start,
      );
    const filters = { news: { route_filter: { include_any: ['news'] } } };
    await apply(service, { workspace, channels: filters });
    await enqueue(first);
    const channels = { news: { target_id: '-1002' }, night: { target_id: '-1001' } };
    const applying = begin(apply(applier.client, { workspace, channels }));
    await applier.waitsFor(intake, applying);
    await enqueue(second);
    await intake.commit();
    expect(changeOf(await applying, 'channel', 'night').action).toBe('change');
  });

  it('never meets claims, intake and other applies in a deadlock', async () => {
    const turns = Array.from({ length: 12 }, (_, turn) => turn);
    const channels = (turn: number) => ({
      news: { target_id: turn % 2 === 0 ? '-1001' : '-1002', rate_rps: turn + 1 },
      night: { target_id: turn % 2 === 0 ? '-1002' : '-1001', window_mode: 'immediate' },
    });
    const rateGroups = (turn: number) => ({
      telegram: { slow: { rate_rps: turn + 1 }, [`new-${turn}`]: { rate_rps: 1 } },
    });
    const appliers = [0, 1].map(async (offset) => {
      for (const turn of turns) {
        const rate_groups = rateGroups(turn + offset);
        await apply(service, { workspace, rate_groups, channels: channels(turn + offset) });
      }
    });
    const claimers = [0, 1].map(async () => {
      for (const turn of turns) {
        const request = { workspaceId: workspace, runId: 'r', limit: 3 };
        await claimDeliveries(service, request, after(turn * 10));
      }
    });
    const intakes = [0, 1].map(async (offset) => {
      for (const turn of turns) {
        const items = [{ text: `Lost ${offset} ${turn}`, tags: ['night'] }];
        await enqueueBatch(service, { workspaceId: workspace, kind: 'push', items }, start);
      }
    });
    await Promise.all([...appliers, ...claimers, ...intakes]);
    expect(told(await apply(service, { workspace, channels: channels(12) }))).not.toContain(
      '+ channel news',
    );
  });
});
