-- The rules of a part of a configuration, {bot_rules: {id: fields}}, as rows with the version 0. Rules that are not
-- enabled are left out.
create or replace function outrider.given_bot_rules(p_workspace_id text, p_document jsonb)
  returns setof outrider.bot_rules
  language sql
  stable
as $$
  select (r.rule).*
  from (
    select jsonb_populate_record(null::outrider.bot_rules, jsonb_build_object(
      'enabled', true, 'priority', 0, 'max_turns', 5, 'escalate', false, 'intent', e.key, 'response_template', '', 'pattern', '{}'::jsonb)
      || e.value || jsonb_build_object('workspace_id', p_workspace_id, 'rule_id', e.key, 'version', 0)) as rule
    from jsonb_each(p_document -> 'bot_rules') as e
  ) r
  where (r.rule).enabled;
$$;
