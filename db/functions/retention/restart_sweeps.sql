create or replace function outrider.restart_sweeps(p_now timestamptz default clock_timestamp())
  returns integer
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_count integer;
begin
  perform outrider.require_time('restart_sweeps', p_now);

  update outrider.retention_sweeps s set due_at = p_now where s.due_at > p_now;
  get diagnostics v_count = row_count;
  return v_count;
end;
$$;

comment on function outrider.restart_sweeps is $doc$Makes the next purge go through every workspace, also through those that it went through within the last day.

Returns: how many workspaces were not due before.
Raises: OR001.$doc$;

grant execute on function outrider.restart_sweeps to outrider_service;
