-- The newest deliveries of some channels: of any state, or of some; accepted within a span of time.
--
-- No index has the state or that time, so the newest deliveries of each channel are searched. A backlog may lie in
-- front of the sent ones: when these are asked for, the deliveries before the first that is due are searched too. About
-- 20,000 in all.
-- Returns: their ids, newest first.
create or replace function outrider.newest_of_channels(
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
  v_takes_all constant boolean := p_statuses is null and upper_inf(p_within);
  v_reach constant integer :=
    case when v_takes_all then p_limit else greatest(p_limit, 10000 / greatest(cardinality(p_channels), 1)) end;
  v_channels text[] := p_channels;
begin
  if v_takes_all then
    -- Only the p_limit channels with the newest deliveries can hold one of the p_limit newest.
    v_channels := array(
      select c.id
      from unnest(p_channels) as c (id)
      cross join lateral (
        select d.seq from outrider.deliveries d
        where d.workspace_id = p_workspace_id and d.channel_id = c.id and d.seq < p_before
        order by d.seq desc
        limit 1
      ) d
      order by d.seq desc
      limit p_limit
    );
  end if;

  return array(
    select x.delivery_id
    from (
      select d.delivery_id, d.seq
      from unnest(v_channels) as c (id)
      cross join lateral (
        select b.delivery_id, b.seq
        from (
          select y.delivery_id, y.seq, y.status, y.created_at from outrider.deliveries y
          where y.workspace_id = p_workspace_id and y.channel_id = c.id and y.seq < p_before
          order by y.seq desc
          limit v_reach
        ) b
        where (p_statuses is null or b.status = any (p_statuses))
          and b.created_at <@ p_within
        order by b.seq desc
        limit p_limit
      ) d
      union
      select d.delivery_id, d.seq
      from unnest(v_channels) as c (id)
      cross join lateral (
        select q.seq from outrider.delivery_queue q
        where 'sent' = any (p_statuses) and q.workspace_id = p_workspace_id and q.channel_id = c.id
          and q.available_at = '-infinity'
        order by q.seq
        limit 1
      ) first
      cross join lateral (
        select b.delivery_id, b.seq
        from (
          select y.delivery_id, y.seq, y.status, y.created_at from outrider.deliveries y
          where y.workspace_id = p_workspace_id and y.channel_id = c.id and y.seq < least(first.seq, p_before)
          order by y.seq desc
          limit v_reach
        ) b
        where b.status = any (p_statuses)
          and b.created_at <@ p_within
        order by b.seq desc
        limit p_limit
      ) d
    ) x
    order by x.seq desc
    limit p_limit
  );
end;
$$;
