import { z } from 'zod';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { relations } from './catalogue.ts';
import { inDependencyOrder } from './order.ts';
import { withoutLoneQualifier } from './view-text.ts';

const object = z.object({
  key: z.string(),
  name: z.string(),
  statement: z.string(),
  needs: z.array(z.string()),
  view: z.boolean(),
});

/** Functions and views, each after those that its definition names; bodies may name anything. */
export async function routinesAndViews(client: Queryable): Promise<string[]> {
  const rows = await queryRows(
    client,
    object,
    `with members as (
       select 'pg_proc'::regclass as classid, p.oid, p.oid as owner, p.oid::regprocedure::text as name,
              rtrim(pg_get_functiondef(p.oid), E'\\n') || ';' as statement
       from pg_proc p where p.pronamespace = 'outrider'::regnamespace and p.prokind <> 'a'
       union all
       select 'pg_rewrite'::regclass, r.oid, v.oid, v.oid::regclass::text,
              format(E'create view %s%s as\\n%s', v.oid::regclass,
                (select format(' with (%s)', string_agg(o, ', ' order by o)) from unnest(v.reloptions) o having count(*) > 0),
                pg_get_viewdef(v.oid))
       from ${relations} v join pg_rewrite r on r.ev_class = v.oid
       where v.relkind = 'v'
     )
     select m.owner::text as key, m.name, m.statement, m.classid = 'pg_rewrite'::regclass as view,
            array(
              select distinct coalesce(nullif(t.typrelid, 0), d.refobjid)::text
              from pg_depend d
              left join pg_type t on d.refclassid = 'pg_type'::regclass and t.oid = d.refobjid
              where d.classid = m.classid and d.objid = m.oid
                and d.refclassid in ('pg_proc'::regclass, 'pg_class'::regclass, 'pg_type'::regclass)
                and d.refobjid <> m.owner
            ) as needs
     from members m`,
  );
  return inDependencyOrder(rows).map((each) =>
    each.view ? withoutLoneQualifier(each.statement) : each.statement,
  );
}
