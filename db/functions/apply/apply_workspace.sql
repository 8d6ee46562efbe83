create or replace function outrider.apply_workspace(
  p_document jsonb,
  p_prune boolean,
  p_dry_run boolean,
  p_now timestamptz default clock_timestamp()
)
  returns json
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set intervalstyle = postgres
as $$
declare
  v_document jsonb;
  v_changes jsonb[];
  v_hint text;
begin
  perform outrider.require_time('apply_workspace', p_now);
  if p_prune is null or p_dry_run is null then
    raise exception using errcode = 'OR001',
      message = format('apply_workspace: %s is missing', case when p_prune is null then 'prune' else 'dry_run' end);
  end if;

  begin
    perform outrider.require_configuration(p_document);
    v_changes := array(select outrider.configuration_faults(p_document));
    v_document := outrider.without_refused(p_document, v_changes);
    v_changes := v_changes || array(select outrider.apply_name_and_settings(v_document, p_now));
    if not exists (select from unnest(v_changes) as c where c ->> 'kind' = 'workspace' and c ->> 'action' = 'refuse') then
      v_changes := v_changes || array(select outrider.apply_endpoints(v_document, p_prune, p_now));
      v_changes := v_changes || array(select outrider.apply_pull_sources(v_document, p_prune, p_now));
      v_changes := v_changes || array(select outrider.apply_credentials(v_document, p_now));
      v_changes := v_changes || array(select outrider.apply_rate_groups(v_document, p_now));
      v_changes := v_changes || array(select outrider.apply_templates(v_document, p_now));
      v_changes := v_changes || array(select outrider.apply_channels(v_document, p_prune, p_now));
      v_changes := v_changes || array(select outrider.apply_alert_targets(v_document, p_prune, p_now));
      v_changes := v_changes || array(select outrider.apply_bot_rules(v_document, p_prune, p_now));
      v_changes := v_changes || array(select outrider.prune_unnamed(v_document, p_prune, p_now));
      perform outrider.readdress_bot_replies(v_document ->> 'workspace');
    end if;
    perform outrider.refuse_faults(v_changes);
    perform outrider.open_mended_groups(v_document ->> 'workspace', outrider.applied_by(), p_now);
    if p_dry_run then
      raise exception using errcode = 'OR0DR', message = 'undo the dry run';
    end if;
  exception
    when sqlstate 'OR0DR' then
      null; -- the changes are returned all the same
    when sqlstate 'OR001' then
      get stacked diagnostics v_hint = pg_exception_hint;
      raise exception using errcode = 'OR001', message = 'apply_workspace: ' || sqlerrm,
        hint = coalesce(nullif(v_hint, ''), 'docs/configuration.md says what each key may be.');
  end;
  return array_to_json(v_changes);
end;
$$;

comment on function outrider.apply_workspace is $doc$Makes the configuration of one workspace what a document says, and lists the changes.

The document is {workspace, name?, status?, settings?, endpoints?, credentials?, rate_groups?, templates?,
channels?, pull_sources?, alert_targets?, bot_rules?}; its keys are the names of the columns (docs/configuration.md). A field that it leaves out
keeps its value; a thing that is added gets the default. A thing that it does not list stays. With p_prune such a thing
is removed if the document has its section: that section is then complete. With p_dry_run every change is made, checked
by every constraint, and undone.
Concurrency: applies of one workspace run one after the other; rows are then locked in the order of ARCHITECTURE.md.
Returns: [{kind, id, action: add | change | remove | keep, fields: {name: {from, to}}, note?, warnings?}].
Raises: OR001. Its message has a line for each fault, which names the thing and the field.$doc$;

grant execute on function outrider.apply_workspace to outrider_service;
