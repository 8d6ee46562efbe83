-- Moves deliveries to `sending` under a claim token: counts the attempt, writes the lease and the
-- send_attempt event, and returns all that a send needs.
--
-- A delivery that already has its provider id is never sent again.
-- Concurrency: the channels are locked and the queue rows taken by the caller.
create or replace function outrider.start_sending(
  p_workspace_id text,
  p_run_id text,
  p_token uuid,
  p_channels text[],
  p_delivery_ids uuid[],
  p_slots timestamptz[],
  p_lease_until timestamptz,
  p_now timestamptz
)
  returns table (
    delivery_id uuid, claim_token uuid, lease_until timestamptz, attempt integer, outcome_unknown boolean,
    not_before timestamptz, trace_id text, message_id uuid, channel jsonb, payload jsonb,
    rendered_text text, render_meta jsonb, media jsonb
  )
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
#variable_conflict use_column
declare
  v_channels jsonb;
begin
  -- Once per channel, not per delivery.
  select
    jsonb_object_agg(
      c.channel_id,
      jsonb_build_object(
        'channel_id', c.channel_id, 'platform', c.platform, 'target_id', c.target_id, 'auth_ref', a.auth_ref,
        'secret_ref', b.secret_ref, 'rate_group', c.rate_group, 'settings', c.settings
      )
    )
  into v_channels
  from outrider.channels c
  left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
  cross join lateral (select coalesce(r.auth_ref, c.auth_ref) as auth_ref) a
  left join outrider.credential_bindings b on b.workspace_id = c.workspace_id and b.auth_ref = a.auth_ref
  where c.workspace_id = p_workspace_id and c.channel_id = any (p_channels);

  return query
  with moved as (
    update outrider.deliveries d
    set status = 'sending', attempt = d.attempt + 1, claim_token = p_token, claimed_at = p_now,
        sending_started_at = p_now, not_before = s.slot, next_retry_at = null, updated_at = p_now
    from unnest(p_delivery_ids, p_slots) as s (delivery_id, slot)
    where d.workspace_id = p_workspace_id and d.delivery_id = s.delivery_id
      and d.status in ('queued', 'retry', 'claimed')
      and d.provider_message_id is null
    returning
      d.delivery_id, d.attempt, d.outcome_unknown, d.not_before, d.trace_id, d.message_id, d.channel_id,
      d.rendered_text, d.render_meta
  ),
  logged as (
    insert into outrider.events
      (workspace_id, id, delivery_id, message_id, channel_id, ts, action, attempt, result, meta)
    select
      p_workspace_id, gen_random_uuid(), m.delivery_id, m.message_id, m.channel_id, p_now,
      'send_attempt', m.attempt, 'ok',
      jsonb_object(
        array['trace_id', 'run_id', 'idempotency_key'], array[m.trace_id, p_run_id, m.delivery_id::text])
    from moved m
  ),
  leased as (
    insert into outrider.leases
      (workspace_id, claim_token, channel_id, run_id, lease_until, open_count, delivery_ids)
    select p_workspace_id, p_token, m.channel_id, p_run_id, p_lease_until, count(*), array_agg(m.delivery_id)
    from moved m
    group by m.channel_id
  )
  select
    m.delivery_id, p_token, p_lease_until, m.attempt, m.outcome_unknown, m.not_before, m.trace_id, m.message_id,
    c.channel, g.payload, m.rendered_text, m.render_meta,
    case when g.payload ? 'media' then outrider.media_for_send(p_workspace_id, g.payload, c.channel) end
  from moved m
  cross join lateral (select v_channels -> m.channel_id as channel) c
  join outrider.messages g on g.workspace_id = p_workspace_id and g.message_id = m.message_id;
end;
$$;
