-- Checks the name of a run that only one process may do at a time, and who asks for it.
--
-- Raises: OR001.
create or replace function outrider.require_guard(p_function text, p_name text, p_run_id uuid)
  returns void
  language plpgsql
  immutable
as $$
begin
  perform outrider.require_text(p_function, 'name', p_name, 64);
  if p_run_id is null then
    raise exception using errcode = 'OR001', message = format('%s: run_id is missing', p_function);
  end if;
end;
$$;
