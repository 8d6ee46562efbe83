// Two workspaces with a row in every tenant table, and for each of them a lawful call of every public function. Tests
// of bad input and of isolation start from these.

import { createHash } from 'node:crypto';
import { z } from 'zod';
import { claimDeliveries } from '../../../src/db/claim.ts';
import { lawfulMonitorCalls } from '../alerts/alert-rows.ts';
import { lawfulBotCalls, rowsOfTheBot } from '../bot/lawful-bot-calls.ts';
import { useDatabase } from '../fixtures/database.ts';
import { lawfulProcessingCalls } from '../outbox/lawful-consumer-calls.ts';
import { furnishOutbox, lawfulOutboxCalls } from '../outbox/outbox-events.ts';
import { publicFunctions, type Routine, tables } from './catalogue.ts';
import { addChannel, addDelivery, addMessage, addWorkspace, after, start } from './seed.ts';
import type { TestDatabase } from './test-database.ts';

export interface Furnished {
  readonly workspaceId: string;
  /** A delivery that waits in the queue. */
  readonly queued: string;
  /** A delivery that is being sent under the claim token. */
  readonly sending: string;
  readonly claimToken: string;
  /** Of the lease on the source `feed`. */
  readonly leaseToken: string;
  /** A delivery that failed for good. */
  readonly failed: string;
  /** The message of the delivery that waits. */
  readonly message: string;
  /** An outbox event that has failed. It belongs to no workspace. */
  readonly failedEvent: string;
}

export interface TwoWorkspaces {
  readonly database: TestDatabase;
  readonly north: Furnished;
  readonly south: Furnished;
  readonly functions: readonly Routine[];
}

/** Both workspaces in a database of the file that calls this. */
export async function useTwoWorkspaces(): Promise<TwoWorkspaces> {
  const database = await useDatabase();
  const north = await furnish(database, 'north');
  const south = await furnish(database, 'south');
  return { database, north, south, functions: await publicFunctions(database.admin) };
}

/** The arguments of a lawful call, by name, as the driver takes them. */
export type Arguments = Readonly<Record<string, unknown>>;

