create or replace function outrider.claim_deliveries(
  p_workspace_id text,
  p_run_id text,
  p_limit integer,
  p_lease interval default null,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    delivery_id uuid,
    claim_token uuid,
    lease_ms bigint,
    attempt integer,
    outcome_unknown boolean,
    not_before timestamptz,
    trace_id text,
    message_id uuid,
    channel json,
    payload jsonb,
    rendered_text text,
    render_meta jsonb,
    media jsonb
  )
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_memoize = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_token constant uuid := gen_random_uuid();
  v_run_id constant text := outrider.mask_text(outrider.require_run('claim_deliveries', 'run_id', p_run_id, p_limit, p_now));
  v_event_ids constant text := outrider.id_prefix(p_now);
  v_settings record;
  v_lease interval := outrider.require_lease_length('claim_deliveries', p_lease);
  v_setting text; -- takes the result of set_config: a perform would be one more statement
  v_due record;
  v_channels json[];
begin
  -- @plpgsql_check_options: extra_warnings = false
  select s.workspace_id, s.sending_lease, s.claim_per_channel into v_settings
  from outrider.workspace_settings s
  join outrider.workspaces w on w.workspace_id = s.workspace_id
  where s.workspace_id = p_workspace_id and w.status = 'active';
  if not found or not pg_has_role(outrider.acting_login(), 'outrider_service', 'member') then
    perform outrider.require_workspace('claim_deliveries', p_workspace_id);
  end if;
  if v_settings.workspace_id is null then
    return;
  end if;

  v_lease := coalesce(v_lease, v_settings.sending_lease);

  v_setting := set_config('outrider.claiming', 'on', true);
  v_due := outrider.allocate(p_workspace_id, v_token, p_limit, v_settings.claim_per_channel, p_now);
  if v_due.due is null then
    v_setting := set_config('outrider.claiming', 'off', true);
    return;
  end if;
  v_channels := outrider.channels_for_send(p_workspace_id, v_due.channels);

  return query
  with moved as (
    update outrider.deliveries d
    set status = 'sending', attempt = d.attempt + 1, claim_token = v_token, claimed_at = p_now,
        sending_started_at = p_now, not_before = s.slot, next_retry_at = null, updated_at = p_now
    from (
      select u.*, u.ordinality as n
      from unnest(v_due.due) with ordinality as u
      limit cardinality(v_due.due)
    ) s
    where d.ctid = s.delivery_tid and d.status in ('queued', 'retry', 'claimed')
    returning
      d.delivery_id, d.attempt, d.outcome_unknown, d.not_before, d.trace_id, d.message_id, d.channel_id,
      d.rendered_text, d.render_meta, s.lane, s.n
  ),
  logged as (
    insert into outrider.event_log (workspace_id, id, delivery_ids, ts, action, attempt, result, meta)
    select
      p_workspace_id, (v_event_ids || lpad(to_hex(m.n / 100), 8, '0'))::uuid, array_agg(m.delivery_id), p_now, 'send_attempt',
      0, 'ok', jsonb_build_object('run_id', v_run_id)
    from moved m
    group by m.n / 100
  ),
  leased as (
    insert into outrider.leases
      (workspace_id, claim_token, channel_id, run_id, lease_until, lease_length, open_count, delivery_ids)
    select
      p_workspace_id, v_token, m.channel_id, p_run_id, p_now + v_lease, v_lease, count(*), array_agg(m.delivery_id)
    from moved m
    group by m.channel_id
  )
  select
    m.delivery_id, v_token, (extract(epoch from v_lease) * 1000)::bigint, m.attempt, m.outcome_unknown, m.not_before, m.trace_id, m.message_id,
    v_channels[m.lane], g.payload, m.rendered_text, m.render_meta,
    case when g.payload is not null then outrider.media_for_send(p_workspace_id, g.payload, v_channels[m.lane]) end
  from moved m
  left join lateral (
    select x.payload from outrider.messages x
    where outrider.sends_media(m.render_meta) and x.workspace_id = p_workspace_id and x.message_id = m.message_id
    offset 0
  ) g on true;
  v_setting := set_config('outrider.claiming', 'off', true);
end;
$$;

comment on function outrider.claim_deliveries is $doc$Hands the next deliveries of a workspace to one sender: both phases of a claim in one call.

Allocate: each open channel gives its oldest due deliveries a slot (allocate). A delivery whose slot lies ahead rests
in `claimed`, and a later call takes it up. Send: a delivery whose slot has come goes to `sending`, straight from the
queue, with the attempt counted, a lease and a send_attempt event. The lease lasts for p_lease, or for the workspace's
sending_lease when p_lease is null, and can be extended.

Concurrency: locks platform_limits, then channels, each in order. Two claims of one channel run one after the other,
so max_parallel and the pace hold for any number of senders. A delivery that somebody else has locked is skipped, not
waited for.
The setting `outrider.claiming` lets this function move deliveries into `claimed` and `sending`;
deliveries_move_only_as_allowed refuses that without the setting.
Plans: ids stand behind a `limit` whose value is unknown when the plan is made, and the workspace is joined with them,
never given as a restriction. PostgreSQL then expects one id and probes the whole key, whatever statistics it has of
the tables, or none. Other functions that look up many ids do the same. A row that is already locked is found by its
ctid.
Returns: all that a send needs, one row for each delivery that is now `sending` under the new claim token. The lease is
given as a length, to be counted from before the call: a sender's clock need not be right. `payload` is that of the
message; it is null for a delivery that sends no media, of which rendered_text and render_meta say all. `media` says where
the bytes of blobs in the payload are; it is null when there are none.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.claim_deliveries to outrider_worker;
