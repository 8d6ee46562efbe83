-- The newest deliveries of some channels: of any state, or of one in which deliveries come to rest (sent,
-- deduped).
--
-- A state is not indexed: each channel's newest are looked through, and, where a backlog lies in front, those
-- before the first that is due; about 20,000 in all.
-- Returns: their ids, newest first.
create or replace function outrider.newest_of_channels(
  p_workspace_id text,
  p_channels text[],
  p_status outrider.delivery_status,
  p_before bigint,
  p_limit integer
)
  returns uuid[]
  language plpgsql
  stable
  set search_path = outrider, pg_temp
as $$
declare
  v_reach constant integer :=
    case when p_status is null then p_limit else greatest(p_limit, 10000 / greatest(cardinality(p_channels), 1)) end;
  v_channels text[] := p_channels;
begin
  if p_status is null then
    -- The newest of all are in the channels whose own newest are.
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
          select y.delivery_id, y.seq, y.status from outrider.deliveries y
          where y.workspace_id = p_workspace_id and y.channel_id = c.id and y.seq < p_before
          order by y.seq desc
          limit v_reach
        ) b
        where p_status is null or b.status = p_status
        order by b.seq desc
        limit p_limit
      ) d
      union
      select d.delivery_id, d.seq
      from unnest(v_channels) as c (id)
      cross join lateral (
        select q.seq from outrider.delivery_queue q
        where p_status = 'sent' and q.workspace_id = p_workspace_id and q.channel_id = c.id and q.available_at = '-infinity'
        order by q.seq
        limit 1
      ) first
      cross join lateral (
        select b.delivery_id, b.seq
        from (
          select y.delivery_id, y.seq, y.status from outrider.deliveries y
          where y.workspace_id = p_workspace_id and y.channel_id = c.id and y.seq < least(first.seq, p_before)
          order by y.seq desc
          limit v_reach
        ) b
        where b.status = p_status
        order by b.seq desc
        limit p_limit
      ) d
    ) x
    order by x.seq desc
    limit p_limit
  );
end;
$$;
