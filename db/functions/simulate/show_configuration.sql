create or replace function outrider.show_configuration(p_workspace_id text)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
  set intervalstyle = postgres
as $$
declare
  v_fields constant jsonb := (select jsonb_object_agg(k.kind, k.fields) from outrider.configuration_kinds() k);
begin
  perform outrider.require_workspace('show_configuration', p_workspace_id);

  return json_build_object(
    'status', (select w.status from outrider.workspaces w where w.workspace_id = p_workspace_id),
    'document', json_build_object(
      'workspace', p_workspace_id,
      'settings', (
        select outrider.only_fields(to_jsonb(s), v_fields -> 'settings') from outrider.workspace_settings s
        where s.workspace_id = p_workspace_id),
      'credentials', (
        select coalesce(jsonb_object_agg(b.auth_ref, outrider.only_fields(to_jsonb(b), v_fields -> 'credential')), '{}')
        from outrider.credential_bindings b where b.workspace_id = p_workspace_id),
      'rate_groups', (
        select coalesce(jsonb_object_agg(p.platform, p.groups), '{}')
        from (
          select g.platform, jsonb_object_agg(g.rate_group, outrider.only_fields(to_jsonb(g), v_fields -> 'rate_group')) as groups
          from outrider.platform_limits g where g.workspace_id = p_workspace_id
          group by g.platform
        ) p),
      'templates', (
        select coalesce(jsonb_object_agg(t.template_id, outrider.only_fields(to_jsonb(t), v_fields -> 'template')), '{}')
        from (
          select distinct on (x.template_id) x.* from outrider.templates x where x.workspace_id = p_workspace_id
          order by x.template_id, x.version desc
        ) t),
      'channels', (
        select coalesce(jsonb_object_agg(c.channel_id, outrider.only_fields(
          to_jsonb(c) || jsonb_build_object('auth_ref', coalesce(r.auth_ref, c.auth_ref)), v_fields -> 'channel')), '{}')
        from outrider.channels c
        left join outrider.channel_auth r on r.workspace_id = c.workspace_id and r.channel_id = c.channel_id
        where c.workspace_id = p_workspace_id)),
    'earlier_templates', (
      select coalesce(json_agg(v.templates order by v.version), '[]')
      from (
        select t.version, jsonb_object_agg(t.template_id, outrider.only_fields(to_jsonb(t), v_fields -> 'template')) as templates
        from outrider.templates t
        where t.workspace_id = p_workspace_id and exists (
          select from outrider.templates n
          where n.workspace_id = t.workspace_id and n.template_id = t.template_id and n.version > t.version)
        group by t.version
      ) v));
end;
$$;

comment on function outrider.show_configuration is $doc$What decides when the posts of a workspace go out and how they look, as a document that apply_workspace takes: settings,
credentials (references, never secrets), rate groups, templates and channels. Endpoints, pull sources, alert targets and the
rules of bots are left out. A channel names the credential that it sends with now.

Returns: {status, document, earlier_templates}. `document` has the newest version of each template. `earlier_templates` is a
list of sections `templates`, one for each version that is not the newest; applied in this order before the document, they
give every template its versions again.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.show_configuration to outrider_reader;
