-- The channels of an active workspace that are open and have something due.
--
-- Returns: for each channel the delivery that is first in line, and since when it has been due while the channel was
-- open. `idle_since`: since when nothing has been missing but a sender that takes it; null while something of the channel
-- is being sent, and while the next slot of the channel or its group lies ahead.
create or replace function outrider.due_channels(p_workspace_id text, p_now timestamptz)
  returns table (channel_id text, delivery_id uuid, due_since timestamptz, idle_since timestamptz)
  language plpgsql
  stable
as $$
#variable_conflict use_column
begin
  return query
  select c.channel_id, d.delivery_id, s.due_since,
    case when s.slot_at <= p_now and not exists (
      select from outrider.leases l
      where l.workspace_id = p_workspace_id and l.channel_id = c.channel_id and l.open_count > 0)
    then s.slot_at end
  from outrider.workspaces w
  join outrider.channels c on c.workspace_id = w.workspace_id and c.enabled
  join outrider.channel_pace p on p.workspace_id = c.workspace_id and p.channel_id = c.channel_id
  left join outrider.platform_limits g
    on g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
  cross join lateral (
    select q.delivery_id, case when q.claimed and isfinite(q.available_at) then q.available_at end as slot_at
    from outrider.delivery_queue q
    where q.workspace_id = p_workspace_id and q.channel_id = c.channel_id and q.available_at <= p_now
    order by q.available_at, q.seq
    limit 1
  ) head
  cross join lateral (
    select x.workspace_id, x.delivery_id, case x.status when 'retry' then x.next_retry_at else x.not_before end as due_since
    from outrider.deliveries x
    where x.delivery_id = head.delivery_id
    offset 0 -- by the id alone, see next_steps
  ) d
  cross join lateral (
    select greatest(outrider.channel_opens_at(c), outrider.group_opens_at(g)) as opened_at
  ) o
  cross join lateral (
    select greatest(d.due_since, head.slot_at, o.opened_at) as due_since,
      greatest(d.due_since, head.slot_at, o.opened_at, p.next_allowed_at, g.next_allowed_at) as slot_at
  ) s
  where w.workspace_id = p_workspace_id and w.status = 'active' and d.workspace_id = p_workspace_id
    and o.opened_at <= p_now
    and (c.window_mode <> 'windowed'
      or coalesce(outrider.window_opening(c.posting_window, c.timezone, p_now) <= p_now, false));
end;
$$;
