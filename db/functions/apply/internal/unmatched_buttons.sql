-- A warning if a rule shows buttons that no rule matches, neither by their payloads nor, in the state that it leads to, as
-- words or free input: whoever presses one is told that the bot does not understand. Otherwise null.
create or replace function outrider.unmatched_buttons(p_workspace_id text, p_rule_id text)
  returns text
  language sql
  stable
as $$
  select format('no rule matches what its buttons send: %s', outrider.some_names(array_agg(b.payload order by b.payload), 5))
  from (
    select distinct x.button ->> 'payload' as payload, coalesce(r.next_state, r.from_state, 'default') as state
    from outrider.bot_rules r
    cross join lateral jsonb_array_elements(r.buttons) as l (line)
    cross join lateral jsonb_array_elements(l.line) as x (button)
    where r.workspace_id = p_workspace_id and r.rule_id = p_rule_id and r.enabled and x.button ? 'payload'
      and not exists (
        select from outrider.bot_rules o
        where o.workspace_id = p_workspace_id and o.enabled and o.pattern -> 'payloads' ? (x.button ->> 'payload'))
  ) b
  where not exists (
    select from outrider.matching_bot_rules(
      p_workspace_id, null, jsonb_build_object('kind', 'button', 'text', b.payload, 'payload', b.payload), b.state) m
    where m.is_valid)
  having count(*) > 0;
$$;
