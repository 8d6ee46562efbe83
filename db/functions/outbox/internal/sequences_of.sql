-- The sequence of each event: the unpublished events of its aggregate, in their order. Its head is the earliest of them.
-- A sequence is stuck while its head is in backoff or given up. A head that was given up is looked at again after ten
-- minutes.
--
-- Returns: one row for each event, numbered in the order of p_ids; stuck_until is null when the sequence is not stuck.
create or replace function outrider.sequences_of(p_ids uuid[], p_max_attempts integer, p_now timestamptz)
  returns table (id uuid, head_id uuid, stuck_until timestamptz, place bigint)
  language plpgsql
  stable
  set enable_sort = off
  set enable_incremental_sort = off
as $$
begin
  return query
  select
    u.id, h.id,
    case
      when h.attempt_count >= p_max_attempts or b.given_up = 'refused' then p_now + interval '10 minutes'
      when h.attempt_count > 0 and b.not_before > p_now then b.not_before
    end,
    u.place
  from unnest(p_ids) with ordinality as u (id, place)
  cross join lateral (
    select x.aggregate_type, x.aggregate_id from outrider.outbox_events x
    where x.id = u.id
    offset 0 -- by its key, one by one
  ) e
  left join lateral (
    select x.aggregate_type, x.aggregate_id, x.id, x.attempt_count from outrider.outbox_events x
    where (x.aggregate_type, x.aggregate_id, x.created_at) > (e.aggregate_type, e.aggregate_id, timestamptz '-infinity')
      and x.published_at is null
    order by x.aggregate_type, x.aggregate_id, x.created_at, x.id
    limit 1
  ) h on h.aggregate_type = e.aggregate_type and h.aggregate_id = e.aggregate_id
  left join outrider.outbox_backoff b on b.event_id = h.id;
end;
$$;
