-- The answer of decide_bot_turn. Buttons are shown with what the rule itself says, not with the question asked again.
create or replace function outrider.bot_decision(
  p_before outrider.bot_state,
  p_after outrider.bot_state,
  p_action text,
  p_rule outrider.bot_rules,
  p_reply text,
  p_buttons jsonb,
  p_why text,
  p_next_best jsonb
)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'verdict', case when p_reply is null then 'silent' else 'replied' end,
    'action', p_action,
    'rule_id', p_rule.rule_id,
    'version', p_rule.version,
    'intent', p_rule.intent,
    'reply', case when p_reply is not null
      then jsonb_strip_nulls(jsonb_build_object('text', p_reply, 'buttons', case when p_action in ('matched', 'escalated') then p_buttons end)) end,
    'escalate', p_action = 'escalated',
    'state_before', p_before.state,
    'state_after', p_after.state,
    'context_after', p_after.context,
    'state', jsonb_build_object(
      'state', p_after.state, 'context', p_after.context, 'opened_by', p_after.opened_by, 'expires_at', p_after.expires_at,
      'handed_over_at', p_after.handed_over_at, 'handed_over_until', p_after.handed_over_until),
    'why', p_why,
    'next_best', p_next_best);
$$;
