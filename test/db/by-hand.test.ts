import { beforeEach, describe, expect, it } from 'vitest';
import { claimDeliveries } from '../../src/db/claim.ts';
import { addBacklog, addChannel, addNewWorkspace, after, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { sendAll } from '../support/posts/intake.ts';
import { countQueue } from '../support/queue/queue-counts.ts';

const database = await useDatabase();
let workspaceId: string;

beforeEach(async () => {
  workspaceId = await addNewWorkspace(database);
});

/** One delivery of the channel is sent, the next one rests, and the channel has room for no other. */
async function restOne(): Promise<void> {
  await addChannel(database.admin, workspaceId, 'news', { rate_rps: 0.1, max_parallel: 1 });
  await addBacklog(database.admin, workspaceId, ['news'], 4);
  await sendAll(database.service, workspaceId, start);
  await sendAll(database.service, workspaceId, after(1));
  expect(await counts()).toEqual({ sent: 1, claimed: 1, queued: 2 });
}

async function counts(): Promise<Record<string, number>> {
  const { rows } = await database.admin.query<{ status: string; n: number }>(
    `select status::text, count(*)::int as n from outrider.deliveries where workspace_id = $1 group by 1`,
    [workspaceId],
  );
  return Object.fromEntries(rows.map((row) => [row.status, row.n]));
}

async function runAll(statements: readonly string[]): Promise<void> {
  for (const sql of statements) await database.admin.query(sql, [workspaceId, after(2)]);
}

const putOff = `update outrider.deliveries set not_before = $2, updated_at = $2
  where workspace_id = $1 and status = 'claimed'`;
const giveUp = `update outrider.deliveries set status = 'dead', failed_at = $2, updated_at = $2,
  claim_token = null, claimed_at = null where workspace_id = $1 and status = 'claimed'`;
const returnIt = `update outrider.deliveries set status = 'queued', updated_at = $2,
  claim_token = null, claimed_at = null where workspace_id = $1 and status = 'claimed'`;
const remove = `delete from outrider.deliveries
  where workspace_id = $1 and status = 'claimed' and $2::timestamptz is not null`;

describe('a delivery that rests and is moved by hand', () => {
  it.each([
    ['given up', [giveUp], 2],
    ['given another time and then given up', [putOff, giveUp], 2],
    ['put back into the queue', [returnIt], 3],
    ['given another time and then put back', [putOff, returnIt], 3],
    ['deleted', [remove], 2],
    ['given another time and then deleted', [putOff, remove], 2],
  ])('%s leaves its place in the channel to the next', async (_, statements, left) => {
    await restOne();
    await runAll(statements);
    expect(await countQueue(database.admin, workspaceId)).toMatchObject({
      waiting: left,
      queue: left,
      strays: 0,
    });
    for (let second = 10; second <= 60; second += 10)
      await sendAll(database.service, workspaceId, after(second));
    expect(await counts()).toMatchObject({ sent: 1 + left });
  });

  it('keeps its slot when it is given another time', async () => {
    await restOne();
    await runAll([putOff]);
    await sendAll(database.service, workspaceId, after(9));
    expect(await counts()).toMatchObject({ sent: 1 });
    await sendAll(database.service, workspaceId, after(10));
    expect(await counts()).toMatchObject({ sent: 2 });
  });
});

describe('a delivery that waits and is deleted', () => {
  it('leaves the queue', async () => {
    await addChannel(database.admin, workspaceId, 'news');
    await addBacklog(database.admin, workspaceId, ['news'], 3);
    await database.admin.query(
      `delete from outrider.deliveries where workspace_id = $1 and seq = (
         select min(seq) from outrider.deliveries where workspace_id = $1)`,
      [workspaceId],
    );
    expect(await countQueue(database.admin, workspaceId)).toMatchObject({ waiting: 2, queue: 2 });
  });
});

describe('a claim', () => {
  const toSending = `update outrider.deliveries set status = 'sending', attempt = attempt + 1,
    claim_token = gen_random_uuid(), claimed_at = updated_at, sending_started_at = updated_at
    where workspace_id = $1 and status = 'queued'`;

  it.each([0, 1])(
    'that took %s lets nobody else move deliveries to sending behind it',
    async (limit) => {
      await addChannel(database.admin, workspaceId, 'news', {
        max_parallel: 1,
        enabled: limit > 0,
      });
      await addBacklog(database.admin, workspaceId, ['news'], 2);
      const client = await database.admin.connect();
      try {
        await client.query('begin');
        const request = { workspaceId, runId: 'run', limit: 10 };
        expect(await claimDeliveries(client, request, start)).toHaveLength(limit);
        const moved = client.query(toSending, [workspaceId]);
        await expect(moved).rejects.toMatchObject({ code: 'OR004' });
      } finally {
        await client.query('rollback');
        client.release();
      }
    },
  );
});
