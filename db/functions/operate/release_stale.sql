create or replace function outrider.release_stale(
  p_workspace_id text,
  p_older_than interval,
  p_dry_run boolean,
  p_operator text,
  p_reason text,
  p_now timestamptz default clock_timestamp()
)
  returns table (delivery_id uuid, channel_id text, was text, since timestamptz, became text)
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_settings outrider.workspace_settings;
  v_delivery outrider.deliveries;
  v_became outrider.delivery_status;
  v_channels text[] := array[]::text[];
  v_tokens uuid[] := array[]::uuid[];
begin
  perform outrider.require_workspace('release_stale', p_workspace_id);
  perform outrider.require_span('release_stale', 'older_than', p_older_than, interval '1 second', interval '30 days');
  perform outrider.require_flag('release_stale', 'dry_run', p_dry_run);
  perform outrider.require_operator('release_stale', p_operator, p_reason);
  perform outrider.require_time('release_stale', p_now);
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;

  for v_delivery in
    select d.* from outrider.lock_stale(p_workspace_id, p_now - p_older_than, p_now) d
  loop
    v_became := case
      when v_delivery.status = 'claimed' then 'queued'
      when v_delivery.attempt >= v_delivery.attempt_limit then 'dead'
      else 'retry'
    end::outrider.delivery_status;
    if not p_dry_run then
      if v_delivery.status = 'claimed' then
        update outrider.deliveries d
        set status = 'queued', claim_token = null, claimed_at = null, updated_at = p_now
        where d.workspace_id = p_workspace_id and d.delivery_id = v_delivery.delivery_id;
      else
        perform outrider.recover_sending(v_delivery, v_settings, p_now);
        v_channels := v_channels || v_delivery.channel_id;
        v_tokens := v_tokens || v_delivery.claim_token;
      end if;
      perform outrider.write_delivery_event(v_delivery, 'manual_requeue', null,
        jsonb_build_object('operator', p_operator, 'reason', p_reason, 'from_status', v_delivery.status,
          'since', coalesce(v_delivery.sending_started_at, v_delivery.claimed_at)), p_now);
    end if;
    return query select
      v_delivery.delivery_id, v_delivery.channel_id, v_delivery.status::text,
      coalesce(v_delivery.sending_started_at, v_delivery.claimed_at), v_became::text;
  end loop;
  perform outrider.release_leases(
    p_workspace_id, v_channels, v_tokens, array_fill(1::bigint, array[cardinality(v_channels)]));
end;
$$;

comment on function outrider.release_stale is $doc$Gives back deliveries that have been held for too long, on an operator's order: those that a sender began to send more
than p_older_than ago and has not committed, and those with a slot of which nobody made use. recover_leases does this by
itself once a lease is over. This function is for a sender that goes on extending its leases but makes no progress.

A delivery that was being sent may have arrived, so its outcome is unknown. It is tried again after `recovery_backoff`, or is
dead if its attempts are used up. A delivery with a slot goes back to the queue. Neither keeps a place in its channel. What
the sender commits afterwards is stale and changes nothing.
p_dry_run: only says what it would do.
Concurrency: passes over deliveries that are locked, such as by a commit in progress.
Returns: one row for each delivery: what it was, since when, and what it becomes.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.release_stale to outrider_worker;
