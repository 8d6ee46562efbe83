-- Adds warnings to a configuration_change; those that are null are left out.
create or replace function outrider.with_warnings(p_change jsonb, variadic p_warnings text[])
  returns jsonb
  language sql
  immutable
as $$
  select p_change || case
    when array_remove(p_warnings, null) = '{}' then '{}'
    else jsonb_build_object('warnings', array_remove(p_warnings, null))
  end;
$$;
