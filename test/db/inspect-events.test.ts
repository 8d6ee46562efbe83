import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { type ClaimedDelivery, claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { type EventFilter, listEvents } from '../../src/db/inspect.ts';
import { pauseChannels } from '../../src/db/operate.ts';
import { addChannel, addWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { take } from '../support/posts/intake.ts';
import { failed, sent } from '../support/queue/outcomes.ts';

// Two posts to two channels: the first is sent in one and fails in the other, the second waits; then a channel is paused.

const database = await useDatabase();
const workspaceId = 'w';
let message: string;
let held: Map<string, ClaimedDelivery>;

beforeAll(async () => {
  await addWorkspace(database.admin, workspaceId);
  for (const id of ['news', 'pets']) await addChannel(database.admin, workspaceId, id);
  const first = await take(database.service, workspaceId, { text: 'Lost: a dog' }, start);
  message = first.messageId;
  const claimed = await claimDeliveries(
    database.service,
    { workspaceId, runId: 'run', limit: 10 },
    after(1),
  );
  held = new Map(claimed.map((each) => [each.channel.channelId, each]));
  await commitOutcomes(database.service, workspaceId, [sent(of('news'))], after(2));
  const error = { code: 'busy', message: 'come back later' };
  await commitOutcomes(database.service, workspaceId, [failed(of('pets'), error)], after(3));
  await take(database.service, workspaceId, { text: 'Found: a cat' }, after(4));
  await pauseChannels(
    database.service,
    { workspaceId, channelIds: ['pets'], operator: 'anna', reason: 'quiet' },
    after(5),
  );
});

function of(channelId: string): ClaimedDelivery {
  const found = held.get(channelId);
  if (found === undefined) throw new Error(`${channelId} gave nothing`);
  return found;
}

/** Such as "5 channel_paused pets": the second, what happened, and in which channel. */
async function listed(filter: Partial<EventFilter> = {}): Promise<string[]> {
  const rows = await listEvents(database.service, { workspaceId, limit: 50, ...filter }, after(60));
  return rows.map((each) => {
    const second = (each.ts.getTime() - Date.parse(start)) / 1000;
    return [second, each.action, each.channelId].filter((part) => part !== null).join(' ');
  });
}

const all = [
  '5 channel_paused pets',
  '4 enqueue news',
  '4 enqueue pets',
  '3 retry_scheduled pets',
  '2 sent news',
  '1 send_attempt news',
  '1 send_attempt pets',
  '0 enqueue news',
  '0 enqueue pets',
];

describe('the record of a workspace', () => {
  it('is listed in whole, the latest first', async () => {
    const rows = await listed();
    expect(rows.map((each) => each[0])).toEqual(all.map((each) => each[0]));
    expect(rows.toSorted()).toEqual(all.toSorted());
  });

  it.each<[string, Partial<EventFilter>, (each: string) => boolean]>([
    ['a channel', { channelIds: ['pets'] }, (each) => each.endsWith('pets')],
    ['channels by pattern', { channelIds: ['n*'] }, (each) => each.endsWith('news')],
    ['an action', { actions: ['channel_paused'] }, (each) => each.includes('paused')],
    ['an action that every delivery has', { actions: ['sent'] }, (each) => each.includes(' sent')],
    ['errors', { result: 'error' }, (each) => each.startsWith('3')],
    ['successes', { result: 'ok' }, (each) => !each.startsWith('3')],
    ['errors of another channel', { result: 'error', channelIds: ['news'] }, () => false],
    ['a time', { since: after(2), until: after(4) }, (each) => /^[23]/.test(each)],
    [
      'a channel and a time',
      { channelIds: ['pets'], since: after(3) },
      (each) => /^[345].*pets$/.test(each),
    ],
  ])('is listed by %s', async (_, filter, isMeant) => {
    expect((await listed(filter)).toSorted()).toEqual(all.filter(isMeant).toSorted());
  });

  it('is listed by delivery', async () => {
    expect(await listed({ deliveryId: of('pets').deliveryId })).toEqual([
      '3 retry_scheduled pets',
      '1 send_attempt pets',
      '0 enqueue pets',
    ]);
  });

  it('is listed by message', async () => {
    expect((await listed({ messageId: message })).toSorted()).toEqual(
      all.filter((each) => /^[0123]/.test(each)).toSorted(),
    );
    expect(await listed({ messageId: randomUUID() })).toEqual([]);
  });

  it('has all that an event says', async () => {
    const [event] = await listEvents(database.service, { workspaceId, result: 'error', limit: 1 });
    expect(event).toMatchObject({
      action: 'retry_scheduled',
      result: 'error',
      channelId: 'pets',
      deliveryId: of('pets').deliveryId,
      messageId: message,
      attempt: 1,
      error: { code: 'busy', message: 'come back later', outcome: 'refused' },
    });
  });

  it('ends where it is asked to', async () => {
    expect(await listed({ limit: 1 })).toEqual(['5 channel_paused pets']);
  });

  it('has nothing of other workspaces', async () => {
    await addWorkspace(database.admin, 'other');
    expect(await listed({ workspaceId: 'other' })).toEqual([]);
    await expect(
      listed({ workspaceId: 'other', deliveryId: of('pets').deliveryId }),
    ).rejects.toMatchObject({ sqlstate: 'OR002' });
    expect(await listed({ workspaceId: 'other', messageId: message })).toEqual([]);
  });
});
