import { beforeEach, describe, expect, it } from 'vitest';
import { deliveryStatuses } from '../../src/db/delivery-rows.ts';
import { type DeliveryFilter, listDeliveries } from '../../src/db/inspect.ts';
import { fill, sentDeliveries, waitingDeliveries } from '../support/database/bulk-rows.ts';
import {
  addBacklog,
  addChannel,
  addDelivery,
  addMessage,
  addNewWorkspace,
  after,
  start,
} from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addDeliveriesInEveryState } from '../support/queue/deliveries-in-every-state.ts';

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

/** Every page of a list, one after the other. */
async function pagesOf(filter: Filter, limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let before: string | undefined;
  do {
    const page = await idsOf({ ...filter, limit, before });
    pages.push(page);
    before = page.at(-1);
  } while (before !== undefined && pages.length < 100);
  return pages;
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

describe('page by page', () => {
  it.each([1, 2, 3, 7])('everything comes once and in order, %i at a time', async (limit) => {
    await addBacklog(database.admin, workspaceId, ['news', 'pets'], 10);
    const pages = await pagesOf({}, limit);
    expect(pages.flat()).toEqual(await newestFirst());
    expect(pages.slice(0, -2).every((page) => page.length === limit)).toBe(true);
  });

  it.each(deliveryStatuses)('those that are %s come once and in order', async (status) => {
    await addDeliveriesInEveryState(database, workspaceId);
    const pages = await pagesOf({ statuses: [status] }, 1);
    expect(pages.flat()).toEqual(await newestFirst(`status = '${status}'`));
  });

  it('failures of one instant come once, the latest failure first', async () => {
    const { admin } = database;
    const fail = (at: string) =>
      addDelivery(admin, workspaceId, 'news', { status: 'failed_permanent', failed_at: at });
    const late = await fail(after(60));
    const equal = [await fail(start), await fail(start), await fail(start)];
    const early = await fail(after(-60));
    const pages = await pagesOf({ statuses: ['failed_permanent'] }, 2);
    expect(pages.flat()).toEqual([late, ...equal.toReversed(), early]);
  });

  it('failures do not go on behind a delivery that has not failed', async () => {
    const before = await addDelivery(database.admin, workspaceId, 'news');
    await expect(idsOf({ statuses: ['dead'], before })).rejects.toMatchObject({
      code: 'invalid_input',
      message: `list_deliveries: before is ${before}, which has not failed; start from the top`,
    });
  });

  it('what comes in meanwhile does not shift the pages that follow', async () => {
    await addBacklog(database.admin, workspaceId, ['news', 'pets'], 3);
    const all = await newestFirst();
    const first = await idsOf({ limit: 3 });
    await addBacklog(database.admin, workspaceId, ['news', 'pets'], 3);
    expect(await idsOf({ before: first.at(-1) })).toEqual(all.slice(3));
  });
});

describe('behind a backlog of 20,000', () => {
  /** An old delivery of each kind, then the backlog; answers with what was there before it. */
  async function addBefore(): Promise<void> {
    await addDeliveriesInEveryState(database, workspaceId);
    const bulk = { workspaceId, channelIds: ['news'], count: 20_000 };
    await fill(database.admin, waitingDeliveries(bulk).slice(0, 1));
    await database.admin.query(
      `insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id)
       select d.workspace_id, d.channel_id, '-infinity', d.seq, d.delivery_id from outrider.deliveries d
       where d.workspace_id = $1 and d.occurrence > 1`,
      [workspaceId],
    );
  }

  it.each(deliveryStatuses.filter((each) => each !== 'queued' && each !== 'deduped'))(
    'those that are %s are found',
    async (status) => {
      await addBefore();
      expect(await idsOf({ statuses: [status] })).toEqual(
        await newestFirst(`status = '${status}'`),
      );
    },
  );

  it('the newest of what waits is found first, and so on', async () => {
    await addBefore();
    const queued = { statuses: ['queued'], channelIds: ['news'], limit: 1000 } as const;
    const one = await idsOf(queued);
    const two = await idsOf({ ...queued, before: one.at(-1) });
    const expected = await newestFirst(`status = 'queued' and channel_id = 'news'`);
    expect([one, two]).toEqual([expected.slice(0, 1000), expected.slice(1000, 2000)]);
  });
});

describe('in a long history', () => {
  it('the newest are the newest', async () => {
    await addMessage(database.admin, workspaceId);
    const bulk = { workspaceId, channelIds: ['news', 'pets'], count: 20_000 };
    await fill(database.admin, [sentDeliveries(bulk)]);
    const newest = await newestFirst();
    expect(await idsOf()).toEqual(newest.slice(0, 50));
    expect(await idsOf({ statuses: ['sent'], before: newest[99] })).toEqual(newest.slice(100, 150));
    expect(await idsOf({ statuses: ['queued'] })).toEqual([]);
  });
});