/** For each public function, a call that is lawful in the workspace and does something there. */
export function lawfulCalls(place: Furnished): Readonly<Record<string, Arguments>> {
  const p_workspace_id = place.workspaceId;
  const p_delivery_id = place.sending;
  const p_claim_token = place.claimToken;
  const p_channel_ids = ['news'];
  const p_now = after(60);
  const order = { p_operator: 'ann', p_reason: 'the chat is back', p_now };
  const group = { p_workspace_id, p_platform: 'telegram', p_rate_group: 'bot' };
  const pulled = { p_workspace_id, p_source_id: 'feed', p_lease_token: place.leaseToken };
  const copy = { p_workspace_id, p_blob_ref: 'photo', p_provider: 'telegram', p_auth_ref: 'bot' };
  const refusal = { scope: 'delivery', code: '400', message: 'Bad Request: chat not found' };
  return {
    claim_deliveries: {
      p_workspace_id,
      p_run_id: 'run-2',
      p_limit: 10,
      p_lease: '5 minutes',
      p_now,
    },
    extend_leases: { p_workspace_id, p_claim_tokens: [p_claim_token], p_now },
    hold_delivery: { p_workspace_id, p_delivery_id, p_claim_token, p_now },
    release_claims: { p_workspace_id, p_claim_token, p_delivery_ids: [p_delivery_id], p_now },
    save_progress: {
      p_workspace_id,
      p_delivery_id,
      p_claim_token,
      p_parts: JSON.stringify([{ item: 0, provider_message_id: '41' }]),
      p_now,
    },
    take_call: {
      p_workspace_id,
      p_delivery_id,
      p_claim_token,
      p_messages: 1,
      p_channel_slot: after(30),
      p_group_slot: null,
      p_now,
    },
    commit_outcomes: { p_workspace_id, p_outcomes: JSON.stringify([sentOutcome(place)]), p_now },
    commit_sent: {
      p_workspace_id,
      p_delivery_ids: [p_delivery_id, place.queued],
      p_claim_tokens: [p_claim_token, p_claim_token],
      p_provider_message_ids: ['42', '43'],
      p_now,
    },
    mark_sent: {
      p_workspace_id,
      p_delivery_id,
      p_provider_message_id: '42',
      p_sent_at: after(59),
      p_raw_meta: JSON.stringify({ ok: true }),
      p_claim_token,
      p_now,
    },
    schedule_retry: {
      p_workspace_id,
      p_delivery_id,
      p_next_retry_at: after(90),
      p_error_json: JSON.stringify({ ...refusal, category: 'TRANSIENT' }),
      p_claim_token,
      p_now,
    },
    fail_permanent: {
      p_workspace_id,
      p_delivery_id,
      p_error_json: JSON.stringify({ ...refusal, category: 'PERMANENT' }),
      p_claim_token,
      p_now,
    },
    requeue_deliveries: {
      p_workspace_id,
      p_delivery_ids: [place.failed],
      p_dry_run: false,
      p_operator: order.p_operator,
      p_reason: order.p_reason,
      p_over: '10 minutes',
      p_now,
    },
    resolve_deliveries: {
      p_workspace_id,
      p_delivery_ids: [place.failed],
      p_provider_message_ids: ['42'],
      p_dry_run: false,
      ...order,
    },
    release_stale: { p_workspace_id, p_older_than: '30 seconds', p_dry_run: false, ...order },
    disable_rate_group: { ...group, p_dry_run: false, ...order },
    enable_rate_group: { ...group, p_dry_run: false, ...order },
    rotate_auth: {
      p_workspace_id,
      p_channel_ids,
      p_auth_ref: 'bot',
      p_rate_group: 'other',
      p_force: true,
      p_dry_run: false,
      ...order,
    },
    pause_channels: {
      p_workspace_id,
      p_channel_ids,
      p_until: after(3600),
      p_dry_run: false,
      ...order,
    },
    resume_channels: { p_workspace_id, p_channel_ids, p_dry_run: false, ...order },
    enable_channels: { p_workspace_id, p_channel_ids, p_dry_run: false, ...order },
    disable_channels: { p_workspace_id, p_channel_ids, p_dry_run: false, ...order },
    reopen_credential: { p_workspace_id, p_auth_ref: 'bot', ...order },
    enqueue_messages_and_deliveries: {
      p_workspace_id,
      p_endpoint_id: 'push',
      p_kind: 'push',
      p_raw_payload: JSON.stringify({ text: 'Found: a grey cat', source_ref: 'post-7' }),
      p_now,
    },
    enqueue_batch: {
      p_workspace_id,
      p_kind: 'pull',
      p_items: JSON.stringify([{ text: 'Found: a grey cat' }, { text: 'Lost: a parrot' }]),
      p_now,
    },
    ingest_pull_chunk: {
      p_workspace_id,
      p_source_id: 'feed',
      p_items: JSON.stringify([{ item_ref: 'item-2', payload: { text: 'Found: a grey cat' } }]),
      p_cursor_to: JSON.stringify({ last_seen_id: 'item-2' }),
      p_lease_token: place.leaseToken,
      p_next_pull_at: after(360),
      p_held_item: 'item-3',
      p_lease: '1 minute',
      p_now,
    },
    claim_pull_source: { p_run_id: 'run-3', p_lease: '1 minute', p_except: ['elsewhere'], p_now },
    extend_pull: { ...pulled, p_lease: '2 minutes', p_now },
    fail_pull: { ...pulled, p_error: 'it is away', p_retry_after: '5 minutes', p_now },
    release_pull: { ...pulled, p_now },
    pull_now: {
      p_workspace_id,
      p_source_id: 'idle',
      p_run_id: 'run-4',
      p_lease: '1 minute',
      ...order,
    },
    taken_items: { p_workspace_id, p_source_id: 'feed', p_item_refs: ['item-1', 'item-9'] },
    list_pull_sources: { p_workspace_id, p_now },
    find_endpoint: {
      p_kind: 'webhook_push',
      p_secret_hash: secretHashOf(place.workspaceId),
    },
    admit_ingress: {
      p_kind: 'webhook_push',
      p_secret_hash: secretHashOf(place.workspaceId),
      p_size_bytes: 200,
      p_now,
    },
    ingest_push: {
      p_secret_hash: secretHashOf(place.workspaceId),
      p_size_bytes: 200,
      p_raw_payload: JSON.stringify({ text: 'Found: a grey cat', source_ref: 'post-8' }),
      p_trace_id: 'trace-8',
      p_claimer: 'run-8',
      p_now,
    },
    drop_repeated_push: {
      p_workspace_id,
      p_endpoint_id: 'push',
      p_raw_payload: JSON.stringify({ text: 'Found: a grey cat', source_ref: 'post-9' }),
      p_now,
    },
    preview_post: {
      p_workspace_id,
      p_endpoint_id: 'push',
      p_raw_payload: JSON.stringify({ text: 'Found: a white cat', source_ref: 'post-11' }),
      p_copies_links: true,
      p_now,
    },
    enqueue_copied_post: {
      p_workspace_id,
      p_endpoint_id: 'push',
      p_raw_payload: JSON.stringify({ text: 'Found: a red cat', source_ref: 'post-10' }),
      p_received: JSON.stringify({ text: 'Found: a red cat', source_ref: 'post-10' }),
      p_now,
    },
    reject_ingress: { p_workspace_id, p_endpoint_id: 'push', p_reason: 'it is not JSON', p_now },
    database_time: {},
    warm_up: { p_now },
    keep_media_origin: {
      p_workspace_id,
      p_blob_ref: 'video',
      p_origin_url: 'file:video',
      p_sha256: secretHashOf('video'),
      p_content_type: 'video/mp4',
      p_size_bytes: 1000,
      p_now,
    },
    known_origins: { p_origin_urls: ['https://example.test/photo'] },
    media_gc_candidates: { p_workspace_id, p_limit: 10, p_now: after(40 * 86_400) },
    forget_media_origins: {
      p_workspace_id,
      p_blob_refs: ['unused'],
      p_now: after(40 * 86_400),
    },
    wants_picture_hash: { p_workspace_id, p_blob_ref: 'photo' },
    keep_picture_hash: {
      p_workspace_id,
      p_blob_ref: 'photo',
      p_picture_hash: '8f3c1e7a5b9d2460',
    },
    keep_media_blob: { ...copy, p_file_id: 'file-2', p_expires_at: after(3600), p_now },
    forget_media_blob: { ...copy, p_file_id: 'file-1' },
    payload_policy: { p_workspace_id },
    keep_payload: {
      p_workspace_id,
      p_payload_ref: 'payload-2',
      p_kind: 'answer',
      p_object_url: 'folder:payload-2',
      p_key_id: 'k1',
      p_size_bytes: 100,
      p_delivery_id,
      p_message_id: place.message,
      p_run_id: 'run-9',
      p_now,
    },
    read_payload: { p_workspace_id, p_payload_ref: 'payload-1', ...order },
    link_payload: {
      p_workspace_id,
      p_payload_ref: 'payload-1',
      p_operator: 'ann',
      p_reason: 'the chat is back',
      p_for: '10 minutes',
      p_now,
    },
    open_payload_link: { p_workspace_id, p_token_hash: secretHashOf('link'), p_now },
    known_payload_objects: { p_object_urls: ['folder:payload-1'] },
    expired_payloads: { p_limit: 10, p_now: after(7200) },
    forget_payloads: { p_workspace_id, p_payload_refs: ['payload-1'] },
    list_payloads: { p_workspace_id, p_after: 'payload-0', p_limit: 10 },
    erase_contact: {
      p_workspace_id,
      p_contact: '+7 916 123-45-67',
      p_dry_run: false,
      p_operator: order.p_operator,
      p_reason: order.p_reason,
      p_raw_payloads: 0,
      p_now,
    },
    move_channel: { p_workspace_id, p_channel_id: 'news', p_target_id: '-100777', p_now },
    apply_workspace: {
      p_document: JSON.stringify({
        workspace: place.workspaceId,
        channels: { news: { title: 'News', max_parallel: 7 } },
      }),
      p_prune: false,
      p_dry_run: false,
      p_now,
    },
    recover_leases: { p_workspace_id, p_now: after(600) },
    stale_workspaces: { p_now: after(600) },
    next_workspaces: { p_dispatcher: 'main', p_limit: 10, p_now },
    next_due_at: { p_now },
    next_due_in: { p_workspace_id, p_now },
    wake_dispatchers: {},
    applied_files: {},
    examine_installation: { p_now },
    examine_workspace: { p_workspace_id, p_now },
    list_workspaces: {},
    list_channels: {
      p_workspace_id,
      p_channel_ids: ['n*'],
      p_platform: 'telegram',
      p_auth_ref: 'bot',
      p_rate_group: 'bot',
      p_state: 'open',
      p_now,
    },
    list_credentials: { p_workspace_id },
    list_rate_groups: { p_workspace_id, p_now },
    list_events: {
      p_workspace_id,
      p_delivery_id: place.queued,
      p_message_id: place.message,
      p_channel_ids,
      p_actions: ['claim_returned'],
      p_result: 'ok',
      p_since: start,
      p_until: after(30),
      p_limit: 10,
      p_now,
    },
    list_deliveries: {
      p_workspace_id,
      p_statuses: ['queued'],
      p_channel_ids,
      p_message_id: place.message,
      p_since: start,
      p_until: after(30),
      p_limit: 10,
      p_before: place.failed,
      p_now,
    },
    find_deliveries: { p_workspace_id, p_part: p_delivery_id },
    find_messages: { p_workspace_id, p_part: place.message },
    show_configuration: { p_workspace_id },
    list_posts: { p_workspace_id, p_since: start, p_until: after(3600), p_limit: 10 },
    list_send_times: { p_workspace_id, p_limit: 10 },
    show_delivery: { p_workspace_id, p_delivery_id, p_now },
    explain_delivery: { p_workspace_id, p_delivery_id, p_now },
    explain_post: { p_workspace_id, p_search: place.message, p_channel_id: 'news', p_now },
    find_posts: { p_workspace_id, p_search: place.message, p_limit: 10, p_now },
    show_workspace: { p_workspace_id, p_now },
    show_activity: {
      p_workspace_id,
      p_channel_ids: ['n*'],
      p_platform: 'telegram',
      p_limit: 10,
      p_now,
    },
    take_samples: { p_limit: 10, p_now },
    queue_history: { p_workspace_id, p_span: '3 hours', p_now },
    channel_history: { p_workspace_id, p_span: '3 hours', p_bars: 36, p_now },
    next_slots: { p_workspace_id, p_now },
    latest_failures: { p_workspace_id, p_limit: 10, p_now },
    post_excerpts: { p_workspace_id, p_message_ids: [place.message], p_now },
    what_is_wrong: { p_workspace_id, p_now },
    bot_status: { p_workspace_id, p_now },
    list_services: { p_now },
    ensure_event_partitions: { p_days_ahead: 3, p_now },
    count_metrics: { p_now },
    read_metrics: { p_workspace_limit: 100, p_channel_limit: 500, p_now },
    ...lawfulMonitorCalls(p_workspace_id, order),
    ...lawfulBotCalls(p_workspace_id, place, order),
    purge_expired: { p_limit: 100, p_dry_run: false, p_now: after(100 * 86_400) },
    purge_outbox: { p_older_than: '1 day', p_limit: 10, p_dry_run: false, p_now },
    restart_sweeps: { p_now },
    reconcile_events: { p_workspace_id, p_limit: 10, p_now },
    reconcile_media: { p_workspace_id },
    ...lawfulOutboxCalls(place.failedEvent, p_now),
    ...lawfulProcessingCalls(p_now),
  };
}

