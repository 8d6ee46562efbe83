import type { Queryable } from '../../src/db/pool.ts';
import { relations, statements } from './catalogue.ts';

export function rowSecurity(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select format('alter table %s %s;', c.oid::regclass, concat_ws(', ',
              case when c.relrowsecurity then 'enable row level security' end,
              case when c.relforcerowsecurity then 'force row level security' end)) as statement
     from ${relations} c
     where c.relrowsecurity or c.relforcerowsecurity
     order by c.relname`,
  );
}

export function policies(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `select concat(
              format('create policy %I on %s', p.polname, c.oid::regclass),
              case when not p.polpermissive then ' as restrictive' end,
              case p.polcmd when 'r' then ' for select' when 'a' then ' for insert'
                when 'w' then ' for update' when 'd' then ' for delete' end,
              (select ' to ' || string_agg(case r when 0 then 'public' else r::regrole::text end, ', ' order by r::regrole::text)
               from unnest(p.polroles) r where p.polroles <> '{0}'),
              E'\\n  using (' || pg_get_expr(p.polqual, p.polrelid) || ')',
              E'\\n  with check (' || pg_get_expr(p.polwithcheck, p.polrelid) || ')',
              ';') as statement
     from pg_policy p join ${relations} c on c.oid = p.polrelid
     order by c.relname, p.polname`,
  );
}
