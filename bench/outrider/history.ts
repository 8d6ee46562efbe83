import type pg from 'pg';

/** Deliveries that were sent long ago, spread over the channels of the workspace, with their events. */
export async function addHistory(
  admin: pg.Client,
  workspaceId: string,
  deliveries: number,
): Promise<void> {
  const perStatement = 100_000;
  for (let done = 0; done < deliveries; done += perStatement) {
    await admin.query(sentDeliveries, [workspaceId, Math.min(perStatement, deliveries - done)]);
  }
  await admin.query('vacuum analyze');
}

// A delivery starts as queued and leaves the queue when it is claimed; history has been through both.
const sentDeliveries = `
  with target as (
    select channel_id from outrider.channels where workspace_id = $1
  ),
  fresh as (
    insert into outrider.messages
      (workspace_id, message_id, content_hash, payload, first_seen_trace_id, last_seen_at, created_at)
    select $1, uuidv7(interval '-10 days'), encode(sha256(gen_random_uuid()::text::bytea), 'hex'),
      '{"type": "text", "text": "Found: the ginger dog"}', 'bench', now() - interval '10 days', now() - interval '10 days'
    from generate_series(1, ceil($2 / (select count(*) from target)::numeric))
    returning message_id, content_hash, created_at
  ),
  queued as (
    insert into outrider.deliveries
      (workspace_id, delivery_id, status, attempt, attempt_limit, not_before, updated_at, created_at, message_id,
       channel_id, occurrence, hash_version, trace_id, content_hash, rendered_text, claimed_at, sending_started_at,
       sent_at, provider_message_id)
    select $1, uuidv7(interval '-10 days'), 'sent', 1, 5, f.created_at, f.created_at, f.created_at, f.message_id,
      t.channel_id, 1, 1, f.message_id::text, f.content_hash, 'Found', f.created_at, f.created_at, f.created_at, '1'
    from fresh f cross join target t
    limit $2
    returning delivery_id, message_id, channel_id, created_at, trace_id
  )
  insert into outrider.events
    (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, meta)
  select $1, gen_random_uuid(), q.delivery_id, q.message_id, q.channel_id, q.created_at, a::outrider.event_action, 1, 'ok',
    jsonb_build_object('trace_id', q.trace_id)
  from queued q cross join unnest(array['send_attempt', 'sent']) a`;
