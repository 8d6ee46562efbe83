-- The rule of a bot that answers whenever another one of the same state matches; null: there is none. It finds something in each
-- of the other's keywords, matches its payloads and its start, and comes before it: by its priority, or with the same pattern
-- by its id. Free input that is checked leaves keywords to others, because input that is not valid goes on to them.
--
-- Each keyword is read once, and looked up by its probes (probes_of_bot_rule).
create or replace function outrider.covering_bot_rule(p_rule outrider.bot_rules)
  returns text
  language plpgsql
  stable
as $$
declare
  v_mode constant text := coalesce(p_rule.pattern ->> 'mode', 'contains');
  v_first text[]; -- the rules that come before it, if they match
  v_near text[]; -- those of them that find something in each keyword so far; null: before the first keyword
  v_free text[];
  v_keyword outrider.bot_text;
begin
  v_first := array(
    select r.rule_id from outrider.bot_rules r
    where r.workspace_id = p_rule.workspace_id and r.enabled and r.rule_id <> p_rule.rule_id and r.priority >= p_rule.priority
      and r.from_state is not distinct from p_rule.from_state
      and (r.priority > p_rule.priority or (r.rule_id < p_rule.rule_id and r.pattern = p_rule.pattern))
      and coalesce(r.pattern -> 'not', '[]') = '[]'
      and coalesce(r.pattern -> 'payloads', '[]') @> coalesce(p_rule.pattern -> 'payloads', '[]')
      and (coalesce(p_rule.pattern -> 'started' <> 'true', true) or r.pattern -> 'started' = 'true'));
  if v_first = '{}' then
    return null;
  end if;
  v_free := array(
    select k.rule_id from outrider.near_bot_keywords(p_rule.workspace_id, array['a:' || coalesce(p_rule.from_state, '')]) k);
  for v_keyword in
    select t.* from jsonb_array_elements_text(p_rule.pattern -> 'keywords') as k (word)
    cross join lateral outrider.read_bot_text(k.word) t
  loop
    v_near := array(
      select distinct k.rule_id
      from outrider.near_bot_keywords(p_rule.workspace_id, outrider.probes_of_covering_rules(v_keyword, v_mode)) k
      where k.rule_id = any (coalesce(v_near, v_first)) and case
        when left(k.probe, 1) <> 'c' then strpos(v_keyword.stemmed, k.stemmed) > 0
        when v_mode = 'contains' then outrider.has_bot_keyword(v_keyword.plain, k.plain)
        else outrider.has_bot_keyword(v_keyword.stemmed, k.plain)
      end);
    exit when v_near = '{}';
  end loop;
  if v_near is null and v_mode <> 'any' then
    v_near := v_first; -- it matches payloads and the start only, and so do they
  end if;

  return (
    select r.rule_id from outrider.bot_rules r
    where r.workspace_id = p_rule.workspace_id and r.enabled and r.rule_id = any (v_first)
      and (r.rule_id = any (v_near) or (r.rule_id = any (v_free) and (v_mode = 'any' or not r.pattern ? 'validate')))
    order by r.priority desc, r.rule_id
    limit 1
  );
end;
$$;
