import { beforeEach, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes, type Outcome } from '../../src/db/commit.ts';
import { explainDelivery } from '../../src/db/explain.ts';
import { type ShownDelivery, showDelivery } from '../../src/db/inspect.ts';
import { disableChannels } from '../../src/db/operate.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

async function nextOf(deliveryId: string, now: string = start): Promise<ShownDelivery['next']> {
  return (await showDelivery(database.service, workspaceId, deliveryId, now)).next;
}

/** Claims the one delivery that is due. */
async function claim(now: string): Promise<ClaimedDelivery> {
  const request = { workspaceId, runId: 'run', limit: 1 };
  const [held] = await claimDeliveries(database.service, request, now);
  if (held === undefined) throw new Error('nothing was claimed');
  return held;
}

async function commit(outcome: Outcome, now: string): Promise<void> {
  await commitOutcomes(database.service, workspaceId, [outcome], now);
}

describe('what is next', () => {
  it.each<[string, Readonly<Record<string, unknown>>, string, string | null]>([
    ['paused', { paused_until: after(60) }, 'channel_paused', after(60)],
    ['paused for good', { paused_until: 'infinity' }, 'channel_paused', null],
    ['cooling down', { cooldown_until: after(60) }, 'channel_cooling_down', after(60)],
    ['disabled', { enabled: false }, 'channel_disabled', null],
    [
      'closed',
      {
        window_mode: 'windowed',
        timezone: 'UTC',
        posting_window: JSON.stringify({ mon: [['12:00', '18:00']] }),
      },
      'channel_closed',
      after(7200),
    ],
  ])('waits for its channel that is %s', async (_, columns, because, at) => {
    await addChannel(database.admin, workspaceId, 'news', columns);
    const id = await addDelivery(database.admin, workspaceId, 'news');
    expect(await nextOf(id)).toEqual({ because, at: at === null ? null : new Date(at) });
  });

  it('waits for the posting window when it was accepted outside of it', async () => {
    await addChannel(database.admin, workspaceId, 'news', {
      window_mode: 'windowed',
      timezone: 'UTC',
      posting_window: JSON.stringify({ mon: [['12:00', '18:00']] }),
    });
    const { channels } = await take(database.service, workspaceId, { text: 'Lost: a dog' });
    const [verdict] = channels;
    if (verdict?.verdict !== 'queued') throw new Error('the post was not queued');
    expect(await nextOf(verdict.deliveryId)).toEqual({
      because: 'channel_closed',
      at: new Date(after(7200)),
    });
  });

  it('waits for the posting window that is open now, and closed when the pause ends', async () => {
    await addChannel(database.admin, workspaceId, 'news', {
      window_mode: 'windowed',
      timezone: 'UTC',
      posting_window: JSON.stringify({ mon: [['10:00', '11:00']], tue: [['10:00', '11:00']] }),
      paused_until: after(7200),
    });
    const id = await addDelivery(database.admin, workspaceId, 'news');
    expect(await nextOf(id)).toEqual({ because: 'channel_closed', at: new Date(after(24 * 3600)) });
    const reasons = await explainDelivery(database.service, { workspaceId, deliveryId: id }, start);
    expect(reasons.map(({ detail, until }) => [detail['reason'], until])).toEqual([
      ['window_closed', new Date(after(24 * 3600))],
      ['channel_paused', new Date(after(7200))],
    ]);
  });

  it('says why its channel is stopped: the error, or who and why', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addDelivery(database.admin, workspaceId, 'news');
    const refusal = { category: 'PERMANENT', scope: 'channel', code: '403' } as const;
    await commit(failed(await claim(start), { ...refusal, message: 'kicked' }), start);
    const id = await addDelivery(database.admin, workspaceId, 'news');
    expect(await nextOf(id, after(1))).toMatchObject({
      because: 'channel_paused',
      reason: '403: kicked',
    });
    const order = { workspaceId, channelIds: ['news'], operator: 'ann', reason: 'repairs' };
    await disableChannels(database.service, order, after(2));
    expect(await nextOf(id, after(3))).toEqual({
      because: 'channel_disabled',
      at: null,
      reason: 'by ann: repairs',
    });
  });

  it('waits for its own time when that is later than its channel’s', async () => {
    await addChannel(database.admin, workspaceId, 'news', { paused_until: after(60) });
    const soon = await addDelivery(database.admin, workspaceId, 'news', { not_before: after(30) });
    const late = await addDelivery(database.admin, workspaceId, 'news', { not_before: after(90) });
    expect(await nextOf(soon)).toEqual({ because: 'channel_paused', at: new Date(after(60)) });
    expect(await nextOf(late)).toEqual({ because: 'scheduled', at: new Date(after(90)) });
  });

  it.each(['paused', 'disabled'] as const)('waits for its workspace that is %s', async (status) => {
    await addChannel(database.admin, workspaceId, 'news', { enabled: false });
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await database.admin.query(
      'update outrider.workspaces set status = $2 where workspace_id = $1',
      [workspaceId, status],
    );
    expect(await nextOf(id)).toEqual({ because: `workspace_${status}`, at: null });
  });

  it('waits for those of its channel that came before it, and not for others', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addChannel(database.admin, workspaceId, 'pets');
    await addBacklog(database.admin, workspaceId, ['news', 'pets'], 3);
    await addDelivery(database.admin, workspaceId, 'news', { not_before: after(60) });
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 3);
    expect(await nextOf(id)).toEqual({ because: 'in_line', at: null, ahead: 3 });
  });

  it('is being sent until its lease ends, then tried again, then over', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    const id = await addDelivery(database.admin, workspaceId, 'news');
    const held = await claim(start);
    expect(await nextOf(id, after(1))).toEqual({
      because: 'being_sent',
      at: new Date(Date.parse(start) + held.leaseMs),
    });
    const { deliveryId, claimToken } = held;
    const error = { category: 'TRANSIENT', scope: 'delivery', code: 'busy' } as const;
    await commit({ deliveryId, claimToken, ok: false, error, nextRetryAt: after(90) }, after(2));
    expect(await nextOf(id, after(3))).toEqual({ because: 'retry', at: new Date(after(90)) });
    await commit(sent(await claim(after(90))), after(91));
    expect(await nextOf(id, after(92))).toBeNull();
  });

  it('waits for its slot', async () => {
    await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.1 });
    await addBacklog(database.admin, workspaceId, ['news'], 1);
    const id = await addDelivery(database.admin, workspaceId, 'news');
    await claimDeliveries(database.service, { workspaceId, runId: 'run', limit: 2 }, start);
    expect(await nextOf(id)).toEqual({ because: 'slot', at: new Date(after(10)) });
  });
});
