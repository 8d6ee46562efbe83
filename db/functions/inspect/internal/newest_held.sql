-- The newest deliveries of some channels that a sender holds or that rest: claimed with a slot ahead, or being sent;
-- accepted within a span of time. A channel never has more of them than max_parallel allows.
--
-- Returns: their ids, newest first.
create or replace function outrider.newest_held(
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
begin
  return array(
    select d.delivery_id
    from (
      select u.id, l.claim_token
      from unnest(p_channels) as c (id)
      join outrider.leases l on l.workspace_id = p_workspace_id and l.channel_id = c.id
      cross join unnest(l.delivery_ids) as u (id)
      where 'sending' = any (p_statuses)
      union all
      select q.delivery_id, null
      from unnest(p_channels) as c (id)
      join outrider.delivery_queue q on q.workspace_id = p_workspace_id and q.channel_id = c.id and q.claimed
      where 'claimed' = any (p_statuses)
    ) held
    cross join lateral (
      select x.workspace_id, x.delivery_id, x.seq, x.status, x.claim_token, x.created_at from outrider.deliveries x
      where x.delivery_id = held.id
      offset 0 -- by the id alone, see next_steps
    ) d
    -- An open lease still names deliveries that it no longer holds.
    where d.workspace_id = p_workspace_id and d.status = any (p_statuses) and d.seq < p_before
      and d.created_at <@ p_within
      and d.claim_token = coalesce(held.claim_token, d.claim_token)
    order by d.seq desc
    limit p_limit
  );
end;
$$;
