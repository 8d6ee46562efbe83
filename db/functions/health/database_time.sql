create or replace function outrider.database_time()
  returns timestamptz
  language sql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
  select clock_timestamp();
$$;

comment on function outrider.database_time is $doc$The database's clock. What it is asked for is the answer itself: the database is there, has the schema, and
lets this login in.$doc$;

grant execute on function outrider.database_time to outrider_service, outrider_publisher;
