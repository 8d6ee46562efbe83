create or replace function outrider.examine_workspace(
  p_workspace_id text,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_channels json;
  v_templates json;
  v_endpoints json;
begin
  perform outrider.require_workspace('examine_workspace', p_workspace_id);
  perform outrider.require_time('examine_workspace', p_now);

  select coalesce(json_agg(json_build_object(
    'channel_id', c.channel_id, 'settings', c.settings, 'template_fault', outrider.template_ref_fault(c.workspace_id, c.template_ref),
    'never_opens', c.window_mode = 'windowed'
      and not isfinite(outrider.window_opening(c.posting_window, c.timezone, p_now))) order by c.channel_id), '[]')
  into v_channels
  from outrider.channels c
  where c.workspace_id = p_workspace_id;

  select coalesce(json_agg(json_build_object(
    'template_id', t.template_id, 'version', t.version, 'fault', outrider.template_fault(t.body)) order by t.template_id), '[]')
  into v_templates
  from (
    select distinct on (x.template_id) x.* from outrider.templates x
    where x.workspace_id = p_workspace_id
    order by x.template_id, x.version desc
  ) t
  where outrider.template_fault(t.body) is not null;

  select coalesce(json_agg(json_build_object(
    'endpoint_id', e.endpoint_id, 'kind', e.kind, 'signing_secret_ref', e.signing_secret_ref, 'auth_ref', e.auth_ref,
    'secret_ref', b.secret_ref, 'platform', b.platform) order by e.endpoint_id), '[]')
  into v_endpoints
  from outrider.workspace_endpoints e
  left join outrider.credential_bindings b on b.workspace_id = e.workspace_id and b.auth_ref = e.auth_ref
  where e.workspace_id = p_workspace_id and e.enabled;

  return json_build_object('channels', v_channels, 'template_faults', v_templates, 'endpoints', v_endpoints);
end;
$$;

comment on function outrider.examine_workspace is $doc$What outrider doctor has to know of a workspace besides the lists of its channels, credentials, sources and alert targets.

Returns: {channels [{channel_id, settings, template_fault, never_opens}], template_faults [{template_id, version, fault}],
endpoints [{endpoint_id, kind, signing_secret_ref, auth_ref, secret_ref, platform}]}. template_fault says in words that the
channel names a template that is not there; template_faults has templates whose newest version cannot be rendered.
never_opens: the channel has a posting window in which no time lies. Only enabled endpoints are listed.
Raises: OR001, OR002, OR003.$doc$;

grant execute on function outrider.examine_workspace to outrider_reader;
