import type { Queryable } from '../../src/db/pool.ts';
import { callsFunction, relations, statements } from './catalogue.ts';

/** Defaults that call functions of the schema. */
export function lateColumns(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select format('alter table %s alter column %I set default %s;', c.oid::regclass, a.attname,
              pg_get_expr(f.adbin, f.adrelid)) as statement
     from ${relations} c
     join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and a.attgenerated = ''
     join pg_attrdef f on f.adrelid = c.oid and f.adnum = a.attnum
     where c.relkind in ('r', 'p') and not c.relispartition and ${callsFunction('pg_attrdef', 'f.oid')}
     order by c.relname, a.attnum`,
  );
}

/** Constraints that call functions of the schema. */
export function lateConstraints(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select format('alter table %s add constraint %I %s;', c.oid::regclass, k.conname,
              pg_get_constraintdef(k.oid)) as statement
     from pg_constraint k join ${relations} c on c.oid = k.conrelid
     where k.contype in ('c', 'x') and not c.relispartition and ${callsFunction('pg_constraint', 'k.oid')}
     order by c.relname, k.conname`,
  );
}

/** Indexes that no constraint brings along. Those of partitions follow their parent's. */
export function indexes(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON ') || ';' as statement
     from pg_index i
     join pg_class x on x.oid = i.indexrelid
     join ${relations} c on c.oid = i.indrelid
     where not x.relispartition
       and not exists (select from pg_constraint k where k.conindid = i.indexrelid and k.contype in ('p', 'u', 'x'))
     order by c.relname, x.relname`,
  );
}

export function statistics(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select pg_get_statisticsobjdef(s.oid) || ';' as statement
     from pg_statistic_ext s where s.stxnamespace = 'outrider'::regnamespace order by s.stxname`,
  );
}

export function foreignKeys(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select format(E'alter table %s add constraint %I\\n  %s;', c.oid::regclass, k.conname,
              pg_get_constraintdef(k.oid)) as statement
     from pg_constraint k join ${relations} c on c.oid = k.conrelid
     where k.contype = 'f' and k.conparentid = 0
     order by c.relname, k.conname`,
  );
}

export function triggers(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select format('%s;%s', pg_get_triggerdef(t.oid), case t.tgenabled
              when 'O' then null
              else format(E'\\nalter table %s %s trigger %I;', c.oid::regclass, case t.tgenabled
                     when 'D' then 'disable' when 'A' then 'enable always' else 'enable replica' end, t.tgname)
            end) as statement
     from pg_trigger t join ${relations} c on c.oid = t.tgrelid
     where not t.tgisinternal and t.tgparentid = 0
     order by c.relname, t.tgname`,
  );
}
