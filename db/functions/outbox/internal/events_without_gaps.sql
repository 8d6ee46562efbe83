-- Keeps those of the locked events p_ids whose earlier unpublished events (same aggregate) are all in p_ids too.
--
-- Call it in a statement of its own, so that it sees what was committed while the events were being locked.
create or replace function outrider.events_without_gaps(p_ids uuid[])
  returns uuid[]
  language plpgsql
  stable
as $$
begin
  return array(
    select w.id
    from (
      select w.id, bool_and(w.id = any (p_ids)) over (
        partition by l.aggregate_type, l.aggregate_id order by w.created_at, w.id
        rows between unbounded preceding and current row) as is_unbroken
      from (
        select e.aggregate_type, e.aggregate_id, count(*) as events
        from unnest(p_ids) as u (id)
        cross join lateral (
          select x.aggregate_type, x.aggregate_id from outrider.outbox_events x
          where x.id = u.id
          offset 0 -- by its key, one by one
        ) e
        group by e.aggregate_type, e.aggregate_id
      ) l
      cross join lateral outrider.sequence_of(l.aggregate_type, l.aggregate_id, l.events) w
    ) w
    where w.is_unbroken
  );
end;
$$;
