-- Why a rule can never work, beyond what the constraints of its table say; null when it can.
create or replace function outrider.bot_rule_fault(p_rule outrider.bot_rules)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_mode constant text := coalesce(p_rule.pattern ->> 'mode', 'contains');
  v_words constant jsonb := coalesce(p_rule.pattern -> 'keywords', '[]');
  v_keyword text;
begin
  if v_mode <> 'any' and v_words = '[]' and coalesce(p_rule.pattern -> 'payloads', '[]') = '[]'
    and coalesce(p_rule.pattern -> 'started' <> 'true', true)
  then
    return 'pattern has no keywords; with mode "any" it would match free input';
  elsif v_mode = 'any' and v_words <> '[]' then
    return 'pattern has mode "any" and keywords; it can have one of them';
  elsif jsonb_array_length(v_words) > 200 or jsonb_array_length(coalesce(p_rule.pattern -> 'payloads', '[]')) > 200
    or jsonb_array_length(coalesce(p_rule.pattern -> 'not', '[]')) > 200
  then
    return 'pattern has more than 200 keywords, payloads or words under "not"';
  end if;
  select k.keyword into v_keyword
  from jsonb_array_elements_text(v_words || coalesce(p_rule.pattern -> 'not', '[]')) as k (keyword)
  where length(k.keyword) > 100 or cardinality((outrider.read_bot_text(k.keyword)).words) = 0
  limit 1;
  if found then
    return format('pattern has the keyword %s; a keyword has letters or digits, and 100 characters at most', outrider.excerpt(v_keyword));
  end if;
  return coalesce(
    outrider.bot_check_fault(p_rule.pattern ->> 'validate'),
    case when p_rule.response_template <> '' and outrider.shows_nothing(p_rule.response_template) then 'response_template shows nothing' end,
    case when p_rule.retry_template <> '' and outrider.shows_nothing(p_rule.retry_template) then 'retry_template shows nothing' end,
    'response_template, ' || outrider.template_fault(p_rule.response_template),
    'retry_template, ' || outrider.template_fault(p_rule.retry_template),
    outrider.buttons_fault(p_rule.buttons));
end;
$$;
