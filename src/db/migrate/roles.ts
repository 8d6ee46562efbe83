import { z } from 'zod';
import type { Queryable } from '../pool.ts';
import { queryRow } from '../query-rows.ts';
import { fileFault, hasState, refusal } from './faults.ts';
import type { SqlFile } from './files.ts';

export const owner = 'outrider_owner';
const roles = [
  owner,
  'outrider_service',
  'outrider_ingest',
  'outrider_worker',
  'outrider_reader',
  'outrider_emitter',
  'outrider_publisher',
  'outrider_consumer',
  'outrider_retention',
  'outrider_privileged',
];

/** Creates the roles, or makes do with those that an administrator created. In a transaction. */
export async function ensureRoles(client: Queryable, file: SqlFile): Promise<void> {
  await runRoles(client, file);
  const { missing, me } = await queryRow(
    client,
    z.object({ missing: z.array(z.string()), me: z.string() }),
    `select array(select r from unnest($1::text[]) r
                  where not exists (select from pg_catalog.pg_roles where rolname = r) order by r)::text[] as missing,
            current_user::text as me`,
    [roles],
  );
  if (missing.length > 0) {
    throw refusal(
      `the roles ${missing.join(', ')} are missing and ${me} may not create roles`,
      `let an administrator run ${file.path} in this database's server, then migrate again`,
    );
  }
  if (!(await canBecomeOwner(client))) {
    throw refusal(
      `${me} may not act as ${owner}, which owns the schema`,
      'let an administrator run outrider migrate; on a database that is up to date a login that is a member of outrider_service will do',
    );
  }
}

/** Runs the file if the connecting login may. The caller checks afterwards which roles are missing. */
async function runRoles(client: Queryable, file: SqlFile): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    await client.query('savepoint roles');
    try {
      await client.query(file.text);
      return;
    } catch (error) {
      await client.query('rollback to savepoint roles');
      if (hasState(error, '42501')) return;
      // Roles belong to the server: the migrator of another database may be at the same step.
      const raced = hasState(error, 'XX000', '42710', '23505', '40P01');
      if (!raced || attempt === 5) throw fileFault(file, error);
    }
  }
}

async function canBecomeOwner(client: Queryable): Promise<boolean> {
  await client.query('savepoint become_owner');
  try {
    await client.query(`set local role ${owner}`);
    return true;
  } catch (error) {
    if (!hasState(error, '42501')) throw error;
    return false;
  } finally {
    await client.query('rollback to savepoint become_owner');
  }
}

/** The schema, made by the connecting login on the owner's behalf. */
export async function ensureSchema(client: Queryable): Promise<void> {
  const found = await queryRow(
    client,
    z.object({ owner: z.string().nullable(), database: z.string(), me: z.string() }),
    `select nspowner::regrole::text as owner, current_database() as database, current_user::text as me
     from (select) nothing left join pg_catalog.pg_namespace on nspname = 'outrider'`,
  );
  if (found.owner === owner) return;
  if (found.owner !== null) {
    throw refusal(
      `schema outrider belongs to ${found.owner}, not to ${owner}`,
      `let an administrator run: alter schema outrider owner to ${owner}`,
    );
  }
  try {
    await client.query(`create schema outrider authorization ${owner}`);
  } catch (error) {
    if (!hasState(error, '42501')) throw error;
    throw refusal(
      `${found.me} may not create a schema in database ${found.database}`,
      `let an administrator run: create schema outrider authorization ${owner}`,
    );
  }
}
