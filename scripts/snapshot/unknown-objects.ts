import type { Queryable } from '../../src/db/pool.ts';
import { OutriderError } from '../../src/errors.ts';
import { statements } from './catalogue.ts';

/** Throws when the schema has objects that the snapshot cannot print: it would leave them out without a word. */
export async function refuseUnknownObjects(client: Queryable): Promise<void> {
  const found = await statements(
    client,
    `select format('relation %s', c.oid::regclass) as statement from pg_class c
     where c.relnamespace = 'outrider'::regnamespace and c.relkind in ('m', 'f')
     union all
     select format('inheritance of %s', i.inhrelid::regclass)
     from pg_inherits i join pg_class c on c.oid = i.inhrelid
     where c.relnamespace = 'outrider'::regnamespace and c.relkind = 'r' and not c.relispartition
     union all
     select format('aggregate %s', p.oid::regprocedure) from pg_proc p
     where p.pronamespace = 'outrider'::regnamespace and p.prokind = 'a'
     union all
     select format('type %s', t.oid::regtype) from pg_type t
     where t.typnamespace = 'outrider'::regnamespace and t.typtype in ('r', 'p')
     union all
     select format('rule %s', r.rulename) from pg_rewrite r join pg_class c on c.oid = r.ev_class
     where c.relnamespace = 'outrider'::regnamespace and r.rulename <> '_RETURN'
     union all
     select format('%s of another owner', c.oid::regclass) from pg_class c
     where c.relnamespace = 'outrider'::regnamespace and c.relowner <> 'outrider_owner'::regrole
     union all
     select format('%s of another owner', p.oid::regprocedure) from pg_proc p
     where p.pronamespace = 'outrider'::regnamespace and p.proowner <> 'outrider_owner'::regrole
     order by 1`,
  );
  if (found.length === 0) return;
  throw new OutriderError('database_unsuitable', `the snapshot cannot print: ${found.join(', ')}`, {
    hint: 'teach scripts/snapshot to print them, or do without them',
  });
}
