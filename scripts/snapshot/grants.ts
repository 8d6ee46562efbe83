import type { Queryable } from '../../src/db/pool.ts';
import { relations, statements } from './catalogue.ts';

// Everything that can carry privileges, with what PostgreSQL grants by itself. An unset list means just that. The two
// are compared, and only the difference is printed.
const objects = `
  select 1 as rank, 'schema outrider' as object, 'outrider' as name, nspacl as acl, acldefault('n', nspowner) as usual
  from pg_namespace where nspname = 'outrider'
  union all
  select 2, 'type ' || t.oid::regtype, t.typname, t.typacl, acldefault('T', t.typowner)
  from pg_type t left join pg_class c on c.oid = t.typrelid
  where t.typnamespace = 'outrider'::regnamespace
    and (t.typtype in ('e', 'd') or (t.typtype = 'c' and c.relkind = 'c'))
  union all
  select 3, 'table ' || c.oid::regclass, c.relname, c.relacl, acldefault('r', c.relowner)
  from ${relations} c where c.relkind in ('r', 'p', 'v')
  union all
  select 4, 'sequence ' || c.oid::regclass, c.relname, c.relacl, acldefault('s', c.relowner)
  from ${relations} c where c.relkind = 'S'
  union all
  select 5, case p.prokind when 'p' then 'procedure ' else 'function ' end || p.oid::regprocedure,
         p.oid::regprocedure::text, p.proacl, acldefault('f', p.proowner)
  from pg_proc p where p.pronamespace = 'outrider'::regnamespace
`;

// MAINTAIN exists from 17 on only.
const entries = (list: string): string => `
  select case grantee when 0 then 'public' else grantee::regrole::text end as grantee,
         lower(privilege_type) as privilege, is_grantable
  from aclexplode(${list}) where privilege_type <> 'MAINTAIN'`;

export function grants(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `with objects as (${objects}),
     differences as (
       select o.rank, o.name, o.object, 1 as step, x.*
       from objects o, lateral (${entries('o.usual')} except ${entries('coalesce(o.acl, o.usual)')}) x
       union all
       select o.rank, o.name, o.object, 2, x.*
       from objects o, lateral (${entries('coalesce(o.acl, o.usual)')} except ${entries('o.usual')}) x
       union all
       select 3, c.relname, format('table %s', c.oid::regclass), 3, x.grantee,
              format('%s (%I)', x.privilege, a.attname), x.is_grantable
       from ${relations} c join pg_attribute a on a.attrelid = c.oid, lateral (${entries('a.attacl')}) x
       where a.attacl is not null
     )
     select case step when 1
              then format('revoke %s on %s from %s;', string_agg(privilege, ', ' order by privilege), object, grantee)
              else format('grant %s on %s to %s%s;', string_agg(privilege, ', ' order by privilege), object, grantee,
                     case when is_grantable then ' with grant option' end)
            end as statement
     from differences
     group by rank, name, object, step, grantee, is_grantable
     order by rank, name, object, step, grantee, is_grantable`,
  );
}

/** The privileges that new objects of the owner get by themselves. */
export function defaultPrivileges(client: Queryable): Promise<string[]> {
  return statements(
    client,
    `with lists as (
       select d.oid, d.defaclnamespace, d.defaclrole, d.defaclacl,
              case when d.defaclnamespace = 0
                then acldefault(case d.defaclobjtype when 'S' then 's' else d.defaclobjtype end, d.defaclrole)
                else null end as usual,
              format('alter default privileges for role %s%s', d.defaclrole::regrole,
                case when d.defaclnamespace <> 0 then ' in schema outrider' end) as opening,
              case d.defaclobjtype when 'r' then 'tables' when 'S' then 'sequences' when 'f' then 'functions'
                when 'T' then 'types' else 'schemas' end as kind
       from pg_default_acl d
       where d.defaclrole = 'outrider_owner'::regrole and d.defaclnamespace in (0, 'outrider'::regnamespace)
     ),
     differences as (
       select l.*, 1 as step, x.* from lists l, lateral (${entries('l.usual')} except ${entries('l.defaclacl')}) x
       union all
       select l.*, 2, x.* from lists l, lateral (${entries('l.defaclacl')} except ${entries('l.usual')}) x
     )
     select case step when 1
              then format('%s revoke %s on %s from %s;', opening, string_agg(privilege, ', ' order by privilege), kind, grantee)
              else format('%s grant %s on %s to %s%s;', opening, string_agg(privilege, ', ' order by privilege), kind, grantee,
                     case when is_grantable then ' with grant option' end)
            end as statement
     from differences
     group by opening, kind, step, grantee, is_grantable
     order by opening, kind, step, grantee, is_grantable`,
  );
}
