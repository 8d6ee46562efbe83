// The public functions as the catalogue knows them: what psql's \df+ shows.

import { z } from 'zod';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';

const publicFunction = z.object({
  name: z.string(),
  arguments: z.string(),
  result: z.string(),
  granted_to: z.array(z.string()),
  contract: z.string(),
});

export type PublicFunction = z.infer<typeof publicFunction>;

/** Every function that somebody may call; one without a comment has an empty contract. */
export function publicFunctions(client: Queryable): Promise<PublicFunction[]> {
  return queryRows(
    client,
    publicFunction,
    `select
       p.proname as name, pg_get_function_arguments(p.oid) as arguments, pg_get_function_result(p.oid) as result,
       array(
         select r.rolname::text from aclexplode(p.proacl) a
         join pg_roles r on r.oid = a.grantee
         where a.grantee <> p.proowner
         order by 1
       ) as granted_to,
       coalesce(obj_description(p.oid, 'pg_proc'), '') as contract
     from pg_proc p
     where p.pronamespace = 'outrider'::regnamespace
       and exists (select from aclexplode(p.proacl) a where a.grantee <> p.proowner)
     order by p.proname`,
  );
}
