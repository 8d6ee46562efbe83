-- When a claim in a workspace would next find something, if nothing changes until then. A time in the past means now;
-- null means not before something changes (a commit, an enqueue, an operator).
--
-- A channel is due when one of its slots given out ahead comes up, or when something waits and max_parallel leaves
-- room; but not before the channel and its group are open (channel_opens_at, group_opens_at). In an outage there is
-- room for the probe alone, and no slot is given out ahead, so a channel is not due before its next slot either.
create or replace function outrider.workspace_due_at(p_workspace_id text)
  returns timestamptz
  language plpgsql
  stable
as $$
begin
  return (
    select min(greatest(
      outrider.channel_opens_at(c), outrider.group_opens_at(g), ready.at,
      case when g.outage_since is not null
        then greatest(outrider.channel_slot_at(c.rate_rps, p.next_allowed_at, waiting.weight), g.next_allowed_at) end
    ))
    from outrider.workspaces w
    join outrider.channels c on c.workspace_id = w.workspace_id and c.enabled
    join outrider.channel_pace p on p.workspace_id = c.workspace_id and p.channel_id = c.channel_id
    left join outrider.platform_limits g
      on g.workspace_id = c.workspace_id and g.platform = c.platform and g.rate_group = c.rate_group
    left join lateral (
      select q.available_at as at, q.weight from outrider.delivery_queue q
      where q.workspace_id = p_workspace_id and q.channel_id = c.channel_id and not q.claimed
      order by q.available_at, q.seq
      limit 1
    ) waiting on true
    cross join lateral (
      select min(q.available_at) as at, count(*) as slots from outrider.delivery_queue q
      where q.workspace_id = p_workspace_id and q.channel_id = c.channel_id and q.claimed and q.available_at > '-infinity'
    ) resting
    cross join lateral (
      select coalesce(sum(l.open_count), 0) as count from outrider.leases l
      where l.workspace_id = p_workspace_id and l.channel_id = c.channel_id
    ) sending
    cross join lateral (
      select case when g.outage_since is null then c.max_parallel - sending.count else 1 - sending.count end as room
    ) left_over
    cross join lateral (
      select least(
        case when left_over.room > 0 then resting.at end,
        case when left_over.room > resting.slots then waiting.at end
      ) as at
    ) ready
    where w.workspace_id = p_workspace_id and w.status = 'active' and ready.at is not null
  );
end;
$$;
