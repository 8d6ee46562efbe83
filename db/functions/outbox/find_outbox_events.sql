create or replace function outrider.find_outbox_events(p_part text)
  returns table (event_id uuid, event_type text, created_at timestamptz)
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
#variable_conflict use_column
declare
  v_span constant record := outrider.id_span('find_outbox_events', p_part);
begin
  return query
  select e.id, e.event_type::text, e.created_at
  from outrider.outbox_events e
  where e.id >= v_span.first and e.id <= v_span.last
  order by e.id desc
  limit 10;
end;
$$;

comment on function outrider.find_outbox_events is $doc$The events of the outbox whose ids begin with p_part, for users who write only the beginning of an id.

Returns: at most 10, the newest first.
Raises: OR001.$doc$;

grant execute on function outrider.find_outbox_events to outrider_service;
