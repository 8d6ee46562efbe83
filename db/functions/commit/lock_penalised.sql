-- Locks, in the one order, the rate groups and channels that failures will penalise, before any
-- delivery is touched.
create or replace function outrider.lock_penalised(p_workspace_id text, p_failures jsonb)
  returns void
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_channels text[];
  v_cooling text[];
begin
  select
    array_agg(distinct d.channel_id) filter (where f.error ->> 'scope' = 'channel'),
    array_agg(distinct d.channel_id) filter (where outrider.is_group_cooldown(f.error))
  into v_channels, v_cooling
  from jsonb_to_recordset(p_failures) as f (delivery_id uuid, error jsonb)
  join outrider.deliveries d on d.workspace_id = p_workspace_id and d.delivery_id = f.delivery_id;

  if v_cooling is not null then
    perform from outrider.platform_limits g
    where g.workspace_id = p_workspace_id
      and (g.platform, g.rate_group) in (
        select c.platform, c.rate_group from outrider.channels c
        where c.workspace_id = p_workspace_id and c.channel_id = any (v_cooling)
      )
    order by g.platform, g.rate_group
    for no key update;
  end if;

  if v_channels is not null then
    perform from outrider.channels c
    where c.workspace_id = p_workspace_id and c.channel_id = any (v_channels)
    order by c.channel_id
    for no key update;
  end if;
end;
$$;
