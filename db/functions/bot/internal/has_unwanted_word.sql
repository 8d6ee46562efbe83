-- Whether a text has a word in it that stands under "not" of a rule. It is looked for without typing errors, because a word
-- that is taken for a keyword by mistake is as a rule one letter away from it.
--
-- p_given: whether the rule was given as data, and its words are not in bot_keywords.
create or replace function outrider.has_unwanted_word(p_rule outrider.bot_rules, p_text outrider.bot_text, p_given boolean)
  returns boolean
  language plpgsql
  stable
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_contains constant boolean := coalesce(p_rule.pattern ->> 'mode', 'contains') = 'contains';
begin
  if coalesce(p_rule.pattern -> 'not', '[]') = '[]' then
    return false;
  elsif p_given then
    return exists (
      select from jsonb_array_elements_text(p_rule.pattern -> 'not') as n (word)
      cross join lateral outrider.read_bot_text(n.word) t
      where case when v_contains then outrider.has_bot_keyword(p_text.plain, btrim(t.plain)) else strpos(p_text.stemmed, t.stemmed) > 0 end);
  end if;
  return exists (
    select from outrider.bot_keywords k
    where k.workspace_id = p_rule.workspace_id and k.probe = 'n:' and k.rule_id = p_rule.rule_id
      and case when v_contains then outrider.has_bot_keyword(p_text.plain, k.plain) else strpos(p_text.stemmed, k.stemmed) > 0 end);
end;
$$;
