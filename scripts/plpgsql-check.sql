-- Lets plpgsql_check judge every plpgsql function of the schema; one line of text for each finding.
-- A trigger function is judged on each table that it serves.
create extension if not exists plpgsql_check;

with uses as (
  select
    p.oid as function_oid,
    p.prorettype = 'trigger'::regtype as is_trigger,
    t.tgrelid, t.tgoldtable, t.tgnewtable
  from pg_proc p
  join pg_language l on l.oid = p.prolang
  left join pg_trigger t on t.tgfoid = p.oid and t.tgparentid = 0
  where l.lanname = 'plpgsql' and p.pronamespace = 'outrider'::regnamespace
  group by p.oid, t.tgrelid, t.tgoldtable, t.tgnewtable
)
select format('%s: is a trigger function that serves no table', u.function_oid::regproc)
from uses u
where u.is_trigger and u.tgrelid is null
union
select format(
  '%s%s, line %s: %s: %s%s',
  u.function_oid::regproc,
  ' on ' || u.tgrelid::regclass,
  coalesce(f.lineno::text, '?'),
  f.level,
  f.message,
  ' (' || coalesce(f.hint, f.detail) || ')'
)
from uses u
cross join lateral plpgsql_check_function_tb(
  u.function_oid,
  coalesce(u.tgrelid, 0),
  fatal_errors => false,
  all_warnings => true,
  oldtable => u.tgoldtable,
  newtable => u.tgnewtable
) f
where u.tgrelid is not null or not u.is_trigger
order by 1;
