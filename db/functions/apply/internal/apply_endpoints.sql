-- Brings the endpoints of a workspace to what a document says. An endpoint is never deleted, because receipts refer
-- to it: pruning disables it.
--
-- Two endpoints may exchange their secrets. A secret is unique among enabled endpoints, so an endpoint that gives its
-- secret up to another one gets a random hash first. A new secret, or a new reference to a signing secret, is recorded
-- as an event that contains neither. For the same reason an endpoint that gets another credential, or is disabled, first
-- gives up what it had: a workspace has one bot on a platform (refuse_second_bot), also while it goes from one to another.
-- Concurrency: locks the endpoints in order; intake locks an endpoint first, too.
create or replace function outrider.apply_endpoints(p_document jsonb, p_prune boolean, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_wanted constant jsonb := coalesce(p_document -> 'endpoints', '{}');
  v_before jsonb;
  v_row jsonb;
  v_change jsonb;
  v_id text;
begin
  perform from outrider.workspace_endpoints e where e.workspace_id = v_workspace_id order by e.endpoint_id for no key update;
  select coalesce(jsonb_object_agg(e.endpoint_id, to_jsonb(e)), '{}') into v_before
  from outrider.workspace_endpoints e where e.workspace_id = v_workspace_id;

  for v_id, v_row in select b.key, b.value from jsonb_each(v_before) b where not v_wanted ? b.key order by b.key loop
    if p_prune and p_document ? 'endpoints' and v_row -> 'enabled' = 'true' then
      update outrider.workspace_endpoints e set enabled = false, updated_at = p_now
      where e.workspace_id = v_workspace_id and e.endpoint_id = v_id;
      return next outrider.configuration_change('endpoint', v_id, 'remove', null, 'disabled: its receipts stay');
    else
      return next outrider.unlisted('endpoint', v_id, p_document, p_prune, 'it is disabled');
    end if;
  end loop;

  update outrider.workspace_endpoints e
  set secret_hash = encode(sha256(gen_random_uuid()::text::bytea), 'hex')
  where e.workspace_id = v_workspace_id and v_wanted -> e.endpoint_id ->> 'secret_hash' <> e.secret_hash
    and exists (
      select from jsonb_each(v_wanted) as o where o.key <> e.endpoint_id and o.value ->> 'secret_hash' = e.secret_hash);
  update outrider.workspace_endpoints e
  set auth_ref = case when v_wanted -> e.endpoint_id ->> 'auth_ref' <> e.auth_ref then null else e.auth_ref end,
      enabled = e.enabled and coalesce(v_wanted -> e.endpoint_id -> 'enabled' <> 'false', true)
  where e.workspace_id = v_workspace_id and e.kind = 'bot_webhook'
    and (v_wanted -> e.endpoint_id ->> 'auth_ref' <> e.auth_ref or v_wanted -> e.endpoint_id -> 'enabled' = 'false');

  for v_id, v_row in select w.key, w.value from jsonb_each(v_wanted) w order by w.key loop
    v_change := outrider.apply_row('endpoint', 'workspace_endpoints', v_id,
      jsonb_build_object('workspace_id', v_workspace_id, 'endpoint_id', v_id), v_before -> v_id, v_row, p_now);
    if v_change ->> 'action' = 'change' and v_change -> 'fields' ?| array['secret_hash', 'signing_secret_ref'] then
      perform outrider.write_channel_event(v_workspace_id, null, 'endpoint_secret_changed',
        jsonb_build_object('endpoint_id', v_id), p_now);
    end if;
    return next outrider.with_warnings(v_change, outrider.disabled_warning(v_before -> v_id, v_row),
      outrider.bot_endpoint_warning(v_workspace_id, v_id, p_document));
  end loop;
end;
$$;
