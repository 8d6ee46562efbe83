-- Deletes deliveries of a workspace that ended long enough ago: those that failed, by when they did; then, channel by
-- channel and the oldest first, those that were sent or suppressed.
--
-- None goes before its last event: the view of events tells the times of packed ones from their delivery.
-- Returns: where it has come to, and whether nothing is left.
create or replace function outrider.sweep_deliveries(
  p_sweep outrider.retention_sweeps,
  p_limit integer,
  p_retention interval,
  p_now timestamptz,
  out removed integer,
  out looked integer,
  out is_done boolean,
  out channel_id text,
  out seq bigint
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
  v_first_event constant timestamptz := outrider.first_event_at(p_sweep.workspace_id);
  v_channel record;
  v_swept record;
begin
  channel_id := p_sweep.channel_id;
  seq := p_sweep.seq;

  delete from outrider.deliveries d
  using (
    select x.workspace_id, x.delivery_id from outrider.deliveries x
    where x.workspace_id = p_sweep.workspace_id and x.failed_at < least(p_now - p_retention, v_first_event)
      and x.updated_at < v_first_event
    order by x.failed_at
    limit p_limit
    for update skip locked
  ) old
  where d.workspace_id = old.workspace_id and d.delivery_id = old.delivery_id;
  get diagnostics removed = row_count;
  looked := removed;
  is_done := looked < p_limit;

  for v_channel in
    select c.channel_id, c.dedup_ttl_hours from outrider.channels c
    where c.workspace_id = p_sweep.workspace_id
      and (c.channel_id > p_sweep.channel_id or (c.channel_id = p_sweep.channel_id and p_sweep.seq is not null))
    order by c.channel_id
  loop
    is_done := looked < p_limit;
    exit when not is_done;
    v_swept := outrider.sweep_channel(
      p_sweep.workspace_id, v_channel.channel_id,
      case v_channel.channel_id when p_sweep.channel_id then p_sweep.seq else 0 end, p_limit - looked,
      p_now - outrider.kept_for(p_retention, v_channel.dedup_ttl_hours), v_first_event, p_now);
    channel_id := v_channel.channel_id;
    seq := case when not v_swept.is_done then v_swept.seq end;
    removed := removed + v_swept.removed;
    looked := looked + 1 + v_swept.looked;
    is_done := v_swept.is_done;
    exit when not is_done;
  end loop;
end;
$$;
