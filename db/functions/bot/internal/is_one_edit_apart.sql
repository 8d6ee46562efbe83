-- Whether two words are the same but for one typing error: a letter too many, a letter missing, a wrong letter, or two
-- neighbours exchanged.
create or replace function outrider.is_one_edit_apart(p_one text, p_other text)
  returns boolean
  language plpgsql
  immutable
  parallel safe
as $$
declare
  v_longer constant text := case when length(p_one) >= length(p_other) then p_one else p_other end;
  v_shorter constant text := case when length(p_one) >= length(p_other) then p_other else p_one end;
  v_at integer := 1; -- the first letter that differs
begin
  if v_longer = v_shorter then
    return true;
  elsif length(v_longer) > length(v_shorter) + 1 then
    return false;
  end if;
  while v_at <= length(v_shorter) and substr(v_longer, v_at, 1) = substr(v_shorter, v_at, 1) loop
    v_at := v_at + 1;
  end loop;
  if length(v_longer) > length(v_shorter) then
    return substr(v_longer, v_at + 1) = substr(v_shorter, v_at);
  end if;
  return substr(v_longer, v_at + 1) = substr(v_shorter, v_at + 1)
    or (substr(v_longer, v_at, 1) = substr(v_shorter, v_at + 1, 1) and substr(v_longer, v_at + 1, 1) = substr(v_shorter, v_at, 1)
      and substr(v_longer, v_at + 2) = substr(v_shorter, v_at + 2));
end;
$$;
