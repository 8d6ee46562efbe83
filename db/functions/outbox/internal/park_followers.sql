-- Defers due events that must wait for an earlier event of their aggregate: moves their not_before in outbox_backoff to
-- a time when the head of their sequence has had its turn. Only untried events are parked in outbox_parked.
-- Such events exist when events were published without the order before, or when an earlier event was committed late.
--
-- Concurrency: events that another publisher has locked are left to that publisher.
-- Returns: p_ids, with null in the place of each event that is not the head of its sequence.
create or replace function outrider.park_followers(p_ids uuid[], p_max_attempts integer, p_now timestamptz)
  returns uuid[]
  language plpgsql
  volatile
as $$
declare
  v_heads uuid[];
  v_followers uuid[];
  v_until timestamptz[];
begin
  select
    array_agg(case when l.id = l.head_id then l.id end order by l.place),
    array_agg(l.id) filter (where l.id <> l.head_id),
    array_agg(coalesce(l.stuck_until + interval '1 millisecond', p_now + interval '1 second')) filter (where l.id <> l.head_id)
  into v_heads, v_followers, v_until
  from outrider.sequences_of(p_ids, p_max_attempts, p_now) l;

  update outrider.outbox_backoff b
  set not_before = f.until
  from (
    select x.event_id, u.until
    from (
      select u.id, u.until from unnest(v_followers, v_until) as u (id, until)
      limit cardinality(v_followers)
    ) u
    join outrider.outbox_events e on e.id = u.id and num_nulls(e.published_at) = 1
    join outrider.outbox_backoff x on x.event_id = u.id and x.not_before <= p_now
    for update of e, x skip locked
  ) f
  where b.event_id = f.event_id;
  return v_heads;
end;
$$;