function secretHashOf(workspaceId: string): string {
  return createHash('sha256').update(workspaceId).digest('hex');
}

export function sentOutcome(place: Furnished): Arguments {
  return {
    delivery_id: place.sending,
    claim_token: place.claimToken,
    ok: true,
    provider_message_id: '42',
  };
}

/** Arguments in the function's order. */
export function inOrder(routine: Routine, args: Arguments): unknown[] {
  return routine.args.map((arg) => args[arg.name]);
}

async function furnish(database: TestDatabase, workspaceId: string): Promise<Furnished> {
  const { admin } = database;
  await addWorkspace(admin, workspaceId);
  await addChannel(admin, workspaceId, 'news');
  const sending = await addDelivery(admin, workspaceId, 'news');
  const [claimed] = await claimDeliveries(admin, { workspaceId, runId: 'run-1', limit: 10 }, start);
  if (claimed === undefined) throw new Error('nothing was claimed');
  const message = await addMessage(admin, workspaceId);
  const queued = await addDelivery(admin, workspaceId, 'news', { message_id: message });
  await admin.query(
    `insert into outrider.event_log
       (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result)
     values ($1, gen_random_uuid(), $2, $3, 'news', $4, 'claim_returned', 0, 'ok')`,
    [workspaceId, queued, message, start],
  );
  const failed = await addDelivery(admin, workspaceId, 'news', {
    status: 'failed_permanent',
    outcome_unknown: true,
    failed_at: start,
    message_id: await addMessage(admin, workspaceId),
  });
  for (const statement of [...rowsOfTheRest, ...rowsOfTheBot])
    await admin.query(statement, [workspaceId]);
  const failedEvent = await furnishOutbox(admin);
  await requireRowsEverywhere(database, workspaceId);
  const { claimToken } = claimed;
  const leased = await admin.query(
    'select lease_token from outrider.pull_cursors where workspace_id = $1 and lease_token is not null',
    [workspaceId],
  );
  const [{ lease_token: leaseToken }] = z
    .tuple([z.object({ lease_token: z.string() })])
    .parse(leased.rows);
  return { workspaceId, queued, sending, claimToken, leaseToken, failed, message, failedEvent };
}

