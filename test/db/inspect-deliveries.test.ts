import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { commitOutcomes } from '../../src/db/commit.ts';
import { deliveryStatuses } from '../../src/db/delivery-rows.ts';
import { type DeliveryFilter, listDeliveries } from '../../src/db/inspect.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  addWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addDeliveriesInEveryState, retryAt } from '../support/queue/deliveries-in-every-state.ts';
import { sent } from '../support/queue/outcomes.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
  for (const id of ['news', 'pets']) await addChannel(database.admin, workspaceId, id);
});

type Filter = Partial<Omit<DeliveryFilter, 'workspaceId'>>;

async function idsOf(filter: Filter = {}): Promise<string[]> {
  const listed = await listDeliveries(database.service, { workspaceId, limit: 50, ...filter });
  return listed.map((each) => each.deliveryId);
}

/** All that the table has, newest first. */
async function newestFirst(where = 'true'): Promise<string[]> {
  const { rows } = await database.admin.query<{ id: string }>(
    `select delivery_id as id from outrider.deliveries
     where workspace_id = $1 and ${where} order by seq desc`,
    [workspaceId],
  );
  return rows.map((row) => row.id);
}

describe('list_deliveries', () => {
  it('tells of each delivery what it is and where it stands', async () => {
    const messageId = await addMessage(database.admin, workspaceId);
    const long = 'Ä'.repeat(100);
    const id = await addDelivery(database.admin, workspaceId, 'news', {
      message_id: messageId,
      rendered_text: long,
      trace_id: 'trace-7',
    });
    const fresh = {
      deliveryId: id,
      messageId,
      channelId: 'news',
      status: 'queued',
      attempt: 0,
      notBefore: new Date(start),
      nextRetryAt: null,
      sentAt: null,
      failedAt: null,
      providerMessageId: null,
      errorCode: null,
      errorMessage: null,
      nextBecause: 'in_line',
      nextAt: null,
      nextReason: null,
      createdAt: new Date(start),
      traceId: 'trace-7',
      text: 'Ä'.repeat(80),
    };
    const list = (now: string) => listDeliveries(database.service, { workspaceId, limit: 1 }, now);
    expect(await list(start)).toEqual([fresh]);

    const request = { workspaceId, runId: 'run', limit: 1 };
    const [held] = await claimDeliveries(database.service, request, after(1));
    if (held === undefined) throw new Error('nothing was claimed');
    const error = {
      category: 'TRANSIENT',
      scope: 'delivery',
      code: '503',
      message: 'try later',
    } as const;
    const nextRetryAt = after(99);
    const { deliveryId, claimToken } = held;
    const outcome = { deliveryId, claimToken, ok: false, error, nextRetryAt } as const;
    await commitOutcomes(database.service, workspaceId, [outcome], after(2));
    expect(await list(after(3))).toEqual([
      {
        ...fresh,
        status: 'retry',
        attempt: 1,
        notBefore: new Date(after(1)),
        nextRetryAt: new Date(nextRetryAt),
        errorCode: '503',
        errorMessage: 'try later',
        nextBecause: 'retry',
        nextAt: new Date(nextRetryAt),
      },
    ]);

    const [again] = await claimDeliveries(database.service, request, after(100));
    if (again === undefined) throw new Error('nothing was claimed');
    await commitOutcomes(database.service, workspaceId, [sent(again)], after(101));
    expect(await list(after(102))).toMatchObject([
      {
        status: 'sent',
        nextBecause: null,
        attempt: 2,
        sentAt: new Date(after(101)),
        providerMessageId: `id-${id}`,
      },
    ]);
  });

  it('is newest first over all channels, by arrival and not by time', async () => {
    await addDelivery(database.admin, workspaceId, 'news', { created_at: after(60) });
    await addDelivery(database.admin, workspaceId, 'pets', { created_at: after(30) });
    await addDelivery(database.admin, workspaceId, 'news');
    expect(await idsOf()).toEqual(await newestFirst());
    expect(await idsOf({ limit: 2 })).toEqual((await newestFirst()).slice(0, 2));
  });

  it('is of the workspace alone', async () => {
    const other = `${workspaceId}-other`;
    await addWorkspace(database.admin, other);
    await addChannel(database.admin, other, 'news');
    const messageId = await addMessage(database.admin, other);
    const theirs = await addDelivery(database.admin, other, 'news', { message_id: messageId });
    expect(await idsOf()).toEqual([]);
    for (const status of deliveryStatuses) expect(await idsOf({ statuses: [status] })).toEqual([]);
    expect(await idsOf({ channelIds: ['news'] })).toEqual([]);
    expect(await idsOf({ messageId })).toEqual([]);
    await expect(idsOf({ before: theirs })).rejects.toMatchObject({ code: 'not_found' });
  });

  it.each(deliveryStatuses)('finds those that are %s, and no others', async (status) => {
    await addDeliveriesInEveryState(database, workspaceId);
    const expected = await newestFirst(`status = '${status}'`);
    expect(expected.length).toBeGreaterThan(0);
    expect(await idsOf({ statuses: [status] })).toEqual(expected);
    expect(await idsOf({ statuses: [status], limit: 1 })).toEqual(expected.slice(0, 1));
    for (const channelId of ['news', 'pets']) {
      const own = await newestFirst(`status = '${status}' and channel_id = '${channelId}'`);
      expect(await idsOf({ statuses: [status], channelIds: [channelId] })).toEqual(own);
    }
  });

  it('finds once what is being sent again while its first claim is still at work', async () => {
    await addBacklog(database.admin, workspaceId, ['news'], 2);
    const request = { workspaceId, runId: 'run', limit: 2 };
    const [first] = await claimDeliveries(database.service, request, start);
    if (first === undefined) throw new Error('nothing was claimed');
    const outcome = retryAt(first, after(5));
    await commitOutcomes(database.service, workspaceId, [outcome], after(1));
    expect(await idsOf({ statuses: ['sending'] })).toHaveLength(1);
    expect(await claimDeliveries(database.service, request, after(10))).toHaveLength(1);
    expect(await idsOf({ statuses: ['sending'] })).toEqual(await newestFirst());
  });

  it('finds those of a message, of one channel and of one state', async () => {
    await addDeliveriesInEveryState(database, workspaceId);
    const messageId = await addMessage(database.admin, workspaceId);
    const columns = { message_id: messageId };
    const inNews = await addDelivery(database.admin, workspaceId, 'news', columns);
    const inPets = await addDelivery(database.admin, workspaceId, 'pets', columns);
    const repeat = { ...columns, status: 'deduped', occurrence: null };
    const again = await addDelivery(database.admin, workspaceId, 'news', repeat);
    expect(await idsOf({ messageId })).toEqual([again, inPets, inNews]);
    expect(await idsOf({ messageId, channelIds: ['news'] })).toEqual([again, inNews]);
    expect(await idsOf({ messageId, statuses: ['deduped'] })).toEqual([again]);
    expect(await idsOf({ messageId, before: inPets })).toEqual([inNews]);
    expect(await idsOf({ messageId, limit: 1 })).toEqual([again]);
  });

  it('has an empty list for a message that nobody knows', async () => {
    expect(await idsOf({ messageId: '00000000-0000-4000-8000-000000000001' })).toEqual([]);
  });

  it('names a channel that is not there', async () => {
    await expect(idsOf({ channelIds: ['nowhere'] })).rejects.toMatchObject({
      code: 'not_found',
      message: `list_deliveries: workspace "${workspaceId}" has no channel "nowhere"`,
    });
  });
});
