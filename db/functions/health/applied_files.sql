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

comment on function outrider.applied_files is $doc$The files of Outrider (migrations, functions, views) that were applied to this database, with their checksums. A process
that may not migrate compares them with its own files, and so knows whether a migration is due.$doc$;

grant execute on function outrider.applied_files to outrider_service, outrider_publisher;
