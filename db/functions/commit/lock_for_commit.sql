-- Locks, in the one order, the rate groups and channels that a commit will write, before any delivery
-- is touched: groups to cool down, channels to penalise, and channels whose error streak ends.
--
-- Returns: the locked channels.
create or replace function outrider.lock_for_commit(p_workspace_id text, p_failures jsonb, p_sent_ids uuid[])
  returns text[]
  language plpgsql
  volatile
  set search_path = outrider, pg_temp
as $$
declare
  v_penalised text[];
  v_cooling text[];
  v_delivering text[];
begin
  select
    array_agg(distinct d.channel_id) filter (where f.error ->> 'scope' = 'channel'),
    array_agg(distinct d.channel_id) filter (where outrider.is_group_cooldown(f.error))
  into v_penalised, v_cooling
  from (
    select p_workspace_id as workspace_id, u.*
    from jsonb_to_recordset(p_failures) as u (delivery_id uuid, error jsonb)
    limit jsonb_array_length(p_failures)
  ) f
  join outrider.deliveries d on d.workspace_id = f.workspace_id and d.delivery_id = f.delivery_id;

  select array_agg(distinct d.channel_id) into v_delivering
  from (
    select p_workspace_id as workspace_id, u.delivery_id from unnest(p_sent_ids) as u (delivery_id)
    limit cardinality(p_sent_ids)
  ) o
  join outrider.deliveries d on d.workspace_id = o.workspace_id and d.delivery_id = o.delivery_id;

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

  return array(
    select c.channel_id from outrider.channels c
    where c.workspace_id = p_workspace_id
      and (c.channel_id = any (v_penalised) or (c.channel_id = any (v_delivering) and c.error_streak > 0))
    order by c.channel_id
    for no key update
  );
end;
$$;
