-- How many turns a dialogue may take: max_turns of the rule that opened it, in the version that is enabled, or else in the
-- newest.
create or replace function outrider.bot_turn_limit(p_workspace_id text, p_document jsonb, p_rule_id text)
  returns integer
  language sql
  stable
as $$
  select coalesce(
    (p_document #>> array['bot_rules', p_rule_id, 'max_turns'])::integer,
    (
      select r.max_turns from outrider.bot_rules r
      where r.workspace_id = p_workspace_id and r.rule_id = p_rule_id
      order by r.enabled desc, r.version desc
      limit 1
    ),
    5);
$$;
