create or replace function outrider.end_run(p_name text, p_run_id uuid)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_guard('end_run', p_name, p_run_id);
  delete from outrider.run_guards g where g.name = p_name and g.run_id = p_run_id;
  return found;
end;
$$;

comment on function outrider.end_run is $doc$Gives a guard back that take_run gave to the caller, so that another process can take it at once.

Returns: whether the caller held the guard.
Raises: OR001.$doc$;

grant execute on function outrider.end_run to outrider_service;
