create or replace function outrider.applied_files()
  returns table (kind text, name text, checksum text)
  language sql
  stable
  security definer
  set search_path = outrider, pg_temp
as $$
  select 'migration', m.name, m.checksum from outrider.schema_migrations m
  union all
  select 'function', f.name, f.checksum from outrider.schema_functions f
  union all
  select 'view', v.name, v.checksum from outrider.schema_views v;
$$;

comment on function outrider.applied_files is $doc$What of Outrider's own files this database was made from, so that a process which may not migrate can tell
whether it has to be done.$doc$;

grant execute on function outrider.applied_files to outrider_service, outrider_publisher;
