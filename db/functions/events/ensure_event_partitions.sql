create or replace function outrider.ensure_event_partitions(
  p_days_ahead integer default 7,
  p_now timestamptz default clock_timestamp()
)
  returns setof text
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
  set lock_timeout = '2s'
as $$
declare
  v_today constant date := (p_now at time zone 'UTC')::date;
  v_day date;
  v_name text;
begin
  perform outrider.require_time('ensure_event_partitions', p_now);
  if p_days_ahead is null or p_days_ahead not between 0 and 400 then
    raise exception using errcode = 'OR001',
      message = format('ensure_event_partitions: days_ahead is %s; 0 to 400 are allowed', coalesce(p_days_ahead::text, 'missing'));
  end if;

  if not exists (
    select from generate_series(0, p_days_ahead) as ahead
    where to_regclass('outrider.' || outrider.event_partition(v_today + ahead)) is null
  ) then
    return;
  end if;
  begin
    lock table only outrider.event_log in share update exclusive mode nowait;
  exception
    when lock_not_available then return;
  end;

  for v_ahead in 0 .. p_days_ahead loop
    v_day := v_today + v_ahead;
    v_name := outrider.event_partition(v_day);
    continue when to_regclass('outrider.' || v_name) is not null;
    execute format('create table outrider.%I (like outrider.event_log including defaults including constraints including storage)', v_name);
    perform outrider.move_stray_events(v_day, v_name);
    perform outrider.lock_default_events(v_ahead = 0);
    perform outrider.move_stray_events(v_day, v_name); -- those that came meanwhile
    execute format('alter table outrider.%I enable row level security, force row level security', v_name);
    execute format(
      'alter table outrider.event_log attach partition outrider.%I for values from (%L) to (%L)',
      v_name, v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC');
    return next v_name;
  end loop;
end;
$$;

comment on function outrider.ensure_event_partitions is $doc$Makes the daily partitions of events for today and the days ahead; idempotent.

Nothing fails without it: an event whose day has no partition goes to the default partition, and moves to its own when
that is made.
Concurrency: nothing is locked when no partition is missing. One call works at a time, under the lock on event_log that
attaching takes anyway; reads and writes do not conflict with that lock. A second call returns at once and leaves the
work to the first. A new partition is created and filled before it is attached; then the default partition is locked
for the events that came meanwhile (lock_default_events). A transaction that has read events and stays open holds up
that lock. The call waits 2 s for it: not longer, because readers and events of a day without a partition wait behind
it; not shorter, because autovacuum gives way after 1 s.
Returns: the names of the partitions made.
Raises: OR001; 55P03 when the default partition could not be locked, with the processes that use it.$doc$;

grant execute on function outrider.ensure_event_partitions to outrider_service;
