-- What to know of a thing that stays disabled although its document does not ask for it: penalties, an operator or
-- an earlier prune have disabled it, and a field that is left out keeps its value. Null for everything else.
create or replace function outrider.disabled_warning(p_before jsonb, p_fields jsonb)
  returns text
  language sql
  immutable
as $$
  select case
    when p_before -> 'enabled' = 'false' and not p_fields ? 'enabled'
      then 'it is disabled and stays so; write enabled: true to enable it'
  end;
$$;
