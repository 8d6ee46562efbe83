import { z } from 'zod';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { inDependencyOrder } from './order.ts';

const type = z.object({
  key: z.string(),
  name: z.string(),
  statement: z.string(),
  needs: z.array(z.string()),
  holds_rows: z.boolean(),
});

/** Enums, domains and composites, each after those that it is made of. */
export async function types(client: Queryable): Promise<string[]> {
  const found = await allTypes(client);
  return found.filter((each) => !each.holds_rows).map((each) => each.statement);
}

/** Composites that hold rows of tables. */
export async function typesOfRows(client: Queryable): Promise<string[]> {
  const found = await allTypes(client);
  return found.filter((each) => each.holds_rows).map((each) => each.statement);
}

async function allTypes(client: Queryable): Promise<z.output<typeof type>[]> {
  const rows = await queryRows(
    client,
    type,
    `with own as (
       select t.*, t.oid::regtype::text as name
       from pg_type t left join pg_class c on c.oid = t.typrelid
       where t.typnamespace = 'outrider'::regnamespace
         and (t.typtype in ('e', 'd') or (t.typtype = 'c' and c.relkind = 'c'))
     )
     select t.oid::text as key, t.name, case t.typtype
       when 'e' then format('create type %s as enum (%s);', t.name,
         (select string_agg(quote_literal(e.enumlabel), ', ' order by e.enumsortorder)
          from pg_enum e where e.enumtypid = t.oid))
       when 'd' then format('create domain %s as %s%s%s%s%s;', t.name,
         format_type(t.typbasetype, t.typtypmod),
         (select ' collate ' || t.typcollation::regcollation from pg_type b
          where b.oid = t.typbasetype and b.typcollation <> t.typcollation),
         ' default ' || t.typdefault,
         case when t.typnotnull then ' not null' end,
         (select string_agg(format(E'\\n  constraint %I %s', k.conname, pg_get_constraintdef(k.oid)), '' order by k.conname)
          from pg_constraint k where k.contypid = t.oid and k.contype = 'c'))
       else format(E'create type %s as (\\n%s\\n);', t.name,
         (select string_agg(format('  %I %s%s', a.attname, format_type(a.atttypid, a.atttypmod),
            (select ' collate ' || a.attcollation::regcollation from pg_type b
             where b.oid = a.atttypid and b.typcollation <> a.attcollation)), E',\\n' order by a.attnum)
          from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0 and not a.attisdropped))
       end as statement,
       array(
         select coalesce(nullif(u.typelem, 0), u.oid)::text
         from (select t.typbasetype as oid
               union select a.atttypid from pg_attribute a where a.attrelid = t.typrelid and a.attnum > 0) used
         join pg_type u on u.oid = used.oid
       ) as needs,
       exists (
         select from pg_attribute a
         join pg_type u on u.oid = a.atttypid
         join pg_type e on e.oid = coalesce(nullif(u.typelem, 0), u.oid)
         join pg_class r on r.oid = e.typrelid and r.relkind <> 'c'
         where a.attrelid = t.typrelid and a.attnum > 0
       ) as holds_rows
     from own t`,
  );
  return inDependencyOrder(rows);
}
