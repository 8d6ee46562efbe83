// What Outrider works on in the bench: a workspace, its channels, its backlog. Rows are inserted as an enqueue would
// leave them; the measured part uses the public functions only.

import type pg from 'pg';
import { ensureEventPartitions } from '../../src/db/events.ts';
import { migrate } from '../../src/db/migrate/migrate.ts';
import { schemaDir } from '../../src/db/open.ts';
import { openClient } from '../../src/db/pool.ts';
import { post } from '../post.ts';

/** A superuser's connection, for preparations. */
export type Admin = pg.Client;

export const workspace = 'bench';
export const channelCount = 40;

// Above 1,000,000/s a slot is shorter than the clock's microsecond: no delivery has to wait, and no slot has to be moved
// on.
const ratePerSecond = 2_000_000;

/** Installs the schema and one workspace with its channels. Returns a connection for preparations. */
export async function installOutrider(
  databaseUrl: string,
  channels: number = channelCount,
  rate: number | null = ratePerSecond,
): Promise<Admin> {
  await migrate(databaseUrl, { dir: schemaDir });
  const admin = await openAdmin(databaseUrl);
  await ensureEventPartitions(admin, 2);
  await addWorkspaces(admin, [workspace], channels, rate);
  return admin;
}

export function openAdmin(databaseUrl: string): Promise<Admin> {
  return openClient({ url: databaseUrl, applicationName: 'bench', statementTimeoutMs: 0 });
}

/** Adds workspaces with Telegram channels in one rate group each. Their pace holds nothing back; null for no pace. */
export async function addWorkspaces(
  admin: Admin,
  workspaceIds: readonly string[],
  channels: number,
  rate: number | null = ratePerSecond,
): Promise<void> {
  await admin.query(
    `insert into outrider.workspaces (workspace_id, name, created_at)
     select w, w, now() from unnest($1::text[]) w`,
    [workspaceIds],
  );
  await admin.query(
    `update outrider.workspace_settings set claim_per_channel = 10000
     where workspace_id = any ($1::text[])`,
    [workspaceIds],
  );
  await admin.query(
    `insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
     select w, 'telegram', 'bot', $2, now() from unnest($1::text[]) w`,
    [workspaceIds, rate],
  );
  await admin.query(
    `insert into outrider.channels
       (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, rate_rps, max_parallel,
        created_at, updated_at)
     select w, 'channel-' || c, 'telegram', -1001000000000 - c, 'bot', 'bot', $2, 10000, now(), now()
     from unnest($1::text[]) w cross join generate_series(1, $3) c`,
    [workspaceIds, rate, channels],
  );
}

/** Queues deliveries that are due at once: new messages, each to every channel of the workspace. */
export async function addBacklog(
  admin: Admin,
  workspaceId: string,
  deliveries: number,
  textOfPost?: string,
): Promise<void> {
  const { id, title, text, url } = post(1, textOfPost);
  const payload = JSON.stringify({ type: 'text', text, title, url, id });
  await admin.query(
    `with target as (
       select channel_id from outrider.channels where workspace_id = $1
     ),
     fresh as (
       insert into outrider.messages
         (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
       select $1, uuidv7(), encode(sha256(gen_random_uuid()::text::bytea), 'hex'), $3, 'bench', now(), now()
       from generate_series(1, ceil($2 / (select count(*) from target)::numeric))
       returning message_id, content_hash
     )
     insert into outrider.deliveries
       (workspace_id, delivery_id, status, attempt_limit, not_before, updated_at, created_at, message_id,
        channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text, render_meta)
     select $1, uuidv7(), 'queued', 5, now(), now(), now(), f.message_id,
       t.channel_id, 1, 1, f.message_id::text, f.content_hash, $4, '{"parts": [{"kind": "text"}]}'
     from fresh f cross join target t
     limit $2`,
    [workspaceId, deliveries, payload, `${title}\n\n${text}\n${url}`],
  );
}

/** Names the secret of the channels' bot. */
export async function bindBot(admin: Admin, secretRef: string): Promise<void> {
  await admin.query(
    `insert into outrider.credential_bindings (workspace_id, auth_ref, platform, secret_ref, updated_at)
     values ($1, 'bot', 'telegram', $2, now())`,
    [workspace, secretRef],
  );
}

/** Opens the workspace to posts over HTTP, practically without a limit. */
export async function addEndpoint(admin: Admin, secretHash: string): Promise<void> {
  await admin.query(
    `insert into outrider.workspace_endpoints
       (workspace_id, endpoint_id, kind, secret_hash, ingress_rps, created_at, updated_at)
     values ($1, 'bench', 'webhook_push', $2, 1000000, now(), now())`,
    [workspace, secretHash],
  );
}
