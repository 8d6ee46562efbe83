import { randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { takeGroupSlot } from '../../src/db/claim.ts';
import { beat, endBeat, endRun, takeRun } from '../../src/db/monitor.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { addChannel, addWorkspace, after, setGroup, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

describe('a run that one process does at a time', () => {
  const [one, other] = [randomUUID(), randomUUID()];
  const take = (runId: string, seconds: number): Promise<boolean> =>
    takeRun(database.service, { name: 'watch', runId, lease: '20 seconds' }, after(seconds));

  it('belongs to whoever keeps coming back, and to another when it dies', async () => {
    expect(await take(one, 0)).toBe(true);
    expect(await take(other, 5)).toBe(false);
    expect(await take(one, 10)).toBe(true);
    expect(await take(other, 29)).toBe(false);
    expect(await take(other, 30)).toBe(true);
    expect(await take(one, 31)).toBe(false);
  });

  it('can be given back at once, by nobody but its holder', async () => {
    expect(await endRun(database.service, { name: 'watch', runId: one })).toBe(false);
    expect(await endRun(database.service, { name: 'watch', runId: other })).toBe(true);
    expect(await take(one, 32)).toBe(true);
  });

  it('is free when its lease was taken by a clock that was a year ahead', async () => {
    const year = 31_536_000;
    const name = 'ahead';
    const ahead = { name, runId: one, lease: '20 seconds' };
    expect(await takeRun(database.service, ahead, after(year))).toBe(true);
    expect(await takeRun(database.service, { ...ahead, runId: other }, after(0))).toBe(true);
  });

  it('goes to one of many that ask at once', async () => {
    const asked = Array.from({ length: 8 }, () => randomUUID());
    const taken = await Promise.all(
      asked.map((runId) =>
        takeRun(database.service, { name: 'crowd', runId, lease: '20 seconds' }, start),
      ),
    );
    expect(taken.filter(Boolean)).toHaveLength(1);
  });
});

describe('a sign of life', () => {
  const service = {
    serviceId: randomUUID(),
    host: 'one',
    pid: 7,
    version: '0.1.0',
    roles: ['dispatch'],
    ready: true,
    facts: {},
  };
  const Row = z.object({ ready: z.boolean(), seen: z.string(), started: z.string() });
  const shown = (): Promise<z.output<typeof Row>[]> =>
    queryRows(
      database.admin,
      Row,
      `select ready, extract(epoch from seen_at - $1)::text as seen, extract(epoch from started_at - $1)::text as started
       from outrider.service_heartbeats`,
      [start],
    );

  it('is kept up to date, and goes when the process stops in order', async () => {
    await beat(database.service, service, after(0));
    await beat(database.service, { ...service, ready: false }, after(10));
    expect(await shown()).toEqual([{ ready: false, seen: '10.000000', started: '0.000000' }]);
    expect(await endBeat(database.service, service.serviceId)).toBe(true);
    expect(await shown()).toEqual([]);
  });

  it('follows a clock that is set back, so that a later silence is noticed', async () => {
    await beat(database.service, service, after(3600));
    await beat(database.service, service, after(10));
    expect(await shown()).toEqual([{ ready: true, seen: '10.000000', started: '10.000000' }]);
    await endBeat(database.service, service.serviceId);
  });

  it('that is a day old is purged, and no younger one', async () => {
    await beat(database.service, service, after(0));
    await beat(database.service, { ...service, serviceId: randomUUID() }, after(100));
    const Purged = z.object({ removed: z.string() });
    const purge = (dryRun: boolean): Promise<z.output<typeof Purged>[]> =>
      queryRows(
        database.admin,
        Purged,
        'select p.removed from outrider.purge_heartbeats(10, $1, $2) p',
        [dryRun, after(86_401)],
      );
    expect(await purge(true)).toEqual([{ removed: '1' }]);
    expect(await purge(false)).toEqual([{ removed: '1' }]);
    expect(await purge(false)).toEqual([]);
    expect(await shown()).toHaveLength(1);
  });
});

describe('a slot of a rate group', () => {
  const group = { workspaceId: 'slots', platform: 'telegram', rateGroup: 'bot' };
  const take = (seconds: number) => takeGroupSlot(database.service, group, after(seconds));

  it('comes at the pace of the group, which deliveries share', async () => {
    await addWorkspace(database.admin, 'slots');
    await addChannel(database.admin, 'slots', 'news');
    await setGroup(database.admin, 'slots', { rate_rps: 2 });
    expect(await take(0)).toMatchObject({ waitMs: 0, shutUntil: null });
    expect(await take(0)).toMatchObject({ waitMs: 500, shutUntil: null });
    expect(await take(0.25)).toMatchObject({ waitMs: 750, shutUntil: null });
    expect(await take(10)).toMatchObject({ waitMs: 0, shutUntil: null });
  });

  it('is not given while the group is shut', async () => {
    await setGroup(database.admin, 'slots', { cooldown_until: after(100) });
    expect((await take(99)).waitMs).toBeNull();
    expect((await take(100)).waitMs).toBe(0);
    await setGroup(database.admin, 'slots', { closed_at: start, closed_auth_ref: 'bot' });
    expect(await take(200)).toMatchObject({ waitMs: null, shutUntil: 'infinity' });
  });

  it('is given for a group that nobody has used yet, at the pace of its platform', async () => {
    const fresh = { ...group, rateGroup: 'fresh' };
    expect(await takeGroupSlot(database.service, fresh, after(0))).toMatchObject({ waitMs: 0 });
    const second = await takeGroupSlot(database.service, fresh, after(0));
    expect(second.waitMs).toBe(58);
  });
});
