import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { callFunction } from '../../src/db/call.ts';
import type { Queryable } from '../../src/db/pool.ts';
import { queryRows } from '../../src/db/query-rows.ts';
import { checksums, type Routine, tables } from '../support/database/catalogue.ts';
import {
  type Furnished,
  inOrder,
  lawfulCalls,
  useTwoWorkspaces,
} from '../support/database/two-workspaces.ts';

// Tables and functions come from the catalogue: what is added is covered, or fails until it is.

const { database, north, south, functions } = await useTwoWorkspaces();
const everyTable = await tables(database.admin);
const tenantTables = everyTable.filter((table) => table.tenant && !table.partition);
const partitions = everyTable.filter((table) => table.partition);
/** What shows the rows of a workspace: its tables, and the view of the event log. */
const ofTenants = [...tenantTables.map(({ name }) => ({ name })), { name: 'events' }];

const tenantRoles = ['outrider_ingest', 'outrider_worker', 'outrider_reader'] as const;
const tenant = await database.connectAs({ workspaces: ['north'], roles: tenantRoles });
const unbound = await database.connectAs({ roles: tenantRoles });
const stranger = await database.connectAs({});

const isForTenants = (routine: Routine): boolean =>
  tenantRoles.some((role) => routine.grantees.includes(role));
const forTenants = functions.filter(isForTenants);
const forServices = functions.filter((routine) => !isForTenants(routine));

const writes = everyTable.flatMap(({ name, columns: [first] }) => [
  { title: 'insert into', name, text: `insert into outrider.${name} default values` },
  { title: 'update', name, text: `update outrider.${name} set ${first} = ${first}` },
  { title: 'delete from', name, text: `delete from outrider.${name}` },
  { title: 'truncate', name, text: `truncate outrider.${name} cascade` },
]);

/** Tables that are the same for all. */
const catalogues = ['platform_media', 'platforms'];

describe("a tenant's login", () => {
  it.each(ofTenants)('sees its own rows of $name and no others', async ({ name }) => {
    expect(await workspacesSeen(tenant, name)).toEqual(['north']);
  });

  it('reads the catalogues, and no other table that is not of a workspace', async () => {
    const shared = everyTable.filter((table) => !table.tenant && !catalogues.includes(table.name));
    for (const { name } of shared) {
      await expect(tenant.query(`select from outrider.${name}`)).rejects.toThrow(
        /^permission denied/,
      );
    }
    for (const name of catalogues) {
      expect((await tenant.query(`select from outrider.${name}`)).rows).not.toEqual([]);
    }
  });

  it.each(partitions)('does not read $name past its parent', async ({ name }) => {
    await expect(tenant.query(`select from outrider.${name}`)).rejects.toThrow(
      /^permission denied/,
    );
  });

  it('reads no statistics of what the columns hold', async () => {
    await database.admin.query('analyze');
    const seen = await queryRows(
      tenant,
      z.object({ name: z.string() }),
      "select distinct tablename as name from pg_stats where schemaname = 'outrider' order by 1",
    );
    expect(seen.map((each) => each.name)).toEqual(catalogues);
  });

  it.each(writes)('cannot $title $name', async ({ text }) => {
    await expect(tenant.query(text)).rejects.toThrow(/^permission denied/);
  });

  it.each(forTenants)('calls $name in its own workspace', async (routine) => {
    expect(await answerTo(tenant, routine, north)).not.toEqual([]);
  });

  it.each(forTenants)('is refused by $name in another workspace', async (routine) => {
    const before = await checksums(database.admin);
    await expect(call(tenant, routine, south)).rejects.toMatchObject({
      code: 'not_allowed',
      sqlstate: 'OR003',
      message: expect.stringMatching(
        new RegExp(`^${routine.name}: login "\\w+" may not act for workspace "south"$`),
      ),
    });
    expect(await checksums(database.admin)).toEqual(before);
  });

  it.each(forServices)('may not call $name, which spans workspaces', async (routine) => {
    await expect(answerTo(tenant, routine, north)).rejects.toThrow(/^permission denied/);
  });

  it.each(forTenants)('learns from $name not whether a workspace exists', async (routine) => {
    const other = await refusal(routine, south);
    const none = await refusal(routine, { ...south, workspaceId: 'nowhere' });
    expect(none).toBe(other.replace('south', 'nowhere'));
  });

  it.each(tenantRoles)('calls only what its role may, as %s', async (role) => {
    const login = await database.connectAs({ workspaces: ['north'], roles: [role] });
    for (const routine of functions.filter((each) => !each.grantees.includes(role))) {
      await expect(answerTo(login, routine, north)).rejects.toThrow(/^permission denied/);
    }
    for (const routine of functions.filter((each) => each.grantees.includes(role))) {
      expect(await answerTo(login, routine, north)).not.toEqual([]);
    }
  });
});

