create or replace function outrider.warm_up(p_now timestamptz default clock_timestamp())
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_later constant timestamptz := p_now + interval '1 minute';
  v_id constant text := 'warm-up-' || gen_random_uuid();
  v_secret_hash constant text := encode(sha256(v_id::bytea), 'hex');
  v_outcomes jsonb;
begin
  perform outrider.require_time('warm_up', p_now);
  begin
    insert into outrider.workspaces (workspace_id, name, status, created_at) values (v_id, v_id, 'active', p_now);
    insert into outrider.channels (workspace_id, channel_id, platform, target_id, auth_ref, rate_group, created_at, updated_at)
    select v_id, v_id, p.platform, v_id, v_id, v_id, p_now, p_now from outrider.platforms p order by p.platform limit 1;
    insert into outrider.workspace_endpoints (workspace_id, endpoint_id, kind, secret_hash, created_at, updated_at)
    values (v_id, v_id, 'webhook_push', v_secret_hash, p_now, p_now);

    perform outrider.ingest_push(
      p_secret_hash => v_secret_hash, p_size_bytes => 1, p_raw_payload => '{"text": "warm up"}', p_trace_id => v_id, p_now => p_now);
    select jsonb_agg(jsonb_build_object(
      'delivery_id', c.delivery_id, 'claim_token', c.claim_token, 'ok', true, 'provider_message_id', '1')) into v_outcomes
    from outrider.claim_deliveries(p_workspace_id => v_id, p_run_id => v_id, p_limit => 1, p_now => p_now) c;
    perform outrider.commit_outcomes(p_workspace_id => v_id, p_outcomes => v_outcomes, p_now => p_now);
    perform outrider.ingest_push(p_secret_hash => v_secret_hash, p_size_bytes => 1, p_raw_payload => '{"text": "claim at once"}',
      p_trace_id => v_id, p_claimer => v_id, p_now => v_later);
    raise exception using errcode = 'OR999', message = 'warm_up: undo';
  exception
    when sqlstate 'OR999' then return true;
    when others then return false;
  end;
end;
$$;

comment on function outrider.warm_up is $doc$Makes the query plans of a session, so that no post has to wait for them: accepts a post, claims it and commits it, then
accepts another that is claimed at once. All this happens in a workspace that nobody else sees, and is undone.

Returns: whether it got to the end. If not, nothing is lost: the first post makes the plans.
Raises: OR001.$doc$;

grant execute on function outrider.warm_up to outrider_service;
