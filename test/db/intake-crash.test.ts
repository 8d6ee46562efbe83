import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { enqueueMessagesAndDeliveries } from '../../src/db/intake.ts';
import { openPool } from '../../src/db/pool.ts';
import { DatabaseAwayError } from '../../src/errors.ts';
import { checksums } from '../support/database/catalogue.ts';
import { addChannel, addWorkspace, start } from '../support/database/seed.ts';
import { useDatabase } from '../support/fixtures/database.ts';
import { addEndpoint } from '../support/posts/intake.ts';

// A trigger ends the backend in the middle of the call, as a crash would: before and after each
// statement of the push path that writes.

const written = [
  'ingress_receipts',
  'messages',
  'media_origin',
  'deliveries',
  'delivery_queue',
  'event_log',
  'ingest_runs',
];
const moments = written.flatMap((table) =>
  ['before', 'after'].map((moment) => ({ table, moment })),
);

const database = await useDatabase();

beforeAll(async () => {
  await database.admin.query(
    `create function public.crash() returns trigger language plpgsql security definer as $$
     begin
       perform pg_terminate_backend(pg_backend_pid());
       perform pg_sleep(10); -- where the signal is noticed
       return null;
     end $$`,
  );
  await addWorkspace(database.admin, 'w');
  await addChannel(database.admin, 'w', 'news');
  await addChannel(database.admin, 'w', 'sport', { platform: 'vk' });
  await addEndpoint(database.admin, 'w', 'secret');
  await database.admin.query(
    `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
     values ('w', 'photo', 'file:photo', $1, $1)`,
    [start],
  );
});

let post: Record<string, unknown>;
let number = 0;

beforeEach(() => {
  number += 1;
  post = {
    text: `Lost: dog number ${number}`,
    media: [{ type: 'image', blob_ref: 'photo' }],
    source_ref: `post-${number}`,
  };
});

async function push(): Promise<{ verdict: string }> {
  const pool = openPool({ url: database.url, applicationName: 'outrider test', max: 1 });
  try {
    const request = {
      workspaceId: 'w',
      endpointId: 'push',
      kind: 'push',
      rawPayload: post,
    } as const;
    return await enqueueMessagesAndDeliveries(pool, request, start);
  } finally {
    await pool.end();
  }
}

async function crashAt(table: string, moment: string): Promise<void> {
  await database.admin.query(
    `create trigger crash ${moment} insert or update on outrider.${table}
     for each statement execute function public.crash()`,
  );
}

async function countWhere(table: string, condition: string): Promise<number> {
  const { rows } = await database.admin.query<{ count: string }>(
    `select count(*) from outrider.${table} where ${condition}`,
  );
  return Number(rows[0]?.count);
}

describe('a crash', () => {
  it.each(moments)('$moment the write to $table leaves nothing, and the repeat all', async (at) => {
    const before = await checksums(database.admin);
    await crashAt(at.table, at.moment);
    await expect(push()).rejects.toThrow(DatabaseAwayError);
    await database.admin.query(`drop trigger crash on outrider.${at.table}`);
    expect(await checksums(database.admin)).toEqual(before);

    expect((await push()).verdict).toBe('accepted');
    expect(await countWhere('messages', `payload ->> 'text' = 'Lost: dog number ${number}'`)).toBe(
      1,
    );
    expect(await countWhere('ingress_receipts', `source_ref = 'post-${number}'`)).toBe(1);
    const ofPost = `message_id in (
      select message_id from outrider.messages where source_ref = 'post-${number}')`;
    expect(await countWhere('deliveries', ofPost)).toBe(2);
    expect(await countWhere('events', ofPost)).toBe(2);
  });

  it('in every one of these moments is tried, and there is no other table that a push writes', async () => {
    const before = await checksums(database.admin);
    await push();
    const after = await checksums(database.admin);
    const changed = Object.keys(after).filter((name) => after[name] !== before[name]);
    const tables = new Set(changed.map((name) => name.replace(/^events_.*/, 'event_log')));
    expect([...tables].toSorted()).toEqual(written.toSorted());
  });
});
