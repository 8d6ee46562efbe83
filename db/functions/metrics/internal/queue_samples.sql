-- What waits and what is being sent, and whether channels send, as samples: by workspace and platform, and for the first
-- p_limit channels by channel.
--
-- p_channels: how many channels the workspaces have; it decides how far each of them is counted.
create or replace function outrider.queue_samples(
  p_workspaces text[],
  p_channels integer,
  p_limit integer,
  p_now timestamptz
)
  returns setof outrider.metric_sample
  language plpgsql
  stable
as $$
declare
  v_reach constant integer := greatest(10000, 1000000 / greatest(p_channels, 1));
  v_next constant integer := greatest(100, 10000 / greatest(p_channels, 1));
begin
  return query
  with counted as materialized (
    select c.workspace_id, c.platform, c.channel_id, d.due, greatest(l.later - r.retry, 0) as scheduled, r.retry, k.claimed, s.sending, g.state,
      -- Somebody's order is no trouble: a pause of an operator, or a channel that the configuration switches off.
      g.state not in ('open', 'closed')
        and not (g.state in ('paused', 'disabled') and coalesce(c.stopped_because ? 'operator', not c.enabled)) as is_stopped
    from unnest(p_workspaces) as w (workspace_id)
    join outrider.channels c on c.workspace_id = w.workspace_id
    left join outrider.platform_limits p
      on p.workspace_id = c.workspace_id and p.platform = c.platform and p.rate_group = c.rate_group
    cross join lateral outrider.channel_gate(c, p, p_now) g
    cross join lateral (
      select count(*) as due
      from (
        select from outrider.delivery_queue q
        where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and q.available_at <= p_now and not q.claimed
        limit v_reach
      ) x
    ) d
    cross join lateral (
      select count(*) as later
      from (
        select from outrider.delivery_queue q
        where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and q.available_at > p_now and not q.claimed
        limit v_reach
      ) x
    ) l
    cross join lateral (
      select count(*) filter (where y.status = 'retry') as retry
      from (
        select q.delivery_id from outrider.delivery_queue q
        where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and q.available_at > p_now and not q.claimed
        order by q.available_at
        limit v_next
      ) x
      cross join lateral (
        select z.workspace_id, z.status from outrider.deliveries z where z.delivery_id = x.delivery_id
        offset 0 -- by the id alone, see next_steps
      ) y
      where y.workspace_id = c.workspace_id
    ) r
    cross join lateral (
      select count(*) as claimed from outrider.delivery_queue q
      where q.workspace_id = c.workspace_id and q.channel_id = c.channel_id and q.claimed
    ) k
    cross join lateral (
      select coalesce(sum(h.open_count), 0) as sending from outrider.leases h
      where h.workspace_id = c.workspace_id and h.channel_id = c.channel_id
    ) s
  )
  select
    'outrider_queue_deliveries', jsonb_build_object('workspace', c.workspace_id, 'platform', c.platform, 'state', v.state),
    sum(v.deliveries)::double precision
  from counted c
  cross join lateral (values
    ('due', c.due), ('scheduled', c.scheduled), ('retry', c.retry), ('claimed', c.claimed), ('sending', c.sending)
  ) as v (state, deliveries)
  group by c.workspace_id, c.platform, v.state
  union all
  select
    'outrider_channels', jsonb_build_object('workspace', c.workspace_id, 'platform', c.platform, 'state', c.state),
    count(*)::double precision
  from counted c
  group by c.workspace_id, c.platform, c.state
  union all
  select v.metric, jsonb_build_object('workspace', m.workspace_id, 'platform', m.platform, 'channel', m.channel_id), v.value
  from outrider.metered_channels(p_workspaces, p_limit) m
  join counted c on c.workspace_id = m.workspace_id and c.channel_id = m.channel_id
  cross join lateral (values
    ('outrider_channel_waiting_deliveries', (c.due + c.scheduled + c.retry + c.claimed)::double precision),
    ('outrider_channel_stopped', c.is_stopped::integer::double precision)
  ) as v (metric, value);
end;
$$;
