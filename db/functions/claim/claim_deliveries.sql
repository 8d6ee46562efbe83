-- Hands the next deliveries of a workspace to one sender: both phases of a claim in one call.
--
-- Allocate: each open channel gives its oldest due deliveries a slot (allot_slots). Send: those whose
-- slot is due go to `sending` at once, with the attempt counted, a lease and a send_attempt event;
-- those whose slot lies ahead rest in `claimed`, and a later call takes them up.
--
-- Concurrency: locks platform_limits, then channels, each in order; two claims of one channel come one
-- after the other, so max_parallel and the pace hold for any number of senders. The queue rows of a
-- locked channel have no other taker.
-- Returns: all that a send needs, one row for each delivery now `sending` under the new claim token.
-- Raises: OR001, OR002, OR003.
create or replace function outrider.claim_deliveries(
  p_workspace_id text,
  p_run_id text,
  p_limit integer,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    delivery_id uuid,
    claim_token uuid,
    lease_until timestamptz,
    attempt integer,
    outcome_unknown boolean,
    not_before timestamptz,
    trace_id text,
    message_id uuid,
    channel jsonb,
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
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_memoize = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_token constant uuid := gen_random_uuid();
  v_settings outrider.workspace_settings;
  v_lanes record;
  v_slots record;
begin
  perform outrider.require_workspace('claim_deliveries', p_workspace_id);
  perform outrider.require_run('claim_deliveries', p_run_id, p_limit, p_now);

  select s.* into v_settings
  from outrider.workspace_settings s
  join outrider.workspaces w on w.workspace_id = s.workspace_id
  where s.workspace_id = p_workspace_id and w.status = 'active';
  if not found then
    return;
  end if;

  select
    array_agg(l.channel_id) filter (where l.open) as channels,
    array_agg(l.channel_tid) filter (where l.open) as channel_tids,
    array_agg(l.allowance) filter (where l.open) as allowances,
    array_agg(l.step) filter (where l.open) as steps,
    array_agg(l.next_slot) filter (where l.open) as next_slots,
    array_agg(l.group_no) filter (where l.open) as groups,
    array_agg(l.group_tid) filter (where l.open) as group_tids,
    array_agg(l.group_step) filter (where l.open) as group_steps,
    array_agg(l.group_next_slot) filter (where l.open) as group_next_slots,
    array_agg(l.channel_id) filter (where not l.open and l.resting > 0) as closed
  into v_lanes
  from outrider.lock_lanes(p_workspace_id, p_limit, v_settings.claim_per_channel, p_now) l;

  if v_lanes.closed is not null then
    perform outrider.return_resting(p_workspace_id, v_lanes.closed, p_now);
  end if;
  if v_lanes.channels is null then
    return;
  end if;

  perform outrider.promote_due(p_workspace_id, v_lanes.channels, 10 * p_limit, p_now);

  v_slots := outrider.allot_slots(
    p_workspace_id, p_limit, p_now,
    v_lanes.channels, v_lanes.channel_tids, v_lanes.allowances, v_lanes.steps, v_lanes.next_slots,
    v_lanes.groups, v_lanes.group_tids, v_lanes.group_steps, v_lanes.group_next_slots
  );

  if v_slots.ahead_ids is not null then
    perform outrider.rest_until_slot(
      p_workspace_id, v_token, v_slots.ahead_tids, v_slots.ahead_ids, v_slots.ahead_slots, p_now);
  end if;
  if v_slots.due_ids is not null then
    delete from outrider.delivery_queue q where q.ctid = any (v_slots.due_tids);
    return query
    select * from outrider.start_sending(
      p_workspace_id, p_run_id, v_token, v_lanes.channels, v_slots.due_ids, v_slots.due_slots,
      p_now + v_settings.sending_lease, p_now);
  end if;
end;
$$;

grant execute on function outrider.claim_deliveries to outrider_worker;
