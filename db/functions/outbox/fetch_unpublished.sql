create or replace function outrider.fetch_unpublished(
  p_limit integer,
  p_max_attempts integer,
  p_order outrider.publish_order,
  p_now timestamptz default clock_timestamp()
)
  returns table (
    event_id uuid,
    event_type text,
    aggregate_type text,
    aggregate_id uuid,
    payload text,
    created_at text,
    attempt_count integer
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
  v_share constant integer := greatest(1, p_limit / 2);
  v_again integer;
  v_ids uuid[];
begin
  perform outrider.require_count('fetch_unpublished', p_limit, 1000);
  if p_order is null then
    raise exception using errcode = 'OR001', message = 'fetch_unpublished: order is missing; none and aggregate are allowed';
  end if;
  perform outrider.require_publishing('fetch_unpublished', p_max_attempts, p_now);

  v_ids := outrider.take_due(v_share, p_max_attempts, p_order, '{}', p_now);
  v_again := cardinality(v_ids);
  if p_order = 'aggregate' then
    v_ids := outrider.take_untried_in_order(p_limit, p_max_attempts, v_ids, p_now);
  else
    v_ids := v_ids || outrider.take_untried(p_limit - v_again);
  end if;
  if v_again = v_share and cardinality(v_ids) < p_limit then
    v_ids := v_ids || outrider.take_due(p_limit - cardinality(v_ids), p_max_attempts, p_order, v_ids, p_now);
  end if;
  if p_order = 'aggregate' then
    v_ids := outrider.events_without_gaps(v_ids);
  end if;

  return query
  select
    e.id, e.event_type::text, e.aggregate_type::text, e.aggregate_id, e.payload_json::text,
    outrider.iso_time(e.created_at), e.attempt_count
  from unnest(v_ids) as u (id)
  cross join lateral (
    select x.* from outrider.outbox_events x
    where x.id = u.id
    offset 0 -- by its key, one by one
  ) e
  order by e.created_at, e.id;
end;
$$;

comment on function outrider.fetch_unpublished is $doc$Takes the next events for one publisher. Call it inside the transaction that then publishes and marks them: they stay
locked until the transaction ends, and are free again if it is rolled back.

Oldest first (created_at, id). Left out: events that another publisher holds, events that failed p_max_attempts times,
and events whose backoff has not ended. Events that failed before get half of a batch while others wait, so that neither
kind holds up the other; among them, those whose backoff ended first come first.
With the order `aggregate` an event also waits while an earlier event of its aggregate is not published, whatever the
reason. A batch then holds the first events of each aggregate, without a gap, in order.

Concurrency: never waits; any number of publishers get different events. No event is missed: one that is committed late
is found by the next call, whatever its created_at.
Plans: the cost follows the size of the batch, not the backlog, the history or the failures.
Returns: what a broker needs, in the order (created_at, id).
Raises: OR001.$doc$;

grant execute on function outrider.fetch_unpublished to outrider_publisher;
