-- A warning if an enabled rule of a bot can never answer; otherwise null. No rules lead to its state, its own words under
-- "not" stand in all its keywords, or another rule for the same state matches whatever it matches and comes first.
--
-- p_compares: whether it is compared with other rules, which takes time for each keyword.
create or replace function outrider.unmatchable_bot_rule(p_workspace_id text, p_rule_id text, p_compares boolean)
  returns text
  language plpgsql
  stable
as $$
declare
  v_rule outrider.bot_rules;
  v_contains boolean;
  v_other text;
begin
  select r.* into v_rule from outrider.bot_rules r
  where r.workspace_id = p_workspace_id and r.rule_id = p_rule_id and r.enabled;
  if not found then
    return null;
  end if;
  if v_rule.from_state <> 'default' and not exists (
    with recursive reached (state) as (
      select text 'default' collate "C"
      union
      select r.next_state from reached s
      join outrider.bot_rules r
        on r.workspace_id = p_workspace_id and r.enabled and r.next_state is not null and coalesce(r.from_state = s.state, true)
    )
    select from reached s where s.state = v_rule.from_state
  ) then
    return format('it can never match: no rule leads from the beginning to the state %s', v_rule.from_state);
  end if;

  -- With a typing error a keyword is no longer the word under "not".
  v_contains := coalesce(v_rule.pattern ->> 'mode', 'contains') = 'contains';
  if v_rule.pattern ? 'not' and v_rule.pattern ? 'keywords' and not v_rule.pattern ?| array['payloads', 'started']
    and (v_contains or v_rule.pattern ->> 'mode' = 'stem') and not exists (
      with unwanted as materialized (
        select btrim(t.plain) as plain, t.stemmed from jsonb_array_elements_text(v_rule.pattern -> 'not') as n (word)
        cross join lateral outrider.read_bot_text(n.word) t
      )
      select from jsonb_array_elements_text(v_rule.pattern -> 'keywords') as k (word)
      cross join lateral outrider.read_bot_text(k.word) t
      where not exists (
        select from unwanted u
        where case when v_contains then outrider.has_bot_keyword(t.plain, u.plain) else strpos(t.stemmed, u.stemmed) > 0 end)
    )
  then
    return 'it can never match: each of its keywords has a word in it that stands under its "not"';
  end if;
  if p_compares then
    v_other := outrider.covering_bot_rule(v_rule);
  end if;
  return case when v_other is not null
    then format('it can never match: rule %s matches the same words and comes first', outrider.excerpt(v_other)) end;
end;
$$;
