import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, commitSent } from '../../src/db/commit.ts';
import { channelHistory, queueHistory, takeSamples } from '../../src/db/status.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { allSent, failed, sent } from '../support/queue/outcomes.ts';
import { purgeAll } from '../support/queue/purging.ts';

const database = await useDatabase();
const { admin, service } = database;
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  await addChannel(admin, workspaceId, 'news');
});

/** Samples this workspace, as of so many seconds after the start. */
async function sample(seconds: number): Promise<void> {
  await admin.query(
    `update outrider.sample_rounds set sampled_at = '-infinity' where workspace_id = $1`,
    [workspaceId],
  );
  expect(await takeSamples(service, 100, after(seconds))).toContain(workspaceId);
}

const past = (span = '3 hours') => ({ workspaceId, span });
const claim = (limit: number, seconds: number) =>
  claimDeliveries(service, { workspaceId, runId: 'run', limit }, after(seconds));

describe('take_samples', () => {
  it('notes what waits for what, and what is being sent', async () => {
    await addBacklog(admin, workspaceId, ['news'], 3);
    await addDelivery(admin, workspaceId, 'news', { not_before: after(3600) });
    await claim(1, 0);
    const [held] = await claim(1, 0);
    if (held === undefined) throw new Error('nothing was claimed');
    await commitOutcomes(service, workspaceId, [failed(held)], after(1));
    await sample(2);
    expect(await queueHistory(service, past(), after(2))).toEqual([
      { at: new Date(start), due: 1, scheduled: 1, retrying: 1, claimed: 0, sending: 1 },
    ]);
  });

  it('keeps the fullest moment of five minutes', async () => {
    await addBacklog(admin, workspaceId, ['news'], 2);
    await sample(0);
    const held = await claim(2, 60);
    await commitSent(service, workspaceId, allSent(held), after(61));
    await sample(62);
    await sample(300);
    const rows = await queueHistory(service, past(), after(301));
    expect(rows.map(({ at, due }) => [at.toISOString(), due])).toEqual([
      [start, 2],
      [after(300), 0],
    ]);
  });

  it('counts what became of deliveries once, whether their events are packed or not', async () => {
    await addBacklog(admin, workspaceId, ['news'], 6);
    const [one, two, three, four, five, six] = await claim(6, 0);
    if (!one || !two || !three || !four || !five || !six) throw new Error('not all were claimed');
    await commitSent(service, workspaceId, allSent([one, two]), after(1));
    const own = { ...sent(three), meta: { ok: true } };
    const refused = failed(four, { category: 'PERMANENT' });
    await commitOutcomes(service, workspaceId, [own, refused, failed(five)], after(2));
    await sample(30);
    await commitSent(service, workspaceId, allSent([six]), after(40));
    await sample(90);
    await sample(150);
    expect(await channelHistory(service, { ...past('10 minutes'), bars: 2 }, after(150))).toEqual([
      { channelId: 'news', sent: [0, 4], retried: [0, 1], failed: [0, 1] },
    ]);
  });

  it('leaves what is newer than five seconds for the next time, so that no late commit is missed', async () => {
    await addBacklog(admin, workspaceId, ['news'], 1);
    await commitSent(service, workspaceId, allSent(await claim(1, 0)), after(8));
    await sample(10);
    expect(await channelHistory(service, { ...past(), bars: 36 }, after(10))).toEqual([]);
    await sample(60);
    const [news] = await channelHistory(service, { ...past(), bars: 36 }, after(60));
    expect(news?.sent.at(-1)).toBe(1);
  });

  it('samples a workspace again only after 40 seconds, whoever asks', async () => {
    await sample(0);
    expect(await takeSamples(service, 100, after(39))).not.toContain(workspaceId);
    const both = await Promise.all([
      takeSamples(service, 100, after(41)),
      takeSamples(service, 100, after(41)),
    ]);
    expect(both.flat().filter((each) => each === workspaceId)).toHaveLength(1);
  });

  it('looks back an hour at most', async () => {
    await addBacklog(admin, workspaceId, ['news'], 2);
    const [early, late] = await claim(2, 0);
    if (!early || !late) throw new Error('not all were claimed');
    await sample(0);
    await commitSent(service, workspaceId, allSent([early]), after(10));
    await commitSent(service, workspaceId, allSent([late]), after(7200));
    await sample(7260);
    const [news] = await channelHistory(service, { ...past(), bars: 36 }, after(7260));
    expect(news?.sent.reduce((all, each) => all + each, 0)).toBe(1);
  });
});

describe('the history', () => {
  it('has 96 moments at most, each the fullest of its step, and none where nothing was sampled', async () => {
    await admin.query(
      `insert into outrider.queue_samples
       select $1, timestamptz '${start}' + n * interval '5 minutes', n % 7, 0, 0, 0, 0
       from generate_series(0, 2015) n where n not between 1000 and 1200`,
      [workspaceId],
    );
    const rows = await queueHistory(service, past('7 days'), after(7 * 86_400));
    expect(rows.length).toBeGreaterThan(75);
    expect(rows.length).toBeLessThanOrEqual(96);
    // The first and the last step, and those beside the gap, have few samples.
    expect(rows.filter(({ due }) => due !== 6).length).toBeLessThanOrEqual(4);
    const gaps = rows.map(({ at }, n) => at.getTime() - (rows[n - 1]?.at ?? at).getTime());
    expect(Math.max(...gaps)).toBeGreaterThan(14 * 3_600_000);
  });

  it('puts every count into one bar, the oldest first', async () => {
    await admin.query(
      `insert into outrider.channel_samples
       select $1, timestamptz '${start}' + n * interval '5 minutes', 'news', 1, 0, 0 from generate_series(0, 11) n`,
      [workspaceId],
    );
    const asked = { ...past('1 hour'), bars: 4 };
    const [news] = await channelHistory(service, asked, after(59 * 60));
    expect(news?.sent).toEqual([3, 3, 3, 3]);
    const [later] = await channelHistory(service, asked, after(89 * 60));
    expect(later?.sent).toEqual([3, 3, 0, 0]);
  });

  it('is deleted after eight days', async () => {
    await addBacklog(admin, workspaceId, ['news'], 1);
    await commitSent(service, workspaceId, allSent(await claim(1, 0)), after(1));
    await sample(20);
    await purgeAll(service, after(7 * 86_400));
    expect(await queueHistory(service, past('8 days'), after(7 * 86_400))).toHaveLength(1);
    await purgeAll(service, after(8 * 86_400 + 600));
    const { rows } = await admin.query(
      `select from outrider.queue_samples where workspace_id = $1
       union all select from outrider.channel_samples where workspace_id = $1`,
      [workspaceId],
    );
    expect(rows).toHaveLength(0);
  });
});
