-- Decides about the credentials, rate groups and templates that a document does not list. Pruning deletes those that no
-- channel, no alert target and no endpoint names. A credential or a template that one names stays; a rate group gets the
-- platform's limit.
--
-- A group that has channels, or answers of a bot, and the platform's own limit is not part of the configuration, and stays: its row keeps
-- slots and cooldowns.
-- Concurrency: the groups are locked by the caller.
create or replace function outrider.prune_unnamed(p_document jsonb, p_prune boolean, p_now timestamptz)
  returns setof jsonb
  language plpgsql
  volatile
as $$
declare
  v_workspace_id constant text := p_document ->> 'workspace';
  v_thing record;
  v_note text;
begin
  for v_thing in
    with named as (
      select c.channel_id, c.platform, c.rate_group, coalesce(r.auth_ref, c.auth_ref) as auth_ref,
        split_part(c.template_ref, '@', 1) as template_id
      from outrider.channels c
      left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
      where c.workspace_id = v_workspace_id
    ),
    answering as (
      select e.endpoint_id, b.platform, outrider.credential_group(v_workspace_id, e.auth_ref) as rate_group
      from outrider.workspace_endpoints e
      join outrider.credential_bindings b on b.workspace_id = e.workspace_id and b.auth_ref = e.auth_ref
      where e.workspace_id = v_workspace_id
    )
    select x.*, s.section
    from (
      select 'credential' as kind, b.auth_ref as id, b.auth_ref as name, null as platform,
        (select min(n.channel_id) from named n where n.auth_ref = b.auth_ref) as channel_id,
        (
          select min(t.alert_target_id) from outrider.alert_targets t
          where t.workspace_id = v_workspace_id and t.auth_ref = b.auth_ref
        ) as alert_target_id,
        (
          select min(e.endpoint_id) from outrider.workspace_endpoints e
          where e.workspace_id = v_workspace_id and e.auth_ref = b.auth_ref
        ) as endpoint_id
      from outrider.credential_bindings b where b.workspace_id = v_workspace_id
      union all
      select 'rate_group', g.platform || '/' || g.rate_group, g.rate_group, g.platform,
        (select min(n.channel_id) from named n where n.platform = g.platform and n.rate_group = g.rate_group), null,
        (select min(n.endpoint_id) from answering n where n.platform = g.platform and n.rate_group = g.rate_group)
      from outrider.platform_limits g
      join outrider.platforms p on p.platform = g.platform
      where g.workspace_id = v_workspace_id and (g.rate_rps is distinct from p.group_rps or not exists (
        select from named n where n.platform = g.platform and n.rate_group = g.rate_group
        union all
        select from answering n where n.platform = g.platform and n.rate_group = g.rate_group))
      union all
      select distinct 'template', t.template_id, t.template_id, null,
        (select min(n.channel_id) from named n where n.template_id = t.template_id), null, null
      from outrider.templates t where t.workspace_id = v_workspace_id
    ) x
    join outrider.configuration_kinds() s on s.kind = x.kind
    where not exists (select from outrider.configured_things(p_document) t where t.kind = x.kind and t.id = x.id)
    order by x.kind, x.id
  loop
    v_note := coalesce(
      'channel ' || outrider.excerpt(v_thing.channel_id), 'alert target ' || outrider.excerpt(v_thing.alert_target_id),
      'endpoint ' || outrider.excerpt(v_thing.endpoint_id));
    if not p_prune or not p_document ? v_thing.section or (v_note is not null and v_thing.kind <> 'rate_group') then
      return next outrider.unlisted(v_thing.kind, v_thing.id, p_document, p_prune, v_note || ' names it');
      continue;
    end if;

    case v_thing.kind
      when 'credential' then
        delete from outrider.credential_bindings b where b.workspace_id = v_workspace_id and b.auth_ref = v_thing.name;
      when 'template' then
        delete from outrider.templates t where t.workspace_id = v_workspace_id and t.template_id = v_thing.name;
      else
        update outrider.platform_limits g set rate_rps = p.group_rps, updated_at = p_now
        from outrider.platforms p
        where p.platform = g.platform and g.workspace_id = v_workspace_id and g.platform = v_thing.platform and g.rate_group = v_thing.name;
        perform outrider.restart_group(v_workspace_id, v_thing.platform, v_thing.name, p_now);
        delete from outrider.platform_limits g
        where g.workspace_id = v_workspace_id and g.platform = v_thing.platform and g.rate_group = v_thing.name
          and v_note is null;
    end case;
    return next outrider.configuration_change(
      v_thing.kind, v_thing.id, 'remove', null, 'back to the limit of its platform: ' || v_note || ' is in it');
  end loop;
end;
$$;
