import { randomBytes } from 'node:crypto';
import type pg from 'pg';
import { inject } from 'vitest';
import { openPool } from '../../../src/db/pool.ts';

export type Role =
  | 'outrider_ingest'
  | 'outrider_worker'
  | 'outrider_reader'
  | 'outrider_service'
  | 'outrider_emitter'
  | 'outrider_publisher'
  | 'outrider_consumer'
  | 'outrider_retention'
  | 'outrider_privileged';

export interface LoginOptions {
  /** The workspaces that the login is bound to. They must exist. */
  readonly workspaces?: readonly string[];
  readonly roles?: readonly Role[];
}

export interface TestDatabase {
  readonly name: string;
  /** The superuser's address. */
  readonly url: string;
  /** Connected as superuser, to arrange and to look. Row level security does not bind it. */
  readonly admin: pg.Pool;
  /** Connected as Outrider's own processes are. */
  readonly service: pg.Pool;
  /** Adds a login, for tests of isolation; answers with the address that it connects by. */
  addLogin(options: LoginOptions): Promise<string>;
  /** A name that no workspace of this database has yet: w1, w2 … */
  newWorkspaceId(): string;
  /** Adds a login and connects as it. */
  connectAs(options: LoginOptions): Promise<pg.Pool>;
  close(): Promise<void>;
}

/** A new database with the whole schema and no rows. */
export async function openDatabase(): Promise<TestDatabase> {
  const server = inject('postgres');
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer((pool) =>
    pool.query(`create database ${name} template ${server.template} strategy file_copy`),
  );
  const url = addressOf(server.adminUrl, name);
  const admin = poolOf(url);
  const service = poolOf(addressOf(url, name, server.serviceLogin, server.servicePassword));
  const logins: string[] = [];
  const pools = [admin, service];
  let named = 0;

  async function addLogin(options: LoginOptions): Promise<string> {
    const login = `test_login_${randomBytes(6).toString('hex')}`;
    const password = randomBytes(12).toString('hex');
    const roles = options.roles?.length ? `in role ${options.roles.join(', ')}` : '';
    await admin.query(`create role ${login} login password '${password}' ${roles}`);
    logins.push(login);
    await admin.query(
      `insert into outrider.workspace_logins (login, workspace_id)
       select $1, w from unnest($2::text[]) w`,
      [login, options.workspaces ?? []],
    );
    return addressOf(url, name, login, password);
  }

  return {
    name,
    url,
    admin,
    service,
    newWorkspaceId() {
      named += 1;
      return `w${named}`;
    },
    addLogin,
    async connectAs(options) {
      const opened = poolOf(await addLogin(options));
      pools.push(opened);
      return opened;
    },
    async close() {
      await Promise.all(pools.map((each) => each.end()));
      await onServer(async (pool) => {
        await pool.query(`drop database ${name} with (force)`);
        for (const login of logins) await pool.query(`drop role ${login}`);
      });
    },
  };
}

/** An empty database (no schema) for tests of the migrator and the snapshot. */
export async function openEmptyDatabase(
  options = '',
): Promise<{ name: string; url: string; drop(): Promise<void> }> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  await onServer((pool) => pool.query(`create database ${name} ${options} strategy file_copy`));
  return {
    name,
    url: addressOf(inject('postgres').adminUrl, name),
    drop: () => onServer((pool) => pool.query(`drop database ${name} with (force)`)),
  };
}

/** The same server under another database or login. */
export function addressOf(
  url: string,
  database: string,
  login?: string,
  password?: string,
): string {
  const address = new URL(url);
  address.pathname = `/${database}`;
  if (login !== undefined) address.username = login;
  if (password !== undefined) address.password = password;
  return address.toString();
}

function poolOf(url: string): pg.Pool {
  return openPool({ url, applicationName: 'outrider test', max: 10 });
}

async function onServer(work: (pool: pg.Pool) => Promise<unknown>): Promise<void> {
  const server = openPool({
    url: inject('postgres').adminUrl,
    applicationName: 'outrider test',
    max: 1,
  });
  try {
    await work(server);
  } finally {
    await server.end();
  }
}
