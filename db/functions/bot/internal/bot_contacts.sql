-- What a chat has told a rule that asks for a phone number or an e-mail address (pattern.validate), each with what stands for
-- it where it is shown: {"495 123-45-67": "[phone]"}.
--
-- p_rule_id: the rule that takes p_text, or null. p_context: what was collected before.
create or replace function outrider.bot_contacts(p_workspace_id text, p_rule_id text, p_text text, p_context jsonb)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_contacts jsonb;
begin
  select jsonb_object_agg(x.value, format('[%s]', r.pattern ->> 'validate')) into v_contacts
  from outrider.bot_rules r
  cross join lateral outrider.valid_bot_input(r.pattern ->> 'validate', p_text) as x (value)
  where r.workspace_id = p_workspace_id and r.rule_id = p_rule_id and r.enabled and r.pattern ->> 'validate' in ('phone', 'email')
    and x.value is not null;
  if p_context -> 'values' <> '{}' then
    select coalesce(v_contacts, '{}') || coalesce(jsonb_object_agg(v.value, format('[%s]', r.pattern ->> 'validate')), '{}')
    into v_contacts
    from jsonb_each_text(p_context -> 'values') as v
    join outrider.bot_rules r
      on r.workspace_id = p_workspace_id and r.collect = v.key and r.pattern ->> 'validate' in ('phone', 'email')
    where v.value <> '';
  end if;
  return coalesce(v_contacts, '{}');
end;
$$;
