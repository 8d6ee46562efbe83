create or replace function outrider.database_time()
  returns timestamptz
  language sql
  volatile
  security definer
  set search_path = outrider, pg_temp
as $$
  select clock_timestamp();
$$;

comment on function outrider.database_time is $doc$The database's clock. It serves as a health check: an answer shows that the database is there, has the schema, and
accepts this login.$doc$;

grant execute on function outrider.database_time to outrider_service, outrider_publisher;
