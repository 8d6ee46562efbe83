-- A warning if a rule hands chats over and nobody is told: the workspace has no alert target that is told of it
-- (tell_of_handover). Only the first such rule has it, because one is enough.
create or replace function outrider.unheard_handover(p_workspace_id text, p_rule_id text)
  returns text
  language sql
  stable
as $$
  select 'it hands chats over, but the workspace has no alert target that is told of it; name one under alert_targets'
  where p_rule_id = (
    select min(r.rule_id) from outrider.bot_rules r where r.workspace_id = p_workspace_id and r.enabled and r.escalate
  ) and not exists (
    select from outrider.alert_targets t
    where t.workspace_id = p_workspace_id and t.enabled and t.min_severity <= 'warning');
$$;
