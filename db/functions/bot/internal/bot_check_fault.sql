-- Why a check of free input cannot be used; null when it can. A check is the name of one, or a regular expression of the
-- kind that takes no more time than the text is long: no repeated groups, no references back, no looking ahead.
create or replace function outrider.bot_check_fault(p_check text)
  returns text
  language plpgsql
  immutable
as $$
begin
  if p_check in ('order_number', 'number', 'phone', 'email') then
    return null;
  elsif p_check ~ '^[a-z_]+$' then
    return format('validate names no check: %s; there are order_number, number, phone and email', outrider.excerpt(p_check));
  elsif length(p_check) > 200 then
    return 'validate has more than 200 characters';
  elsif p_check ~ '\)[*+?{]|\\[0-9A-Zmy]|\(\?|\*\*\*|[*+?}][*+?{]|\{\d*,?\d{3,}' or p_check ~ '\{\d*,?\d*\}.*\{\d*,?\d*\}.*\{\d*,?\d*\}.*\{' then
    return 'validate may have letters, classes, repeats up to 99 and alternatives, but no repeated groups, no references and no "(?"';
  end if;
  perform '' ~ ('(' || p_check || ')');
  return null;
exception
  when invalid_regular_expression then
    return format('validate is no regular expression: %s', sqlerrm);
end;
$$;
