// Rows that tests start from, inserted as superuser.

import { randomUUID } from 'node:crypto';
import type { Queryable } from '../../../src/db/pool.ts';
import type { TestDatabase } from './test-database.ts';

/** The time at which a test begins, unless it says otherwise. */
export const start = '2026-03-02T10:00:00.000Z';

/** The time that many seconds after `from`. */
export function after(seconds: number, from: string = start): string {
  return new Date(Date.parse(from) + seconds * 1000).toISOString();
}

type Columns = Readonly<Record<string, unknown>>;

export async function addWorkspace(
  admin: Queryable,
  workspaceId: string,
  settings: Columns = {},
): Promise<void> {
  await insert(admin, 'workspaces', [
    { workspace_id: workspaceId, name: workspaceId, status: 'active', created_at: start },
  ]);
  for (const [name, value] of Object.entries(settings)) {
    await admin.query(
      `update outrider.workspace_settings set ${name} = $2 where workspace_id = $1`,
      [workspaceId, value],
    );
  }
}

/** A workspace that no other test of the file has; answers with its id. */
export async function addNewWorkspace(
  database: TestDatabase,
  settings: Columns = {},
): Promise<string> {
  const workspaceId = database.newWorkspaceId();
  await addWorkspace(database.admin, workspaceId, settings);
  return workspaceId;
}

/** A channel without pace and with room for 100 sends, unless `columns` differ. A group that is new has no pace. */
export async function addChannel(
  admin: Queryable,
  workspaceId: string,
  channelId: string,
  columns: Columns = {},
): Promise<void> {
  const channel: Columns = {
    workspace_id: workspaceId,
    channel_id: channelId,
    platform: 'telegram',
    target_id: `-100${channelId}`,
    auth_ref: 'bot',
    rate_group: 'bot',
    rate_rps: null,
    max_parallel: 100,
    created_at: start,
    updated_at: start,
    ...columns,
  };
  const { next_allowed_at = null, ...configured } = channel;
  await insert(admin, 'channels', [configured]);
  await admin.query(
    `update outrider.channel_pace set next_allowed_at = $3 where workspace_id = $1 and channel_id = $2`,
    [workspaceId, channelId, next_allowed_at],
  );
  await admin.query(
    `insert into outrider.platform_limits (workspace_id, platform, rate_group, updated_at)
     values ($1, $2, $3, $4) on conflict do nothing`,
    [workspaceId, channel['platform'], channel['rate_group'], start],
  );
}

/** Sets columns of a rate group, by default of the one that `addChannel` uses. */
export async function setGroup(
  admin: Queryable,
  workspaceId: string,
  columns: Columns,
): Promise<void> {
  const key = { workspace_id: workspaceId, platform: 'telegram', rate_group: 'bot' };
  const group: Columns = { ...key, updated_at: start, ...columns };
  const names = Object.keys(group);
  await admin.query(
    `insert into outrider.platform_limits (${names.join(', ')})
     values (${names.map((_, index) => `$${index + 1}`).join(', ')})
     on conflict (workspace_id, platform, rate_group)
     do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    Object.values(group),
  );
}

export async function addMessage(
  admin: Queryable,
  workspaceId: string,
  columns: Columns = {},
): Promise<string> {
  const messageId = randomUUID();
  await insert(admin, 'messages', [
    {
      workspace_id: workspaceId,
      message_id: messageId,
      content_hash: `${messageId.replaceAll('-', '')}${'0'.repeat(32)}`,
      payload: JSON.stringify({ type: 'text', text: 'Lost: a ginger dog near the station' }),
      first_seen_trace_id: `trace-${messageId}`,
      last_seen_at: start,
      created_at: start,
      ...columns,
    },
  ]);
  return messageId;
}

/** One delivery to a channel, of a new message unless `message_id` names one; answers with its id. */
export async function addDelivery(
  admin: Queryable,
  workspaceId: string,
  channelId: string,
  columns: Columns = {},
): Promise<string> {
  const messageId =
    typeof columns['message_id'] === 'string'
      ? columns['message_id']
      : await addMessage(admin, workspaceId);
  const deliveryId = randomUUID();
  const createdAt = typeof columns['created_at'] === 'string' ? columns['created_at'] : start;
  await insert(admin, 'deliveries', [
    {
      workspace_id: workspaceId,
      delivery_id: deliveryId,
      status: 'queued',
      attempt_limit: 5,
      not_before: createdAt,
      updated_at: createdAt,
      created_at: createdAt,
      message_id: messageId,
      channel_id: channelId,
      occurrence: 1,
      hash_version: 1,
      trace_id: `trace-${deliveryId}`,
      content_hash: `${messageId.replaceAll('-', '')}${'0'.repeat(32)}`,
      rendered_text: 'Lost: a ginger dog near the station',
      ...columns,
    },
  ]);
  return deliveryId;
}

/** A backlog: that many new messages, each to every channel, in one statement. `weight` is above 1 for albums. */
export async function addBacklog(
  admin: Queryable,
  workspaceId: string,
  channelIds: readonly string[],
  messages: number,
  weight = 1,
): Promise<void> {
  const meta = weight === 1 ? {} : { parts: [{ kind: 'media', media: [], weight }] };
  await admin.query(
    `with fresh as (
       insert into outrider.messages
         (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
       select $1, gen_random_uuid(), encode(sha256(gen_random_uuid()::text::bytea), 'hex'),
         '{"type": "text", "text": "Lost: a ginger dog"}', 'trace', $4, $4
       from generate_series(1, $3)
       returning message_id, content_hash
     )
     insert into outrider.deliveries
       (workspace_id, delivery_id, status, attempt_limit, not_before, updated_at, created_at, message_id,
        channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text, render_meta)
     select $1, gen_random_uuid(), 'queued', 5, $4, $4, $4, f.message_id, c, 1, 1, 'trace', f.content_hash, 'Lost', $5
     from fresh f cross join unnest($2::text[]) c`,
    [workspaceId, channelIds, messages, start, JSON.stringify(meta)],
  );
}

async function insert(admin: Queryable, table: string, rows: readonly Columns[]): Promise<void> {
  for (const row of rows) {
    const names = Object.keys(row);
    const slots = names.map((_, index) => `$${index + 1}`);
    await admin.query(
      `insert into outrider.${table} (${names.join(', ')}) values (${slots.join(', ')})`,
      Object.values(row),
    );
  }
}
