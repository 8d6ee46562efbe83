import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import { json } from '../../src/db/call.ts';
import { queryRow } from '../../src/db/query-rows.ts';
import { addBacklog, addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { meter } from '../support/database/statement-meter.ts';
import { useDatabase } from '../support/fixtures/database.ts';

const database = await useDatabase();

beforeAll(async () => {
  await database.admin.query('alter table outrider.deliveries set (autovacuum_enabled = off)');
});

async function addWorkspaceWith(workspaceId: string, backlog: number): Promise<void> {
  await addWorkspace(database.admin, workspaceId, { claim_per_channel: 1000 });
  await addChannel(database.admin, workspaceId, 'news', { max_parallel: 1000 });
  await addBacklog(database.admin, workspaceId, ['news'], backlog);
}

const Split = z.object({ split: z.boolean() });

/** Whether an index has more than one leaf page; its first page is not a leaf. */
async function isSplit(index: string): Promise<boolean> {
  const text = 'select pg_relation_size($1) > 2 * 8192 as split';
  return (await queryRow(database.admin, Split, text, [`outrider.${index}`])).split;
}

// The primary key has just become one level deeper than a narrower index, and no statistics exist yet. To the planner an
// index that begins with the workspace then looks like the shorter way to one delivery, and reads the whole workspace.
it('plans made when the primary key has just split find a delivery by its id', async () => {
  for (let n = 1; n <= 20; n += 1) await addWorkspaceWith(`t${n}`, 5);
  while (!(await isSplit('deliveries_pkey'))) {
    await addBacklog(database.admin, 't1', ['news'], 1);
  }
  expect(await isSplit('deliveries_of_channel_idx')).toBe(false);

  const worker = await database.service.connect();
  try {
    const sendAll = async (workspaceId: string) => {
      const text = 'select * from outrider.claim_deliveries($1, $2, $3, null, $4)';
      const claimed = await meter(worker, text, [workspaceId, 'run', 200, start]);
      const held = await database.admin.query<{ delivery_id: string; claim_token: string }>(
        `select u.delivery_id, l.claim_token from outrider.leases l, unnest(l.delivery_ids) as u (delivery_id)
         where l.workspace_id = $1`,
        [workspaceId],
      );
      const outcomes = held.rows.map((row) => ({ ...row, ok: true, provider_message_id: '1' }));
      const commit = 'select * from outrider.commit_outcomes($1, $2, $3)';
      const committed = await meter(worker, commit, [workspaceId, json(outcomes), start]);
      return { claimed, committed };
    };
    await sendAll('t2');
    await addBacklog(database.admin, 't2', ['news'], 4000);
    await sendAll('t2');
    const { claimed, committed } = await sendAll('t2');
    expect([claimed.rows, committed.rows]).toEqual([200, 200]);
    for (const reading of [claimed, committed]) {
      expect(reading.passed).toBeLessThan(30 * reading.rows);
    }
  } finally {
    worker.release();
  }
});
