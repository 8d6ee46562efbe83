create or replace function outrider.mark_published(p_event_ids uuid[], p_now timestamptz default clock_timestamp())
  returns table (event_id uuid)
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
begin
  perform outrider.require_list('mark_published', 'event_ids', p_event_ids, p_now);

  return query
  update outrider.outbox_events e
  set published_at = p_now, last_error = null
  from (
    select distinct u.id from unnest(p_event_ids) as u (id)
    order by u.id -- every call locks in this order
    limit cardinality(p_event_ids)
  ) x
  where e.id = x.id and num_nulls(e.published_at) = 1
  returning e.id;
end;
$$;

comment on function outrider.mark_published is $doc$Records that a broker has stored events, in the transaction that fetched them.

When an event that failed before is published, the events that waited for it are released.
Returns: the ids of the events that were not published yet. If an id is missing, another publisher published its event,
and consumers may see it twice.
Raises: OR001.$doc$;

grant execute on function outrider.mark_published to outrider_publisher;
