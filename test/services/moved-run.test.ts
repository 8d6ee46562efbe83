import { expect, it } from 'vitest';
import { start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { runMoved } from '../support/simulate/moved-run.ts';

const database = await useDatabase();
const targetId = '-1001000000001';
const document = {
  workspace: 'city',
  credentials: { a: { platform: 'telegram', secret_ref: 'env:TELEGRAM_TOKEN' } },
  channels: { a1: { platform: 'telegram', target_id: targetId, auth_ref: 'a' } },
};

it('a run on a moved clock ends when the database fails, and says with which call, when and why', async () => {
  const service = Object.assign(Object.create(database.service), {
    async query() {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    },
  });
  const run = runMoved(
    { ...database, service },
    {
      workspaceId: 'city',
      document,
      chats: [{ platform: 'telegram', targetId }],
      arrivals: [{ at: Date.parse(start), post: { text: 'Post' } }],
      faults: [],
      callMs: 200,
      deliveries: 1,
    },
  );
  await expect(run).rejects.toThrow(
    /"sent":0,.*"fault":"enqueue_batch\/\d at 2026-03-02T10:00:00\.001Z: Error: connect ECONNREFUSED"/,
  );
});
