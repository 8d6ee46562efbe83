create or replace function outrider.take_run(
  p_name text,
  p_run_id uuid,
  p_lease interval,
  p_now timestamptz default clock_timestamp()
)
  returns boolean
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
begin
  perform outrider.require_guard('take_run', p_name, p_run_id);
  if outrider.require_lease_length('take_run', p_lease) is null then
    raise exception using errcode = 'OR001', message = 'take_run: lease is missing; 1 second to 1 day are allowed';
  end if;
  perform outrider.require_time('take_run', p_now);

  insert into outrider.run_guards as g (name, run_id, lease_until) values (p_name, p_run_id, p_now + p_lease)
  on conflict (name) do update
  set run_id = excluded.run_id, lease_until = excluded.lease_until
  where g.run_id = p_run_id or g.lease_until <= p_now
    or g.lease_until > p_now + interval '1 day'; -- no lease lasts so long: the clock was set back
  return found;
end;
$$;

comment on function outrider.take_run is $doc$Takes or renews the guard of work that only one process may do at a time, such as the monitor's. The holder calls it again
before the lease ends; if it does not, the next caller gets the guard.
A lease that ends more than a day ahead was taken when the clock was wrong, and counts as over.

Concurrency: of many calls at once, one gets the guard.
Returns: whether the caller holds the guard.
Raises: OR001.$doc$;

grant execute on function outrider.take_run to outrider_service;