describe('a login that is bound to no workspace', () => {
  it.each(ofTenants)('sees nothing in $name, whatever its roles', async ({ name }) => {
    expect(await workspacesSeen(unbound, name)).toEqual([]);
  });

  it.each(forTenants)('is refused by $name in every workspace', async (routine) => {
    for (const place of [north, south]) {
      await expect(answerTo(unbound, routine, place)).rejects.toMatchObject({ sqlstate: 'OR003' });
    }
  });

  it('reaches no table and no function without a role', async () => {
    for (const { name } of [...everyTable, { name: 'events' }]) {
      await expect(stranger.query(`select from outrider.${name}`)).rejects.toThrow(
        /^permission denied/,
      );
    }
    for (const routine of functions) {
      await expect(answerTo(stranger, routine, north)).rejects.toThrow(/^permission denied/);
    }
  });
});

describe("the login of Outrider's own processes", () => {
  it.each(ofTenants)('sees the rows of every workspace in $name', async ({ name }) => {
    expect(await workspacesSeen(database.service, name)).toEqual(['north', 'south']);
  });

  it.each(functions.filter((each) => each.isForServices))(
    'calls $name in every workspace',
    async (routine) => {
      for (const place of [north, south]) {
        expect(await answerTo(database.service, routine, place)).not.toEqual([]);
      }
    },
  );

  it.each(writes)('writes through functions only: it cannot $title $name', async ({ text }) => {
    await expect(database.service.query(text)).rejects.toThrow(/^permission denied/);
  });
});

describe('the schema', () => {
  it('forces row security on every tenant table', () => {
    const open = tenantTables.filter((table) => !table.enabled || !table.forced);
    expect(open.map((table) => table.name)).toEqual([]);
  });

  it('belongs to the owner, table by table', () => {
    expect(everyTable.filter((table) => table.owner !== 'outrider_owner')).toEqual([]);
  });

  it('has no role that is above row security, and none of them logs in', async () => {
    const roles = await queryRows(
      database.admin,
      z.object({ name: z.string() }),
      `select rolname as name from pg_roles
       where rolname ~ '^outrider_(owner|ingest|worker|reader|service|emitter|publisher|consumer|retention|privileged)$'
         and not (rolsuper or rolbypassrls or rolcreaterole or rolcanlogin)
       order by rolname`,
    );
    expect(roles.map((role) => role.name)).toEqual([
      'outrider_consumer',
      'outrider_emitter',
      'outrider_ingest',
      'outrider_owner',
      'outrider_privileged',
      'outrider_publisher',
      'outrider_reader',
      'outrider_retention',
      'outrider_service',
      'outrider_worker',
    ]);
  });

  it('has no view that reads with the rights of its owner', async () => {
    const views = await queryRows(
      database.admin,
      z.object({ name: z.string() }),
      `select relname as name from pg_class
       where relnamespace = 'outrider'::regnamespace and relkind in ('v', 'm')
         and not coalesce('security_invoker=true' = any (reloptions), false)`,
    );
    expect(views).toEqual([]);
  });
});

async function workspacesSeen(client: Queryable, table: string): Promise<string[]> {
  const rows = await queryRows(
    client,
    z.object({ workspace_id: z.string() }),
    `select distinct workspace_id from outrider.${table} order by workspace_id`,
  );
  return rows.map((row) => row.workspace_id);
}

async function call(client: Queryable, routine: Routine, place: Furnished): Promise<unknown[]> {
  const args = inOrder(routine, lawfulCalls(place)[routine.name] ?? {});
  return callFunction(client, { name: routine.name, args, row: z.unknown() });
}

/** What the function answers this login in that workspace; whatever it does is undone. */
async function answerTo(
  login: typeof tenant,
  routine: Routine,
  place: Furnished,
): Promise<unknown[]> {
  const client = await login.connect();
  try {
    await client.query('begin');
    return await call(client, routine, place);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

async function refusal(routine: Routine, place: Furnished): Promise<string> {
  return answerTo(tenant, routine, place).then(
    () => 'it was not refused',
    (error: unknown) => String(error),
  );
}
