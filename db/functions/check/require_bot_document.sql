-- Checks rules that are given as data: {bot_rules: {id: fields}, settings?}, or null.
--
-- Returns: the settings of the workspace, with those of the document.
-- Raises: OR001, with the first fault.
create or replace function outrider.require_bot_document(p_function text, p_workspace_id text, p_document jsonb)
  returns outrider.workspace_settings
  language plpgsql
  stable
as $$
declare
  v_settings outrider.workspace_settings;
  v_fault text;
begin
  select s.* into v_settings from outrider.workspace_settings s where s.workspace_id = p_workspace_id;
  if p_document is null then
    return v_settings;
  end if;
  if jsonb_typeof(p_document) <> 'object' or jsonb_typeof(p_document -> 'bot_rules') is distinct from 'object'
    or coalesce(jsonb_typeof(p_document -> 'settings'), 'object') <> 'object'
  then
    raise exception using errcode = 'OR001', message = format('%s: document must be {bot_rules: {id: fields}, settings?}', p_function);
  end if;

  select 'bot_rules: ' || outrider.too_many_bot_keywords(sum(jsonb_array_length(e.value #> '{pattern,keywords}'))) into v_fault
  from jsonb_each(p_document -> 'bot_rules') as e
  where jsonb_typeof(e.value #> '{pattern,keywords}') = 'array';
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('%s: %s', p_function, v_fault);
  end if;
  select format('bot rule %s: %s', outrider.excerpt(e.key), x.fault) into v_fault
  from jsonb_each(p_document -> 'bot_rules') as e
  join outrider.configuration_kinds() k on k.kind = 'bot_rule'
  cross join lateral (
    select coalesce(outrider.configuration_fault('bot_rules', k.fields, e.value), (
      select f.fault
      from outrider.row_faults('bot_rule', jsonb_build_object('intent', e.key) || e.value
        || jsonb_build_object('workspace_id', p_workspace_id, 'rule_id', e.key, 'version', 1)) as f (fault)
      limit 1)) as fault
  ) x
  where x.fault is not null
  limit 1;
  if not found then
    select 'settings: ' || coalesce(outrider.configuration_fault('workspace_settings', k.fields, p_document -> 'settings'), (
      select f.fault from outrider.row_faults('settings', to_jsonb(v_settings) || (p_document -> 'settings')) as f (fault) limit 1
    )) into v_fault
    from outrider.configuration_kinds() k where k.kind = 'settings' and p_document ? 'settings';
  end if;
  if v_fault is not null then
    raise exception using errcode = 'OR001', message = format('%s: %s', p_function, v_fault);
  end if;
  return jsonb_populate_record(v_settings, coalesce(p_document -> 'settings', '{}') - 'workspace_id');
end;
$$;
