// A database that has been used for nine days: five large workspaces and a thousand small ones, 100,000 deliveries,
// more than 200,000 events, and all that belongs to them. Its outbox has 30,000 events. 4,000 of these wait, and 3,000
// of those that wait have failed before.

import { ensureEventPartitions } from '../../../src/db/events.ts';
import { botRows } from '../bot/bots-in-use.ts';
import { fill } from './bulk-rows.ts';
import { after, start } from './seed.ts';
import type { TestDatabase } from './test-database.ts';

/** The end of the nine days. The last fifty messages of each large workspace are still on their way. */
export const present = start;

const statements = [
  `create temporary table numbers as select n from generate_series(1, 10000) n`,
  `create temporary table tenants as
     select 'w' || n as id, 40 as channels, true as large from generate_series(1, 5) n
     union all
     select 's' || n, 4, false from generate_series(1, 1000) n`,

  `insert into outrider.workspaces (workspace_id, name, created_at) select id, id, $1 from tenants`,
  `insert into outrider.workspace_settings (workspace_id) select id from tenants`,
  `insert into outrider.channels
     (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, enabled, tags, created_at, updated_at)
   select id, 'c' || n, 'telegram', '-100' || n, 'bot', 'bot', n % 10 <> 0, array['topic' || n % 7, 'city' || n], $1, $1
   from tenants, numbers where n <= channels`,

  `insert into outrider.messages
     (workspace_id, message_id, content_hash, source_ref, payload, tags, first_seen_trace_id, last_seen_at, created_at)
   select id, md5(id || n)::uuid, encode(sha256((id || n)::bytea), 'hex'), 'post-' || id || '-' || n,
     '{"type": "text", "text": "Lost: a ginger dog near the station"}',
     array['topic' || n % 7, 'story' || n], 'trace', seen, seen
   from tenants, numbers
   cross join lateral (select $1::timestamptz - (500 - n) * interval '25 minutes' as seen) s
   where large and n <= 500`,

  // The state of a delivery follows from its number: most are sent, a few are in each other state.
  `create temporary table plan as
   select
     id, n, m, md5(id || n)::uuid as message_id, 'c' || m as channel_id,
     $1::timestamptz - (500 - n) * interval '25 minutes' as at,
     case
       when n > 450 then (array['queued', 'retry', 'claimed', 'sending'])[1 + (n + m) % 4]
       when (n * 40 + m) % 100 = 0 then 'failed_permanent'
       when (n * 40 + m) % 500 = 1 then 'dead'
       when (n * 40 + m) % 50 = 3 then 'deduped'
       else 'sent'
     end as status
   from tenants, numbers, generate_series(1, 40) m
   where large and n <= 500`,
  `insert into outrider.deliveries
     (workspace_id, delivery_id, status, attempt, attempt_limit, not_before, next_retry_at, claim_token,
      claimed_at, sending_started_at, earlier_attempts, sent_at, provider_message_id, failed_at, last_error, message_id,
      channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text, created_at, updated_at)
   select
     id, md5(id || '/' || n || '/' || m)::uuid, status::outrider.delivery_status,
     case when status in ('queued', 'deduped') then 0 else 1 end, 5, at,
     case when status = 'retry' then at + interval '4 hours' end,
     case when status in ('claimed', 'sending') then md5(id || n || '-' || m)::uuid end,
     case when status in ('claimed', 'sending') then at end,
     case status when 'sending' then at when 'sent' then at + interval '4 seconds' end,
     case when status in ('failed_permanent', 'dead') then array[at + interval '4 seconds'] end,
     case when status = 'sent' then at + interval '5 seconds' end, case when status = 'sent' then '42' end,
     case when status in ('failed_permanent', 'dead') then at + interval '1 minute' end,
     case when status = 'failed_permanent' then '{"scope": "delivery", "code": "400"}'::jsonb end,
     message_id, channel_id, case when status <> 'deduped' then 1 end, 1, 'trace',
     encode(sha256((id || n)::bytea), 'hex'), 'Lost: a ginger dog near the station', at, at
   from plan order by at`,
  `insert into outrider.delivery_queue (workspace_id, channel_id, available_at, seq, delivery_id, claimed)
   select workspace_id, channel_id,
     case status when 'queued' then '-infinity' when 'retry' then next_retry_at else not_before end,
     seq, delivery_id, status = 'claimed'
   from outrider.deliveries where status in ('queued', 'retry', 'claimed')`,
  `insert into outrider.leases
     (workspace_id, claim_token, channel_id, run_id, lease_until, lease_length, open_count, delivery_ids)
   select workspace_id, claim_token, channel_id, 'run', max(claimed_at) + interval '5 minutes', '30 seconds', count(*),
     array_agg(delivery_id)
   from outrider.deliveries where status = 'sending' group by workspace_id, claim_token, channel_id`,

  `create temporary table past as
   select d.*, a.action::outrider.event_action, d.created_at + a.after as ts, a.result::outrider.event_result
   from outrider.deliveries d
   join (values
     ('enqueue', interval '0', 'ok', '{queued,sent,failed_permanent,dead}'),
     ('send_attempt', interval '4 seconds', 'ok', '{sent,failed_permanent,dead}'),
     ('sent', interval '5 seconds', 'ok', '{sent}'),
     ('failed_permanent', interval '1 minute', 'error', '{failed_permanent}'),
     ('dead_letter', interval '1 minute', 'error', '{dead}')
   ) as a (action, after, result, statuses) on d.status::text = any (a.statuses::text[])`,
  // Two workspaces have their events in today's packed form, the others in the form before it.
  `insert into outrider.event_log (workspace_id, id, message_id, delivery_ids, ts, action, attempt, result, meta)
   select workspace_id, gen_random_uuid(), case action when 'enqueue' then message_id end, array_agg(delivery_id), ts,
     action, 0, result, '{"run_id": "run"}'
   from past where workspace_id in ('w3', 'w4') and result = 'ok'
   group by workspace_id, message_id, ts, action, result`,
  `insert into outrider.event_log
     (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, error)
   select workspace_id, gen_random_uuid(), delivery_id, message_id, channel_id, ts, action,
     case action when 'enqueue' then 0 else 1 end, result, case result when 'error' then '{"code": "400"}'::jsonb end
   from past where workspace_id not in ('w3', 'w4') or result = 'error'`,
  `insert into outrider.event_log (workspace_id, id, channel_id, message_id, ts, action, attempt, result)
   select id, gen_random_uuid(), case when n % 2 = 0 then 'c' || 1 + n % 40 end,
     case when n % 2 = 1 then md5(id || 1 + n % 500)::uuid end, $1::timestamptz - n * interval '20 minutes',
     (case n % 2 when 0 then 'channel_paused' else 'message_tag_mismatch' end)::outrider.event_action, 0, 'ok'
   from tenants, numbers where large and n <= 600`,

  `insert into outrider.workspace_endpoints (workspace_id, endpoint_id, kind, secret_hash, created_at, updated_at)
   select id, kind, kind::outrider.endpoint_kind, encode(sha256((id || kind)::bytea), 'hex'), $1, $1
   from tenants, unnest(array['webhook_push', 'bot_webhook']) kind`,
  `insert into outrider.ingress_receipts
     (workspace_id, endpoint_id, endpoint_kind, source_ref, payload_hash, received_at, expires_at)
   select id, 'webhook_push', 'webhook_push', case when n % 2 = 0 then 'post-' || n end, md5(n::text), at, at + interval '2 days'
   from tenants, numbers cross join lateral (select $1::timestamptz - n * interval '20 seconds' as at) t where large`,
  `insert into outrider.pull_sources (workspace_id, source_id, kind, config_json, created_at)
   select id, 'feed' || n, 'rss', '{}', $1 from tenants, numbers where n <= 5`,
  // The triggers sleep. A few sources are due.
  `insert into outrider.pull_cursors (workspace_id, source_id, cursor_json, updated_at, next_pull_at)
   select workspace_id, source_id, '{}', $1,
     $1::timestamptz + (row_number() over (order by workspace_id, source_id) - 8) * interval '1 minute'
   from outrider.pull_sources`,
  `insert into outrider.pull_receipts (workspace_id, source_id, item_ref, received_at)
   select id, 'feed1', 'item-' || n, $1 from tenants, numbers where large`,
  `insert into outrider.ingest_runs (workspace_id, run_id, kind, started_at)
   select id, 'run-' || n, 'pull', $1::timestamptz - n * interval '5 minutes' from tenants, numbers where large and n <= 2500`,
  `insert into outrider.retention_sweeps (workspace_id, due_at) select id, $1 from tenants`,
  `insert into outrider.media_origin (workspace_id, blob_ref, origin_url, last_seen_at, ref_count, created_at)
   select id, 'blob-' || n, 'file:' || n, $1::timestamptz - n * interval '1 hour', n % 20, $1
   from tenants, numbers where large and n <= 2500`,
  `insert into outrider.media_blobs (workspace_id, blob_ref, provider, auth_ref, file_id, created_at, updated_at)
   select id, 'blob-' || n, 'telegram', 'bot', n, $1, $1 from tenants, numbers where large and n <= 2500`,
  // Every message has a phone number, which one in a hundred has in common with others.
  `insert into outrider.message_traces
     (workspace_id, message_id, keys, phones, urls, pictures, words, numbers, word_pairs, noted_at, expires_at)
   select workspace_id, message_id, array[hash], array[hash], '{}', '{}', '{1,2,3}', '{}', '{1,2}', created_at,
     created_at + interval '8 days'
   from outrider.messages
   cross join lateral (select hashtextextended(workspace_id || right(content_hash, 2), 0) as hash) h`,
  `insert into outrider.raw_payloads
     (workspace_id, payload_ref, kind, object_url, key_id, size_bytes, created_at, expires_at)
   select id, 'payload-' || n, 'request', 'folder:' || n, 'k1', 1000, at, at + interval '14 days'
   from tenants, numbers cross join lateral (select $1::timestamptz - n * interval '10 minutes' as at) t
   where large and n <= 2500`,
  `insert into outrider.processed_events (consumer, event_id, state, expires_at)
   select consumer, md5(consumer || '/' || n)::uuid, 'processed', $1::timestamptz + (n - 2000) * interval '1 minute'
   from numbers, unnest(array['mailer', 'ledger']) consumer`,

  `insert into outrider.alert_targets (workspace_id, alert_target_id, kind, created_at, updated_at)
   select id, 'log', 'log', $1, $1 from tenants`,
  `insert into outrider.alerts
     (workspace_id, alert_id, kind, fingerprint, severity, summary, opened_at, seen_at, resolved_at)
   select id, md5(id || 'alert' || n)::uuid, 'channel_disabled', 'channel_disabled:c' || n, 'critical', 'it is disabled', x.at, x.at,
     case when n > 20 then x.at + interval '30 seconds' end
   from tenants, numbers cross join lateral (select $1::timestamptz - n * interval '1 minute' as at) x where large and n <= 3000`,
  `insert into outrider.alert_notifications
     (workspace_id, notification_id, alert_target_id, status, attempts, next_try_at, last_error, created_at, ended_at, changes, subject, body)
   select id, md5(id || 'notification' || n)::uuid, 'log', x.status::outrider.notification_status, 1, x.at, x.error, x.at,
     case when x.status <> 'queued' then x.at end, '[]', 'alerts', 'alerts'
   from tenants, numbers
   cross join lateral (
     select $1::timestamptz - n * interval '1 minute' as at, case when n % 100 = 0 then 'it is away' end as error,
       case when n % 200 = 0 then 'failed' when n % 100 = 0 then 'queued' else 'sent' end as status
   ) x
   where large and n <= 3000`,
  ...botRows,
  `insert into outrider.outbox_events
     (id, event_type, aggregate_type, aggregate_id, payload_json, created_at, published_at, attempt_count, last_error)
   select x.id,
     (enum_range(null::outrider.event_type_enum))[1 + n % 12], 'vendor_order', md5((n % 3000)::text)::uuid,
     jsonb_build_object('version', 1, 'eventId', x.id, 'occurredAt', '', 'data', '{}'::jsonb), x.at,
     case when n <= 26000 then x.at + interval '1 second' end, case when n > 27000 then 1 + n % 3 else 0 end,
     case when n > 27000 then 'the broker refused it' end
   from (
     select n, md5('event ' || n)::uuid as id, $1::timestamptz - (30000 - n) * interval '10 seconds' as at
     from generate_series(1, 30000) n
   ) x`,
  `insert into outrider.outbox_backoff (event_id, attempt_count, not_before, failed_at, given_up)
   select id, attempt_count,
     case when refused then 'infinity' else created_at + attempt_count * interval '1 hour' end, created_at,
     case when refused then 'refused' end
   from outrider.outbox_events, lateral (select id::text like '0%' as refused) x where attempt_count > 0`,
];

export async function populate(database: TestDatabase): Promise<void> {
  await ensureEventPartitions(database.service, 9, after(-9 * 86_400, present));
  await fill(
    database.admin,
    statements.map((text) => ({ text, values: text.includes('$1') ? [present] : [] })),
  );
  await database.admin.query('vacuum analyze');
}
