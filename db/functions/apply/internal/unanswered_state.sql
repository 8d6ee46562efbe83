-- A warning if a rule leads to a state that no rule is for: a dialogue would stand still there until its time is over.
-- Otherwise null.
create or replace function outrider.unanswered_state(p_workspace_id text, p_rule_id text)
  returns text
  language sql
  stable
as $$
  select format('it leads to the state %s, and no rule answers there', r.next_state)
  from outrider.bot_rules r
  where r.workspace_id = p_workspace_id and r.rule_id = p_rule_id and r.enabled and r.next_state <> 'default'
    and not exists (
      select from outrider.bot_rules o
      where o.workspace_id = p_workspace_id and o.enabled and o.from_state = r.next_state);
$$;
