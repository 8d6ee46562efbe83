import { describe, expect, inject, it } from 'vitest';
import { z } from 'zod';
import { callFunction } from '../../src/db/call.ts';
import { openPool, type Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { checksums } from '../support/database/catalogue.ts';
import { inOrder, lawfulCalls, useTwoWorkspaces } from '../support/database/two-workspaces.ts';

// What a tenant can do to its own session. Rights hang on the login, which no statement changes.

const { database, south, functions } = await useTwoWorkspaces();
const tenantRoles = ['outrider_ingest', 'outrider_worker', 'outrider_reader'] as const;
const tenant = await database.connectAs({ workspaces: ['north'], roles: tenantRoles });
const { serviceLogin } = inject('postgres');

const refused = [
  'set role outrider_service',
  'set role outrider_owner',
  'set local role outrider_owner',
  `set role ${serviceLogin}`,
  'set session authorization outrider_service',
  `set session authorization ${serviceLogin}`,
  "select set_config('role', 'outrider_service', false)",
  "select set_config('session_authorization', 'outrider_service', false)",
  'grant outrider_service to current_user',
  'alter role current_user bypassrls',
  'alter table outrider.deliveries disable row level security',
  'create policy all_rows on outrider.deliveries using (true)',
  'create table outrider.workspace_logins_too (login name)',
  'create function outrider.acting_login(text) returns name language sql as $$ select null $$',
];

const vain = [
  'reset role',
  'set role none',
  'reset session authorization',
  'reset all',
  'set row_security = off',
  "set outrider.workspace_id = 'south'",
  "set application_name = 'outrider_service'",
  ...tenantRoles.map((role) => `set role ${role}`),
  `create temp table workspace_logins as select 'south' as workspace_id, current_user as login`,
  `create function pg_temp.acting_login() returns name language sql as $$ select 'postgres'::name $$;
   set search_path = pg_temp, outrider, pg_catalog`,
  `create function pg_temp.pg_has_role(name, text, text) returns boolean language sql as $$ select true $$;
   set search_path = pg_temp, pg_catalog`,
];

describe('a session of a tenant', () => {
  it.each(refused)('may not: %s', async (attempt) => {
    await expect(tenant.query(attempt)).rejects.toMatchObject({ code: '42501' });
  });

  it.each([...refused, ...vain])('reaches no other workspace after: %s', async (attempt) => {
    const before = await checksums(database.admin);
    const client = await tenant.connect();
    try {
      await client.query(attempt).catch(() => undefined);
      expect(await otherWorkspacesSeen(client)).toEqual([]);
      for (const routine of functions) {
        const args = inOrder(routine, lawfulCalls(south)[routine.name] ?? {});
        const answer = callFunction(client, { name: routine.name, args, row: z.unknown() });
        await expect(answer).rejects.toMatchObject({ code: 'not_allowed' });
      }
    } finally {
      client.release(true);
    }
    expect(await checksums(database.admin)).toEqual(before);
  });

  it.each(['outrider_service', 'outrider_owner', serviceLogin])(
    'does not begin in the role %s',
    async (role) => {
      const pool = openPool({ url: addressWithOption(`role=${role}`), applicationName: 'test' });
      await expect(pool.query('select 1')).rejects.toMatchObject({ code: '42501' });
      await pool.end();
    },
  );

  it('loses its rows with its binding, at once', async () => {
    const bound = await database.connectAs({ workspaces: ['south'], roles: ['outrider_reader'] });
    expect(await otherWorkspacesSeen(bound)).toEqual(['south']);
    await database.admin.query('delete from outrider.workspace_logins where login = $1', [
      new URL(bound.options.connectionString ?? '').username,
    ]);
    expect(await otherWorkspacesSeen(bound)).toEqual([]);
  });
});

// With row security off PostgreSQL refuses the query where a policy would apply: nothing is seen.
async function otherWorkspacesSeen(client: Queryable): Promise<string[]> {
  const rows = await queryRows(
    client,
    z.object({ workspace_id: z.string() }),
    "select distinct workspace_id from outrider.deliveries where workspace_id <> 'north'",
  ).catch(() => []);
  return rows.map((row) => row.workspace_id);
}

function addressWithOption(option: string): string {
  const address = new URL(tenant.options.connectionString ?? '');
  address.searchParams.set('options', `-c ${option}`);
  return address.toString();
}
