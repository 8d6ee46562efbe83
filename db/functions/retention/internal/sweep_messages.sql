-- Deletes messages of a workspace that have no delivery left and were not seen for p_retention, the oldest first.
--
-- Returns: the last one that was looked at, p_limit of them at most, and whether none is left.
create or replace function outrider.sweep_messages(
  p_sweep outrider.retention_sweeps,
  p_limit integer,
  p_retention interval,
  p_now timestamptz,
  out removed integer,
  out looked integer,
  out is_done boolean,
  out created_at timestamptz,
  out message_id uuid
)
  language plpgsql
  volatile
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
declare
  v_before constant timestamptz := p_now - p_retention;
  -- An event that names a message is no later than when the message was seen last.
  v_unseen_since constant timestamptz := least(v_before, outrider.first_event_at(p_sweep.workspace_id));
  v_message record;
  v_ids uuid[] := array[]::uuid[];
begin
  looked := 0;
  is_done := true;
  created_at := p_sweep.message_created_at;
  message_id := p_sweep.message_id;
  for v_message in
    select
      m.message_id, m.created_at,
      m.last_seen_at < v_unseen_since and not exists (
        select from outrider.deliveries d where d.workspace_id = m.workspace_id and d.message_id = m.message_id
      ) as goes
    from outrider.messages m
    where m.workspace_id = p_sweep.workspace_id
      and m.created_at >= p_sweep.message_created_at and m.created_at < v_before
      and (m.created_at, m.message_id) > (p_sweep.message_created_at, p_sweep.message_id)
    order by m.created_at, m.message_id
    limit p_limit + 1
  loop
    is_done := looked < p_limit;
    exit when not is_done;
    looked := looked + 1;
    created_at := v_message.created_at;
    message_id := v_message.message_id;
    if v_message.goes then
      v_ids := v_ids || v_message.message_id;
    end if;
  end loop;
  removed := outrider.remove_messages(p_sweep.workspace_id, v_ids, v_unseen_since);
end;
$$;
