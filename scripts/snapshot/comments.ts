import type { Queryable } from '../../src/db/pool.ts';
import { relations, statements } from './catalogue.ts';

export function comments(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `with objects as (
       select 1 as rank, 'pg_namespace'::regclass as classid, oid, 0 as part, 'schema outrider' as object
       from pg_namespace where nspname = 'outrider'
       union all
       select 2, 'pg_type'::regclass, t.oid, 0, case t.typtype when 'd' then 'domain ' else 'type ' end || t.oid::regtype
       from pg_type t where t.typnamespace = 'outrider'::regnamespace
       union all
       select 3, 'pg_class'::regclass, c.oid, 0, case c.relkind
           when 'v' then 'view ' when 'S' then 'sequence ' when 'i' then 'index ' when 'I' then 'index '
           else 'table ' end || c.oid::regclass
       from ${relations} c where c.relkind <> 'c'
       union all
       select 4, 'pg_class'::regclass, c.oid, a.attnum, format('column %s.%I', c.oid::regclass, a.attname)
       from ${relations} c join pg_attribute a on a.attrelid = c.oid and a.attnum > 0
       union all
       select 5, 'pg_constraint'::regclass, k.oid, 0, format('constraint %I on %s', k.conname, c.oid::regclass)
       from pg_constraint k join ${relations} c on c.oid = k.conrelid where k.contype <> 'n'
       union all
       select 6, 'pg_trigger'::regclass, t.oid, 0, format('trigger %I on %s', t.tgname, c.oid::regclass)
       from pg_trigger t join ${relations} c on c.oid = t.tgrelid
       union all
       select 7, 'pg_policy'::regclass, p.oid, 0, format('policy %I on %s', p.polname, c.oid::regclass)
       from pg_policy p join ${relations} c on c.oid = p.polrelid
       union all
       select 8, 'pg_proc'::regclass, p.oid, 0, case p.prokind when 'p' then 'procedure ' else 'function ' end || p.oid::regprocedure
       from pg_proc p where p.pronamespace = 'outrider'::regnamespace
     )
     select format('comment on %s is %L;', o.object, d.description) as statement
     from objects o
     join pg_description d on d.classoid = o.classid and d.objoid = o.oid and d.objsubid = o.part
     order by o.rank, o.object`,
  );
}
