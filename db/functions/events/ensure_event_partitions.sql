-- Makes the daily partitions of events for today and the days ahead; idempotent.
--
-- Concurrency: a partition is created apart and then attached, which takes a weaker lock on events
-- than creating it in place. Rows that had strayed into the default partition move over first.
-- Returns: the names of the partitions made.
-- Raises: OR001.
create or replace function outrider.ensure_event_partitions(
  p_days_ahead integer default 7,
  p_now timestamptz default clock_timestamp()
)
  returns setof text
  language plpgsql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
declare
  v_day date;
  v_name text;
begin
  perform outrider.require_time('ensure_event_partitions', p_now);
  if p_days_ahead is null or p_days_ahead not between 0 and 400 then
    raise exception using errcode = 'OR001',
      message = format('ensure_event_partitions: days_ahead is %s; 0 to 400 are allowed', coalesce(p_days_ahead::text, 'missing'));
  end if;
  perform pg_advisory_xact_lock(hashtext('outrider.ensure_event_partitions'));

  for v_ahead in 0 .. p_days_ahead loop
    v_day := (p_now at time zone 'UTC')::date + v_ahead;
    v_name := 'events_' || to_char(v_day, 'YYYYMMDD');
    continue when to_regclass('outrider.' || v_name) is not null;

    execute format('create table outrider.%I (like outrider.events including defaults including constraints)', v_name);
    execute format(
      'with strays as (
         delete from outrider.events where ts >= %1$L and ts < %2$L returning *
       )
       insert into outrider.%3$I select * from strays',
      v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC', v_name);
    execute format('alter table outrider.%I enable row level security, force row level security', v_name);
    execute format(
      'alter table outrider.events attach partition outrider.%I for values from (%L) to (%L)',
      v_name, v_day::timestamp at time zone 'UTC', (v_day + 1)::timestamp at time zone 'UTC');
    return next v_name;
  end loop;
end;
$$;

grant execute on function outrider.ensure_event_partitions to outrider_service;
