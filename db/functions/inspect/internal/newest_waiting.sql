-- The newest deliveries of some channels that wait: queued, or to be retried; accepted within a span of time.
--
-- Only delivery_queue has what waits, and only in the order of sending. A queue of some thousands is searched as a
-- whole. Of a longer queue, both ends of what is due are searched, and the first of what is not due yet: about 30,000
-- in all.
-- Returns: their ids, newest first.
create or replace function outrider.newest_waiting(
  p_workspace_id text,
  p_channels text[],
  p_statuses outrider.delivery_status[],
  p_within tstzrange,
  p_before bigint,
  p_limit integer
)
  returns uuid[]
  language plpgsql
  stable
as $$
declare
  v_reach constant integer := greatest(p_limit, 10000 / greatest(cardinality(p_channels), 1));
begin
  return array(
    select w.delivery_id
    from (
      select q.delivery_id, q.seq
      from unnest(p_channels) as c (id)
      cross join lateral (
        (
          select n.delivery_id, n.seq from outrider.delivery_queue n
          where n.workspace_id = p_workspace_id and n.channel_id = c.id and n.available_at = '-infinity' and n.seq < p_before
          order by n.available_at desc, n.seq desc
          limit v_reach
        )
        union
        (
          select n.delivery_id, n.seq from outrider.delivery_queue n
          where n.workspace_id = p_workspace_id and n.channel_id = c.id and n.available_at = '-infinity' and n.seq < p_before
          order by n.available_at, n.seq
          limit v_reach
        )
        union
        (
          select n.delivery_id, n.seq
          from (
            select y.delivery_id, y.seq from outrider.delivery_queue y
            where y.workspace_id = p_workspace_id and y.channel_id = c.id and y.available_at > '-infinity'
            order by y.available_at, y.seq
            limit v_reach
          ) n
          where n.seq < p_before
        )
      ) q
    ) w
    cross join lateral (
      select d.workspace_id, d.status, d.created_at from outrider.deliveries d where d.delivery_id = w.delivery_id
      offset 0 -- by the id alone, see next_steps
    ) d
    where d.workspace_id = p_workspace_id and d.status = any (p_statuses)
      and d.created_at <@ p_within
    order by w.seq desc
    limit p_limit
  );
end;
$$;
