-- Brings the limits of rate groups to what a document says. A group whose limit changes goes on at its new pace at
-- once; cooldowns stay. A new group without a limit gets the platform's.
--
-- Concurrency: like a claim, it first inserts missing rows, in order, and then locks all groups, in order. A claim may
-- have inserted a group's row before its limit was configured.
create or replace function outrider.apply_rate_groups(p_document jsonb, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_added text[];
  v_group record;
  v_change jsonb;
begin
  with added as (
    insert into outrider.platform_limits (workspace_id, platform, rate_group, rate_rps, updated_at)
    select v_workspace_id, t.platform, t.name, p.group_rps, p_now
    from outrider.configured_things(p_document) t
    join outrider.platforms p on p.platform = t.platform
    where t.kind = 'rate_group' and not exists (
      select from outrider.platform_limits g
      where g.workspace_id = v_workspace_id and g.platform = t.platform and g.rate_group = t.name)
    order by t.platform collate "C", t.name collate "C"
    on conflict do nothing
    returning platform || '/' || rate_group as id
  )
  select coalesce(array_agg(a.id), '{}') into v_added from added a;

  perform from outrider.platform_limits g where g.workspace_id = v_workspace_id
  order by g.platform, g.rate_group for no key update;

  for v_group in
    select t.id, t.platform, t.name, t.fields, to_jsonb(g) as before
    from outrider.configured_things(p_document) t
    join outrider.platform_limits g
      on g.workspace_id = v_workspace_id and g.platform = t.platform and g.rate_group = t.name
    where t.kind = 'rate_group'
    order by t.id
  loop
    v_change := outrider.apply_row('rate_group', 'platform_limits', v_group.id,
      jsonb_build_object('workspace_id', v_workspace_id, 'platform', v_group.platform, 'rate_group', v_group.name),
      v_group.before, v_group.fields, p_now);
    if v_change ->> 'action' = 'change' then
      perform outrider.restart_group(v_workspace_id, v_group.platform, v_group.name, p_now);
    end if;
    return next v_change
      || case when v_group.id = any (v_added) and v_change ->> 'action' <> 'refuse' then '{"action": "add"}' else '{}' end::jsonb;
  end loop;
end;
$$;
