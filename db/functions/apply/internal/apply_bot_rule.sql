-- Brings one rule of a bot to what a document says: adds it, makes its next version, or enables or disables it.
--
-- p_current: its enabled version, or else its newest; all null: there is none. p_known: the fields of a rule.
create or replace function outrider.apply_bot_rule(
  p_workspace_id text,
  p_id text,
  p_fields jsonb,
  p_known text[],
  p_current outrider.bot_rules,
  p_now timestamptz
)
  returns jsonb
  language plpgsql
  volatile
as $$
declare
  v_before constant jsonb := case when p_current.version is not null then to_jsonb(p_current) end;
  v_key constant jsonb := jsonb_build_object('workspace_id', p_workspace_id, 'rule_id', p_id);
  v_newest constant integer := coalesce((
    select max(r.version) from outrider.bot_rules r where r.workspace_id = p_workspace_id and r.rule_id = p_id), 0);
  v_wanted constant jsonb := (
    select jsonb_object_agg(f.key, f.value) from jsonb_each(
      to_jsonb(jsonb_populate_record(p_current, p_fields)) || jsonb_build_object('enabled', coalesce(p_fields -> 'enabled', v_before -> 'enabled', 'true'))) f
    where f.key = any (p_known));
  v_changed jsonb;
  v_change jsonb;
begin
  if v_before is null then
    return outrider.apply_row('bot_rule', 'bot_rules', p_id, v_key || '{"version": 1}', null,
      jsonb_build_object('intent', p_id) || p_fields, p_now);
  end if;
  select jsonb_object_agg(w.key, jsonb_build_object('from', v_before -> w.key, 'to', w.value)) into v_changed
  from jsonb_each(v_wanted) w
  where w.value is distinct from v_before -> w.key;
  if v_changed is null then
    return outrider.configuration_change('bot_rule', p_id, 'keep', null);
  elsif v_changed - 'enabled' = '{}' then
    update outrider.bot_rules r set enabled = (v_wanted ->> 'enabled')::boolean
    where r.workspace_id = p_workspace_id and r.rule_id = p_id and r.version = p_current.version;
    return outrider.configuration_change('bot_rule', p_id, 'change', v_changed);
  end if;

  update outrider.bot_rules r set enabled = false
  where r.workspace_id = p_workspace_id and r.rule_id = p_id and r.enabled;
  v_change := outrider.apply_row(
    'bot_rule', 'bot_rules', p_id, v_key || jsonb_build_object('version', v_newest + 1), null, v_wanted, p_now);
  return case when v_change ->> 'action' = 'refuse' then v_change
    else outrider.configuration_change('bot_rule', p_id, 'change', v_changed
      || jsonb_build_object('version', jsonb_build_object('from', p_current.version, 'to', v_newest + 1))) end;
end;
$$;
