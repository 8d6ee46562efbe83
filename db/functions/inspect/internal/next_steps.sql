-- The deliveries p_ids, and what each waits for now (next_step). Each channel is judged once.
--
-- Returns: one row for each id that exists, in the order of p_ids.
create or replace function outrider.next_steps(p_workspace_id text, p_ids uuid[], p_now timestamptz)
  returns table (delivery outrider.deliveries, because text, at timestamptz, reason text)
  language plpgsql
  stable
as $$
#variable_conflict use_column
declare
  v_status constant outrider.workspace_status :=
    (select w.status from outrider.workspaces w where w.workspace_id = p_workspace_id);
begin
  return query
  with asked as materialized (
    select u.place, d.delivery
    from unnest(p_ids) with ordinality as u (id, place)
    cross join lateral (
      -- By the id alone: a plan made while the tables were small might read the whole workspace instead.
      select x as delivery from outrider.deliveries x where x.delivery_id = u.id
      offset 0
    ) d
    where (d.delivery).workspace_id = p_workspace_id
  ),
  gates as materialized (
    select c.channel_id, g.state, g.until, g.reason
    from (select distinct (a.delivery).channel_id as id from asked a) a
    join outrider.channels c on c.workspace_id = p_workspace_id and c.channel_id = a.id
    left join outrider.platform_limits l
      on l.workspace_id = c.workspace_id and l.platform = c.platform and l.rate_group = c.rate_group
    cross join lateral outrider.channel_gate(c, l, p_now) g
  )
  select a.delivery, s.because, s.at, case when s.because like 'channel\_%' then g.reason end
  from asked a
  join gates g on g.channel_id = (a.delivery).channel_id
  cross join lateral outrider.next_step(a.delivery, v_status, g.state, g.until, p_now) s
  order by a.place;
end;
$$;
