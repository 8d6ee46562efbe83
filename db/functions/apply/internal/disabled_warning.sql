-- A warning if a thing stays disabled although its document does not say so; otherwise null. A penalty, an operator or
-- an earlier prune has disabled it, and a field that the document leaves out keeps its value.
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
