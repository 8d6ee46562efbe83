-- The rate groups in which replies of bots wait, and when each gives the next: not before it is open and has a slot. In an
-- outage one reply at a time is sent. Workspaces that are not active give none.
--
-- Reads one entry of the index for each group, however many replies wait.
create or replace function outrider.due_bot_groups(p_now timestamptz)
  returns table (workspace_id text, provider text, rate_group text, due_at timestamptz)
  language sql
  stable
as $$
  with recursive waiting (workspace_id, provider, rate_group, due_at) as (
    (
      select o.workspace_id, o.provider, o.rate_group, o.due_at from outrider.bot_outbox o
      where o.due_at is not null
      order by o.workspace_id, o.provider, o.rate_group, o.due_at
      limit 1
    )
    union all
    select n.*
    from waiting w
    cross join lateral (
      select o.workspace_id, o.provider, o.rate_group, o.due_at from outrider.bot_outbox o
      where o.due_at is not null and (o.workspace_id, o.provider, o.rate_group) > (w.workspace_id, w.provider, w.rate_group)
      order by o.workspace_id, o.provider, o.rate_group, o.due_at
      limit 1
    ) n
  )
  select w.workspace_id, w.provider, w.rate_group,
    greatest(w.due_at, outrider.group_opens_at(g), g.next_allowed_at - interval '250 milliseconds',
      case when g.outage_since is not null and exists (
        select from outrider.bot_outbox o
        where o.workspace_id = w.workspace_id and o.status = 'sending' and o.provider = w.provider and o.rate_group = w.rate_group
      ) then p_now + interval '1 second' end)
  from waiting w
  join outrider.workspaces x on x.workspace_id = w.workspace_id and x.status = 'active'
  left join outrider.platform_limits g
    on g.workspace_id = w.workspace_id and g.platform = w.provider and g.rate_group = w.rate_group;
$$;