// $1 is the workspace.
const time = `timestamptz '${start}'`;
const rowsOfTheRest = [
  `insert into outrider.metric_counters (workspace_id, metric, label, value)
   values ($1, 'outrider_events_total', 'claim_returned', 1)`,
  `insert into outrider.workspace_logins (workspace_id, login)
   values ($1, 'somebody')`,
  `insert into outrider.workspace_endpoints
     (workspace_id, endpoint_id, kind, secret_hash, created_at, updated_at)
   values ($1, 'push', 'webhook_push', encode(sha256($1::text::bytea), 'hex'), ${time}, ${time})`,
  `insert into outrider.templates (workspace_id, template_id, version, body, created_at)
   values ($1, 'plain', 1, '{{text}}', ${time})`,
  `insert into outrider.credential_bindings
     (workspace_id, auth_ref, platform, secret_ref, updated_at)
   values ($1, 'bot', 'telegram', 'env:BOT', ${time})`,
  `insert into outrider.platform_limits (workspace_id, platform, rate_group, closed_at, closed_auth_ref, updated_at)
   values ($1, 'telegram', 'refused', ${time}, 'bot', ${time})`,
  `insert into outrider.channel_auth (workspace_id, channel_id, auth_ref, rotated_at, updated_at)
   values ($1, 'news', 'bot', ${time}, ${time})`,
  `insert into outrider.message_traces
     (workspace_id, message_id, keys, phones, urls, pictures, words, numbers, word_pairs, noted_at, expires_at)
   select m.workspace_id, m.message_id, '{1}', '{1}', '{}', '{}', '{2}', '{}', '{3}', ${time}, ${time} + interval '3 days'
   from outrider.messages m where m.workspace_id = $1 limit 1`,
  // No message names it.
  `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, ref_count, last_seen_at, created_at)
   values ($1, 'photo', 'https://example.test/photo', 1, ${time}, ${time})`,
  `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, created_at)
   values ($1, 'unused', 'https://example.test/unused', ${time}, ${time})`,
  `insert into outrider.media_blobs
     (workspace_id, blob_ref, provider, auth_ref, file_id, created_at, updated_at)
   values ($1, 'photo', 'telegram', 'bot', 'file-1', ${time}, ${time})`,
  `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
   values ($1, 'feed', 'rss', '{}', ${time}), ($1, 'idle', 'rss', '{}', ${time})`,
  `update outrider.pull_cursors
   set lease_token = gen_random_uuid(), lease_until = ${time} + interval '30 seconds', leased_by = 'run-1'
   where workspace_id = $1 and source_id = 'feed'`,
  `insert into outrider.pull_receipts (workspace_id, source_id, item_ref, received_at)
   values ($1, 'feed', 'item-1', ${time})`,
  `insert into outrider.ingest_runs (workspace_id, run_id, kind, started_at)
   values ($1, 'run-1', 'pull', ${time})`,
  `insert into outrider.alert_targets (workspace_id, alert_target_id, kind, created_at, updated_at)
   values ($1, 'log', 'log', ${time}, ${time})`,
  `insert into outrider.alerts
     (workspace_id, alert_id, kind, fingerprint, severity, summary, opened_at, seen_at)
   values ($1, md5($1::text || 'alert')::uuid, 'dead_letters', 'dead_letters', 'critical', '1 delivery is dead', ${time}, ${time})`,
  `insert into outrider.alert_silences (workspace_id, matches, until, operator, reason, created_at)
   values ($1, 'paused_channels', ${time} + interval '1 hour', 'ann', 'known', ${time})`,
  `insert into outrider.alert_notifications
     (workspace_id, notification_id, alert_target_id, attempts, next_try_at, last_error, created_at, changes, subject, body)
   values ($1, md5($1::text || 'notification')::uuid, 'log', 1, ${time}, 'refused', ${time} - interval '1 hour', '[]', 'test', 'test')`,
  `insert into outrider.ingress_receipts
     (workspace_id, endpoint_id, endpoint_kind, payload_hash, received_at, expires_at)
   values ($1, 'push', 'webhook_push', 'hash', ${time}, ${time} + interval '2 days')`,
  // Of the installation, and not of the workspace.
  `insert into outrider.service_heartbeats (service_id, host, pid, version, roles, started_at, seen_at, ready)
   values (md5($1::text || 'service')::uuid, 'one', 42, '0.1.0', '{upkeep}', ${time}, ${time} + interval '1 minute', true)`,
  `insert into outrider.queue_samples (workspace_id, at, due, scheduled, retrying, claimed, sending)
   values ($1, ${time}, 1, 0, 0, 0, 1)`,
  `insert into outrider.channel_samples (workspace_id, at, channel_id, sent, retried, failed)
   values ($1, ${time}, 'news', 3, 1, 1)`,
  `insert into outrider.sample_rounds (workspace_id, sampled_at, counted_until)
   values ($1, ${time} - interval '1 minute', ${time} - interval '1 minute')`,
  // An orphan: its channel is not there.
  `insert into outrider.event_log (workspace_id, id, channel_id, ts, action, attempt, result)
   values ($1, gen_random_uuid(), 'removed', ${time}, 'channel_disabled', 0, 'ok')`,
  `insert into outrider.raw_payloads
     (workspace_id, payload_ref, kind, object_url, key_id, size_bytes, created_at, expires_at)
   values ($1, 'payload-1', 'request', 'folder:payload-1', 'k1', 100, ${time}, ${time} + interval '1 hour')`,
  `insert into outrider.payload_links
     (workspace_id, token_hash, payload_ref, login, operator, reason, created_at, expires_at)
   values ($1, encode(sha256('link'), 'hex'), 'payload-1', 'somebody', 'ann', 'why', ${time}, ${time} + interval '1 hour')`,
  `insert into outrider.payload_reads (workspace_id, payload_ref, reading, login, operator, reason, read_at)
   values ($1, 'payload-1', 'command', 'somebody', 'ann', 'why', ${time})`,
];

// Without a row in a new table, the tests would not look at it.
async function requireRowsEverywhere(database: TestDatabase, workspaceId: string): Promise<void> {
  const count = z.array(z.object({ count: z.string() }));
  for (const table of await tables(database.admin)) {
    if (!table.tenant || table.partition) continue;
    const { rows } = await database.admin.query(
      `select count(*) from outrider.${table.name} where workspace_id = $1`,
      [workspaceId],
    );
    if (count.parse(rows)[0]?.count === '0') {
      throw new Error(`two-workspaces.ts puts no row into ${table.name}`);
    }
  }
}
