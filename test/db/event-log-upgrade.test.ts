import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { schemaDir } from '../../src/db/open.ts';
import { openClient } from '../../src/db/pool.ts';
import { openEmptyDatabase } from '../support/database.ts';
import { schemaFolder } from '../support/schema-folder.ts';
import { after, start } from '../support/seed.ts';

// A database in which every event is a row of its own, and the one that it becomes.

let database: Awaited<ReturnType<typeof openEmptyDatabase>>;
let client: pg.Client;

const before = '0023';
const deliveryId = '00000000-0000-4000-8000-000000000001';

beforeAll(async () => {
  database = await openEmptyDatabase();
  const folder = await schemaFolder(await migrationsBefore(before));
  await migrate(database.url, { dir: folder.dir });
  await folder.remove();
  client = await openClient({ url: database.url, applicationName: 'outrider test' });
  for (const statement of rows) await client.query(statement);
});

afterAll(async () => {
  await client.end();
  await database.drop();
});

async function migrationsBefore(number: string): Promise<Record<string, string>> {
  const names = await readdir(path.join(schemaDir, 'migrations'));
  const texts = names
    .filter((name) => name < number)
    .map(async (name) => {
      const file = path.join('migrations', name);
      return [file, await readFile(path.join(schemaDir, file), 'utf8')] as const;
    });
  return Object.fromEntries(await Promise.all(texts));
}

const rows = [
  `insert into outrider.workspaces (workspace_id, name, created_at) values ('north', 'north', '${start}')`,
  `insert into outrider.channels
     (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, created_at, updated_at)
   values ('north', 'news', 'telegram', '-1001', 'bot', 'bot', '${start}', '${start}')`,
  `insert into outrider.messages
     (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
   values ('north', '${deliveryId}', repeat('0', 64), '{"type": "text"}', 'trace', '${start}', '${start}')`,
  `insert into outrider.deliveries
     (workspace_id, delivery_id, status, attempt, attempt_limit, not_before, sending_started_at, sent_at,
      provider_message_id, message_id, channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text,
      created_at, updated_at)
   values ('north', '${deliveryId}', 'sent', 1, 5, '${start}', '${after(1)}', '${after(2)}', '42', '${deliveryId}', 'news', 1,
     1, 'trace', repeat('0', 64), 'Lost', '${start}', '${after(2)}')`,
  'set role outrider_owner',
  `create table outrider.events_20260302 partition of outrider.events
     for values from ('2026-03-02 00:00:00+00') to ('2026-03-03 00:00:00+00')`,
  'reset role',
  ...['enqueue', 'send_attempt', 'sent'].map(
    (action, seconds) =>
      `insert into outrider.events (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result)
       values ('north', gen_random_uuid(), '${deliveryId}', '${deliveryId}', 'news', '${after(seconds)}', '${action}',
         ${Math.min(seconds, 1)}, 'ok')`,
  ),
];

const columns = 'workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, meta';

it('an upgrade keeps the events that were there, and shows them as before', async () => {
  const text = `select ${columns} from outrider.events where delivery_id = $1 order by ts`;
  const found = await client.query(text, [deliveryId]);
  const { migrations } = await migrate(database.url, { dir: schemaDir });
  expect(migrations[0]).toMatch(before);
  expect(found.rows).toHaveLength(3);
  expect((await client.query(text, [deliveryId])).rows).toEqual(found.rows);
});
